import Testing
import URLFilter

private let second: Nanoseconds = 1_000_000_000

@Suite struct VerdictMachineTests {
    private func machine(
        _ policy: FailurePolicy = .failOpen, _ change: (inout DeviceConstants) -> Void = { _ in }
    ) -> VerdictMachine<String> {
        var constants = DeviceConstants()
        change(&constants)
        return VerdictMachine(constants: constants, policy: policy)
    }

    /// Checks a batch that must lead to a lookup.
    private func startLookup(
        _ batch: [String], request: RequestNumber, at now: Nanoseconds,
        _ machine: inout VerdictMachine<String>
    ) throws -> (BatchNumber, [String], Nanoseconds) {
        let outcome = machine.check(batch, request: request, at: now, filterIsReady: true)
        guard case .lookUp(let number, let asked, let deadline) = outcome else {
            throw Unexpected(outcome: outcome)
        }
        return (number, asked, deadline)
    }

    private struct Unexpected: Error {
        let outcome: CheckOutcome<String>
    }

    /// Checks and answers one batch at once.
    private func lookUp(
        _ batch: [String], present: [Bool], at now: Nanoseconds = 0, _ machine: inout VerdictMachine<String>
    ) throws -> Verdict {
        let (number, _, _) = try startLookup(batch, request: 77, at: now, &machine)
        let answers = machine.answer(number, present: present, at: now)
        return try #require(answers.first).verdict
    }

    @Test func defaultsAreThoseOfTheArticle() {
        let constants = DeviceConstants()
        #expect(constants.verdictTimeout == 3 * second)
        #expect(constants.agentCacheLimit == 100)
        #expect(constants.pirCacheEntries == 1000)
        #expect(constants.pirCacheTimeToLive == 4320 * 60 * second)
        #expect(constants.evaluationKeyLife == 10_080 * 60 * second)
        #expect(constants.evaluationKeyRenewBefore == 1440 * 60 * second)
        #expect(constants.prefilterFetchInterval == 86_400 * second)
        #expect(DeviceConstants.minimumPrefilterFetchInterval == 2700 * second)
        #expect(OSGeneration.iOS26.rules.maximumShards == 10_000)
        let tokens = OSGeneration.iOS26.rules.tokens
        #expect(tokens.onDemand == 4 && tokens.refillBelow == 5 && tokens.stock == 10)
        #expect(tokens.refillDelay == 5 * second && tokens.refillSpread == 60 * second)
        #expect(tokens.life == 86_400 * second)
    }

    @Test func anIdleMachineIsSmall() {
        #expect(MemoryLayout<VerdictMachine<UInt64>>.size <= 56)
    }

    @Test func aMissIsAllowedEvenWithoutAFilter() {
        var machine = machine(.failClosed)
        let outcome = machine.check([], request: 1, at: 0, filterIsReady: false)
        #expect(outcome == .decided(.allowedByPrefilter, .prefilter))
    }

    @Test(arguments: [(FailurePolicy.failOpen, Verdict.allowedByPolicy), (.failClosed, .blockedByPolicy)])
    func thePolicyDecidesWithoutAnAnswer(policy: FailurePolicy, expected: Verdict) throws {
        var machine = machine(policy)
        let notReady = machine.check(["a"], request: 1, at: 0, filterIsReady: false)
        #expect(notReady == .decided(expected, .policy))

        let (first, _, deadline) = try startLookup(["a"], request: 1, at: 5, &machine)
        #expect(deadline == 3 * second + 5)
        let failed = machine.fail(first, at: 10)
        #expect(failed.map(\.verdict) == [expected] && failed.map(\.request) == [1])
        #expect(machine.batchesInFlight == 0)

        let (retry, _, end) = try startLookup(["a"], request: 2, at: 20, &machine)
        let early = machine.timeOut(2, batch: retry, at: end - 1)
        let timedOut = machine.timeOut(2, batch: retry, at: end)
        let again = machine.timeOut(2, batch: retry, at: end)
        #expect(early == nil && timedOut == expected && again == nil)
    }

    @Test func oneListedStringBlocks() throws {
        var machine = machine()
        let outcome1 = try lookUp(["a", "b"], present: [false, true], &machine)
        #expect(outcome1 == .blockedByServer)
        let outcome2 = try lookUp(["c", "d"], present: [false, false], &machine)
        #expect(outcome2 == .allowedByServer)
        let blocked = machine.check(["b", "c"], request: 1, at: 1, filterIsReady: true)
        #expect(blocked == .decided(.blockedByServer, .agentCache))
        let allowed = machine.check(["d", "a"], request: 2, at: 1, filterIsReady: true)
        #expect(allowed == .decided(.allowedByServer, .agentCache))
    }

    @Test func aWrongNumberOfResultsIsAFailure() throws {
        var machine = machine(.failClosed)
        let (number, _, _) = try startLookup(["a", "b"], request: 1, at: 0, &machine)
        let outcome5 = machine.answer(number, present: [false], at: 1)
        #expect(outcome5.map(\.verdict) == [.blockedByPolicy])
        let (_, asked, _) = try startLookup(["a", "b"], request: 2, at: 2, &machine)
        #expect(asked == ["a", "b"])
    }

