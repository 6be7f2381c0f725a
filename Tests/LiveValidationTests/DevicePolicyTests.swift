import Testing

/// The devices of the fleet model and those of the live fleet ask for the same things in the same order.
struct DevicePolicyTests {
    @Test(arguments: DeviceScript.all) func bothDriversSendTheSame(_ script: DeviceScript) async throws {
        let model = try script.exchangesOfModel()
        let live = try await script.exchangesOfLiveDevice()
        #expect(model == live)
        #expect(model == script.expected)
    }
}
