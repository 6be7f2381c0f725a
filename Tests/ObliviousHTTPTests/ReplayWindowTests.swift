import ObliviousHTTP
import Testing

struct ReplayWindowTests {
    @Test func aRequestIsAdmittedOncePerLifetime() throws {
        let key = try OHTTPKeyPair(keyID: 1)
        let gateway = try OHTTPGateway(keys: [key])
        let message = try OHTTPClient(configuration: key.configuration).seal([1]).message
        var window = ReplayWindow(lifetime: 100, capacity: 10)
        let first = window.admit(try gateway.open(message).context.encapsulatedKey, at: 0)
        let replay = window.admit(try gateway.open(message).context.encapsulatedKey, at: 99)
        let afterwards = window.admit(try gateway.open(message).context.encapsulatedKey, at: 100)
        #expect([first, replay, afterwards] == [true, false, true])
    }

    @Test func aFullWindowForgetsTheOldestAndSaysSo() {
        var window = ReplayWindow(lifetime: 1_000, capacity: 2)
        let admitted = [1, 2, 3, 2, 3, 1].map { window.admit([$0], at: Int64($0)) }
        #expect(admitted == [true, true, true, false, false, true])
        #expect(window.count == 2)
        #expect(window.forgottenEarly == 2)
    }

    @Test func timeThatRunsBackwardsDoesNotReopenTheWindow() {
        var window = ReplayWindow(lifetime: 10, capacity: 4)
        let admitted = [(5, Int64.max), (5, Int64.min), (6, 0), (6, Int64.max)].map { key, now in
            window.admit([UInt8(key)], at: now)
        }
        #expect(admitted == [true, false, true, false])
    }

    /// Against a plain list of everything ever admitted.
    @Test func theWindowAgreesWithAListOfAllKeys() {
        var random = SplitMix(state: 4)
        var window = ReplayWindow(lifetime: 50, capacity: 1_000)
        var admitted: [(key: UInt8, time: Int64)] = []
        var now: Int64 = 0
        for _ in 0..<20_000 {
            now += Int64.random(in: 0...3, using: &random)
            let key = UInt8.random(in: .min ... .max, using: &random)
            let isNew = !admitted.suffix(300).contains { $0.key == key && now - $0.time < 50 }
            let answer = window.admit([key], at: now)
            #expect(answer == isNew)
            if isNew { admitted.append((key, now)) }
        }
        #expect(window.forgottenEarly == 0)
        #expect(window.count <= 51 * 3)
    }
}
