import FleetModel
import Testing
import URLFilter

/// The devices of the fleet model and those of the live fleet ask for the same things in the same order.
struct DevicePolicyTests {
    @Test(arguments: DeviceScript.all) func bothDriversSendTheSame(_ script: DeviceScript) async throws {
        let model = try script.exchangesOfModel()
        let live = try await script.exchangesOfLiveDevice()
        #expect(model == live)
        #expect(model == script.expected)
    }

    /// The pause before a retry is drawn by each driver; with the instants of the live device, the model's asks in the
    /// very seconds.
    @Test func theModelReplaysTheInstantsOfALiveDevice() async throws {
        let second = DeviceScript.second
        let script = DeviceScript(
            testDescription: "a failed fetch", answers: [.config: [1: .status(503)]], refetch: 100, end: 400,
            expected: [])
        let ends = try await script.waitEndsOfLiveDevice()
        #expect(ends.map(\.wait) == [.refill, .refetch, .retry, .refetch, .refetch])
        #expect(ends.prefix(2).map(\.time) == [5 * second, 100 * second])
        let retry = try #require(ends.first { $0.wait == .retry }).time
        #expect((115 * second...130 * second).contains(retry))
        #expect(ends.suffix(2).map(\.time) == [retry + 100 * second, retry + 200 * second])
        let asked = try script.configurationsOfModel(replaying: ends)
        #expect(asked == [0] + ends.filter { $0.wait != .refill }.map { $0.time / second })
        // Without what it is to replay, the model's device takes its own way.
        let others = try script.configurationsOfModel(replaying: ends.filter { $0.wait == .refill })
        #expect(others.count == asked.count && others.prefix(2) == [0, 100])
    }
}