    @Test func identicalSetsInFlightShareOneLookup() throws {
        var machine = machine()
        let (number, _, _) = try startLookup(["a", "b"], request: 1, at: 0, &machine)
        let joined = machine.check(["b", "a"], request: 2, at: second, filterIsReady: true)
        #expect(joined == .joined(number, deadline: 4 * second))
        let (subset, _, _) = try startLookup(["a"], request: 3, at: second, &machine)
        #expect(subset != number && number != .none)

        // The first request times out; the answer is still good for the second and for the caches.
        let timedOut = machine.timeOut(1, batch: number, at: 3 * second)
        #expect(timedOut == .allowedByPolicy)
        let answers = machine.answer(number, present: [true, false], at: 3 * second + 1)
        #expect(answers.map(\.request) == [2] && answers.map(\.verdict) == [.blockedByServer])
        let cached = machine.check(["a"], request: 4, at: 4 * second, filterIsReady: true)
        #expect(cached == .decided(.blockedByServer, .agentCache))
    }

    @Test func aLateAnswerIsDroppedForTheRequestButCached() throws {
        var machine = machine(.failClosed)
        let (number, _, deadline) = try startLookup(["a"], request: 1, at: 0, &machine)
        // Even if the caller forgot the timer.
        let late = machine.answer(number, present: [false], at: deadline + 1)
        #expect(late.map(\.verdict) == [.blockedByPolicy])
        let cached = machine.check(["a"], request: 2, at: deadline + 2, filterIsReady: true)
        #expect(cached == .decided(.allowedByServer, .agentCache))
        let outcome6 = machine.answer(number, present: [true], at: deadline + 3)
        #expect(outcome6.isEmpty)
        let outcome7 = machine.fail(number, at: deadline + 3)
        #expect(outcome7.isEmpty)
    }

    @Test func theAgentCacheIsDroppedBeforeTheInsertThatFindsMoreThanAHundred() throws {
        var machine = machine { $0.pirCacheEntries = 0 }
        func isCached(_ key: String) -> Bool {
            var copy = machine
            if case .decided = copy.check([key], request: 0, at: 0, filterIsReady: true) { return true }
            return false
        }
        for index in 0..<101 { _ = try lookUp(["k\(index)"], present: [true], &machine) }
        #expect(isCached("k0") && isCached("k100"))
        _ = try lookUp(["new"], present: [true], &machine)
        #expect(!isCached("k0") && !isCached("k100") && isCached("new"))
    }

    @Test func thePIRCacheAnswersWhatTheAgentForgot() throws {
        var machine = machine { $0.agentCacheLimit = 0 }
        _ = try lookUp(["a"], present: [true], at: 100, &machine)
        _ = try lookUp(["b"], present: [false], at: 200, &machine)
        // With limit 0 the agent forgets a when b comes.
        let outcome = machine.check(["a"], request: 1, at: 300, filterIsReady: true)
        #expect(outcome == .decided(.blockedByServer, .pirCache))

        let (_, asked, _) = try startLookup(["c", "a", "d"], request: 2, at: 300, &machine)
        #expect(asked == ["c", "d"])
    }

    @Test func whatThePIRCacheKnowsCountsForTheBatch() throws {
        var machine = machine { $0.agentCacheLimit = 0 }
        _ = try lookUp(["a"], present: [true], &machine)
        _ = try lookUp(["b"], present: [false], &machine)
        let outcome3 = try lookUp(["a", "x"], present: [false], &machine)
        #expect(outcome3 == .blockedByServer)
        let outcome4 = try lookUp(["b", "y"], present: [false], &machine)
        #expect(outcome4 == .allowedByServer)
    }

    @Test func thePIRCacheForgetsAfterItsTimeAndWhenFull() throws {
        var machine = machine {
            $0.agentCacheLimit = -1
            $0.pirCacheEntries = 3
            $0.pirCacheTimeToLive = 100
        }
        func asks(_ key: String, at now: Nanoseconds) -> Bool {
            var copy = machine
            let outcome = copy.check([key, "other"], request: 0, at: now, filterIsReady: true)
            guard case .lookUp(_, let asked, _) = outcome else { return false }
            return asked.contains(key)
        }
        for (time, key) in [(0, "a"), (10, "b"), (20, "c")] {
            _ = try lookUp([key], present: [true], at: Nanoseconds(time), &machine)
        }
        #expect(!asks("a", at: 99) && asks("a", at: 100) && !asks("b", at: 100))
        _ = try lookUp(["d"], present: [true], at: 30, &machine)
        #expect(asks("a", at: 30) && !asks("b", at: 30) && !asks("d", at: 30))
    }

    @Test func clearedCachesAreEmptyButLookupsGoOn() throws {
        var machine = machine()
        _ = try lookUp(["a"], present: [true], &machine)
        let (number, _, _) = try startLookup(["b"], request: 1, at: 0, &machine)
        machine.clearCaches()
        _ = try startLookup(["a"], request: 2, at: 0, &machine)
        let outcome8 = machine.answer(number, present: [true], at: 1)
        #expect(outcome8.map(\.verdict) == [.blockedByServer])
        let cached = machine.check(["b"], request: 3, at: 2, filterIsReady: true)
        #expect(cached == .decided(.blockedByServer, .agentCache))
    }

    @Test func sourcesKnowWhetherTheyAreCaches() {
        #expect(DecisionSource.allCases.filter(\.isCache) == [.agentCache, .pirCache])
    }
}
