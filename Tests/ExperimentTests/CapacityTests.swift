import Experiment
import Foundation
import Testing

/// The search for a capacity against trying every size.
@Suite struct CapacityTests {
    private static func objective(
        _ expression: String, limit: Double, observed: Double?, low: Double? = nil, high: Double? = nil
    ) throws -> String {
        let interval = low.flatMap { low in
            high.map { #","interval": {"low": \#(low), "high": \#($0), "confidence": 0.95, "method": "m"}"# }
        }
        let passed = try observed.map { try Objective(expression).relation.holds($0, limit) } ?? true
        return """
            {"expression": "\(expression)", "metric": "m", "statistic": "s", "unit": "s", "limit": \(limit),
             "passed": \(passed)\(observed.map { ",\"observed\": \($0)" } ?? "")\(interval ?? "")}
            """
    }

    private static func trial(_ size: Int, _ objectives: [String], replications: Int = 10) throws
        -> CapacityTrial
    {
        let point = try JSONDecoder().decode(
            PointResult.self,
            from: Data(
                """
                {"settings": {}, "replications": \(replications), "fingerprints": [], "events": 0, "metrics": [],
                 "analytic": [], "warnings": [], "objectives": [\(objectives.joined(separator: ","))],
                 "counts": {"urlsChecked": 0, "urlsUnparseable": 0, "stringsTested": 0, "urlsHit": 0,
                   "urlsListed": 0, "verdicts": {}, "answeredByCache": 0, "policyCauses": {}, "leaked": 0,
                   "falselyBlocked": 0, "unfinished": 0, "lookupsSent": 0, "lookupsAnswered": 0,
                   "lookupsAnsweredLate": 0, "lookupsCoalesced": 0, "lookupFailures": {},
                   "lookupsUnfinished": 0, "realLookupsChecked": 0, "realLookupDisagreements": 0}}
                """.utf8))
        return CapacityTrial(size: size, point: point)
    }

    private static let latency = "lookup.latency p99 < 800ms"

    @Test(
        "verdict of one objective",
        arguments: [
            (0.5, 0.4, 0.6, CapacityTrial.Verdict.passes),
            (0.9, 0.85, 0.95, .fails),
            // Ten replications, half width 0.1, distance 0.1: just as many are needed, so one more settles it.
            (0.7, 0.6, 0.8, .cannotTell(moreReplications: 1)),
            // Half the distance: four times as many.
            (0.75, 0.65, 0.85, .cannotTell(moreReplications: 30)),
            (0.85, 0.75, 0.95, .cannotTell(moreReplications: 30)),
            (0.8, 0.7, 0.9, .cannotTell(moreReplications: 999_999_990)),
        ])
    func verdicts(observed: Double, low: Double, high: Double, verdict: CapacityTrial.Verdict) throws {
        let trial = try Self.trial(
            1, [try Self.objective(Self.latency, limit: 0.8, observed: observed, low: low, high: high)])
        switch (trial.verdict, verdict) {
        case (.cannotTell(let found), .cannotTell(let expected)): #expect(abs(found - expected) <= 1)
        default: #expect(trial.verdict == verdict)
        }
    }

    @Test func oneMissedObjectiveIsEnoughAndOneOpenOneTooMany() throws {
        let good = try Self.objective(Self.latency, limit: 0.8, observed: 0.5, low: 0.4, high: 0.6)
        let open = try Self.objective(Self.latency, limit: 0.8, observed: 0.75, low: 0.6, high: 0.9)
        let bad = try Self.objective(Self.latency, limit: 0.8, observed: 1, low: 0.9, high: 1.1)
        #expect(try Self.trial(1, [good, bad, open]).verdict == .fails)
        guard case .cannotTell = try Self.trial(1, [good, open]).verdict else {
            Issue.record("an open objective was called")
            return
        }
    }

    @Test func whatNeverHappenedPasses() throws {
        let none = try Self.objective("url.leaked count == 0", limit: 0, observed: 0, low: 0, high: 0)
        let bounded = try Self.objective("url.leaked count == 0", limit: 0, observed: 0, low: 0, high: 0.05)
        #expect(try Self.trial(1, [bounded]).verdict == .passes)
        let noSample = try Self.objective(Self.latency, limit: 0.8, observed: nil)
        #expect(try Self.trial(1, [none, noSample]).verdict == .passes)
        let some = try Self.objective("url.leaked count == 0", limit: 0, observed: 2, low: 1, high: 3)
        #expect(try Self.trial(1, [some]).verdict == .fails)
    }

    /// A size passes up to the limit; found from any first guess, within the tolerance, with few trials.
    @Test(arguments: [1, 2, 7, 100, 9_999, 123_456], [1, 50, 1000, 1_000_000])
    func theLargestFleetIsFound(limit: Int, guess: Int) async throws {
        let search = CapacitySearch(goal: .largest, bounds: 1...1_000_000, tolerance: 0.02)
        let outcome = try await search.run(from: guess) { try Self.sharp($0, passes: $0 <= limit) }
        let answer = try #require(outcome.answer)
        #expect(answer <= limit && Double(answer) >= Double(limit) / 1.021 - 1, "\(answer)")
        #expect(outcome.next.map { $0 > limit } ?? false && outcome.trials.count <= 45)
    }

    @Test(arguments: [1, 2, 5, 64], [1, 3, 200])
    func theFewestServersAreFound(needed: Int, guess: Int) async throws {
        let search = CapacitySearch(goal: .smallest, bounds: 1...1000, tolerance: 0.0001)
        let outcome = try await search.run(from: guess) { try Self.sharp($0, passes: $0 >= needed) }
        #expect(outcome.answer == needed && outcome.next == (needed > 1 ? needed - 1 : nil))
    }

    @Test func nothingWithinTheBoundsIsSaid() async throws {
        let search = CapacitySearch(goal: .largest, bounds: 10...100, tolerance: 0.05)
        let none = try await search.run(from: 50) { try Self.sharp($0, passes: false) }
        #expect(none.answer == nil && none.next == 10)
        let all = try await search.run(from: 50) { try Self.sharp($0, passes: true) }
        #expect(all.answer == 100 && all.next == nil)
    }

    @Test func anInterruptedSearchKeepsWhatItKnows() async throws {
        let search = CapacitySearch(goal: .largest, bounds: 1...1000, tolerance: 0.01)
        var tried = 0
        let outcome = try await search.run(from: 100) { size -> CapacityTrial? in
            tried += 1
            return tried > 2 ? nil : try Self.sharp(size, passes: size <= 120)
        }
        #expect(outcome.trials.count == 2 && outcome.answer == 100 && outcome.next == 150)
    }

    private static func sharp(_ size: Int, passes: Bool) throws -> CapacityTrial {
        let value = passes ? 0.5 : 0.9
        return try trial(
            size, [try objective(latency, limit: 0.8, observed: value, low: value - 0.01, high: value + 0.01)]
        )
    }

    @Test(
        "what can be varied",
        arguments: [
            ("devices", true), ("devices[a].count", true), ("services.pir.cores", true),
            ("services.gateway.instances", true), ("services.relay.cores", false), ("devices.count", false),
            ("filter.bitCount", false), ("", false),
        ])
    func subjects(path: String, isKnown: Bool) {
        #expect((CapacitySubject(path: path) != nil) == isKnown)
    }

    @Test func allGroupsGrowInProportion() throws {
        let scenario = try resolve(
            """
            duration: 1min
            blocklist: { file: list.txt }
            devices: [{ name: a, count: 300, browsing: { profile: adult } },
                      { name: b, count: 100, browsing: { profile: office } }]
            """)
        let subject = try #require(CapacitySubject(path: "devices"))
        #expect(try subject.size(in: scenario) == 400)
        #expect(
            subject.assignments(size: 1000, base: scenario) == [
                "devices[a].count=750", "devices[b].count=250",
            ])
        #expect(subject.assignments(size: 1, base: scenario) == ["devices[a].count=1", "devices[b].count=1"])
        let group = try #require(CapacitySubject(path: "devices[c].count"))
        #expect(throws: CapacityError.unknownGroup("c", known: ["a", "b"])) { try group.size(in: scenario) }
    }
}
