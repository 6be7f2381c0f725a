import ObliviousHTTP
import Testing

/// Against the one rule: whatever was opened is never opened again, and a key opens no longer than it may.
struct GatewayKeysTests {
    private let lives = GatewayKeys.Lives(published: 100, overlap: 50, capacity: 1_000)

    /// Opens as a gateway does: a key that is gone, or a request that came before, is nil.
    private func opens(_ message: [UInt8], _ keys: inout GatewayKeys, at now: Int64) throws -> Bool {
        try keys.advance(to: now)
        guard let (_, context) = try? keys.gateway.open(message) else { return false }
        return try keys.admit(context)
    }

    private func seal(_ keys: GatewayKeys) throws -> [UInt8] {
        let configuration = try #require(keys.gateway.configurations.first)
        return try OHTTPClient(configuration: configuration).seal([1]).message
    }

    @Test func whatWasOpenedIsNeverOpenedAgain() throws {
        var keys = try GatewayKeys(lives: lives, at: 0)
        let message = try seal(keys)
        #expect(try opens(message, &keys, at: 0))
        for now: Int64 in [0, 1, 99, 100, 149, 150, 151, 300, 301, 1_000_000] {
            #expect(try !opens(message, &keys, at: now), "\(now)")
        }
    }

    @Test func aRequestThatWasKeptOpensUntilTheEndOfTheOverlapAndNoLonger() throws {
        for (now, isOpened): (Int64, Bool) in [(99, true), (149, true), (150, false), (1_000, false)] {
            var keys = try GatewayKeys(lives: lives, at: 0)
            let message = try seal(keys)
            // The change comes at 100, whenever somebody asks; the overlap counts from there.
            if now >= 100 { try keys.advance(to: 100) }
            #expect(try opens(message, &keys, at: now) == isOpened, "\(now)")
        }
    }

    @Test func theNewKeyIsPublishedAloneAndTheOldOneStillOpens() throws {
        var keys = try GatewayKeys(lives: lives, at: 0)
        let old = try seal(keys)
        let before = keys.gateway.encodedConfigurations
        try keys.advance(to: 100)
        #expect(keys.gateway.configurations.count == 1)
        #expect(keys.gateway.encodedConfigurations != before)
        #expect(keys.gateway.keyIDs.count == 2)
        let new = try seal(keys)
        #expect(try opens(old, &keys, at: 101) && opens(new, &keys, at: 101))
        try keys.advance(to: 150)
        #expect(keys.gateway.keyIDs.count == 1)
        #expect(keys.earlyChanges == 0)
    }

    @Test func aFullMemoryChangesTheKeyInsteadOfForgetting() throws {
        var keys = try GatewayKeys(lives: .init(published: 1_000, overlap: 1_000, capacity: 40), at: 0)
        var messages: [[UInt8]] = []
        for index in 0..<300 {
            let message = try seal(keys)
            #expect(try opens(message, &keys, at: Int64(index)))
            messages.append(message)
            #expect(keys.count <= 40)
        }
        // Ten requests fill a key's quarter; nothing is over by time at 300.
        #expect(keys.earlyChanges == 30)
        for message in messages { #expect(try !opens(message, &keys, at: 300)) }
    }

    @Test func oldKeysThatAreUsedOnFillTheirHalfAndGo() throws {
        var keys = try GatewayKeys(lives: .init(published: 100, overlap: 100, capacity: 40), at: 0)
        let late = try (0..<30).map { _ in try seal(keys) }
        try keys.advance(to: 100)
        let opened = try late.map { try opens($0, &keys, at: 101) }
        #expect(opened == Array(repeating: true, count: 20) + Array(repeating: false, count: 10))
    }

    @Test func timeThatRunsBackwardsReopensNothing() throws {
        var keys = try GatewayKeys(lives: lives, at: 1_000)
        let message = try seal(keys)
        #expect(try opens(message, &keys, at: 1_050))
        #expect(try !opens(message, &keys, at: .min))
        try keys.advance(to: 1_200)
        try keys.advance(to: 1_300)
        #expect(try !opens(message, &keys, at: 1_050))
    }

    @Test func anotherProcessGoesOnWithKeysAndMemory() throws {
        var first = try GatewayKeys(lives: lives, at: 0)
        let old = [try seal(first), try seal(first)]
        #expect(try opens(old[0], &first, at: 10))
        try first.advance(to: 120)
        let new = [try seal(first), try seal(first)]
        #expect(try opens(new[0], &first, at: 121))
        // Another clock begins at 5; ages go on.
        var second = try GatewayKeys(resuming: first.stored, lives: lives, at: 5)
        #expect(second.count == 2)
        #expect(second.gateway.encodedConfigurations == first.gateway.encodedConfigurations)
        let again = try [old[0], new[0], old[1], new[1]].map { try opens($0, &second, at: 6) }
        #expect(again == [false, false, true, true])
        // The published key was 1 old, so that it is published for 99 more.
        try second.advance(to: 5 + 98)
        #expect(second.gateway.encodedConfigurations == first.gateway.encodedConfigurations)
        try second.advance(to: 5 + 99)
        #expect(second.gateway.encodedConfigurations != first.gateway.encodedConfigurations)
    }

    @Test func keysThatAreTooOldOrFromTheFutureAreNotResumed() throws {
        let key = try OHTTPKeyPair(keyID: 7)
        for age: Int64 in [150, .max, -1, .min] {
            let stored = GatewayKeys.Stored(key: key, age: age, isPublished: true, marks: [1, 2, 3])
            let keys = try GatewayKeys(resuming: [stored], lives: lives, at: 0)
            #expect(keys.gateway.configurations.first?.publicKey != key.configuration.publicKey)
        }
    }
}
