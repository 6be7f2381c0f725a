import Experiment
import Foundation
import Questions
import RandomStreams
import Scenarios
import Statistics
import Testing

/// The search for a capacity against trying every size.
@Suite struct CapacityTests {
    private static func objective(
        _ expression: String, observed: Double?, low: Double? = nil, high: Double? = nil,
        method: MetricResult.Method = .student
    ) throws -> ObjectiveResult {
        let objective = try Objective(expression)
        var found = try metric.get()
        found.method = method
        found.value = observed ?? 0
        found.interval?.low = low ?? 0
        found.interval?.high = high ?? 0
        if low == nil { found.interval = nil }
        return ObjectiveResult(
            objective, observed == nil ? nil : found, replications: 10, confidence: 0.95)
    }

    private static func trial(_ size: Int, _ objectives: [ObjectiveResult]) throws -> CapacityTrial {
        var point = try point.get()
        point.objectives = objectives
        return CapacityTrial(size: size, point: point)
    }

    /// Decoded once: a test makes many trials.
    private static let metric = Result {
        try JSONDecoder().decode(
            MetricResult.self,
            from: Data(
                """
                {"name": "m", "statistic": "s", "unit": "s", "better": "lower", "value": 0, "samples": 10,
                 "method": "Student's t",
                 "perReplication": [],
                 "interval": {"low": 0, "high": 0, "confidence": 0.95, "method": "m"}}
                """.utf8))
    }

    private static let point = Result {
        try JSONDecoder().decode(
            PointResult.self,
            from: Data(
                """
                {"settings": {}, "replications": 10, "fingerprints": [], "events": 0, "metrics": [],
                 "thinTails": [], "recoveries": [], "disclosures": [], "identities": [],
                 "analytic": [], "warnings": [], "objectives": [],
                 "counts": {"urlsChecked": 0, "urlsUnparseable": 0, "stringsTested": 0, "urlsHit": 0,
                   "urlsListed": 0, "verdicts": {}, "answeredByCache": 0, "policyCauses": {}, "leaked": 0,
                   "falselyBlocked": 0, "unfinished": 0, "lookupsSent": 0, "lookupsAnswered": 0,
                   "lookupsAnsweredLate": 0, "lookupsCoalesced": 0, "lookupFailures": {},
                   "lookupsUnfinished": 0, "realLookupsChecked": 0, "realLookupDisagreements": 0}}
                """.utf8))
    }

    private static let latency = "lookup.latency p99 < 800ms"

    @Test(
        "verdict of one objective",
        arguments: [
            (0.5, 0.4, 0.6, CapacityTrial.Verdict.passes),
            (0.9, 0.85, 0.95, .fails),
            // Ten replications, half width 0.1, distance 0.1: just as many are needed, so one more settles it.
            (0.7, 0.6, 0.8, .cannotTell(moreReplications: 1)),
            // Half the distance takes 33 replications: t.ppf(0.975, 32) / sqrt(33) of scipy.
            (0.75, 0.65, 0.85, .cannotTell(moreReplications: 23)),
            (0.85, 0.75, 0.95, .cannotTell(moreReplications: 23)),
            (0.8, 0.7, 0.9, .cannotTell(moreReplications: nil)),
        ])
    func verdicts(observed: Double, low: Double, high: Double, verdict: CapacityTrial.Verdict) throws {
        let trial = try Self.trial(
            1, [try Self.objective(Self.latency, observed: observed, low: low, high: high)])
        #expect(trial.verdict == verdict)
    }

    @Test func oneMissedObjectiveIsEnoughAndOneOpenOneTooMany() throws {
        let good = try Self.objective(Self.latency, observed: 0.5, low: 0.4, high: 0.6)
        let open = try Self.objective(Self.latency, observed: 0.75, low: 0.6, high: 0.9)
        let bad = try Self.objective(Self.latency, observed: 1, low: 0.9, high: 1.1)
        #expect(try Self.trial(1, [good, bad, open]).verdict == .fails)
        guard case .cannotTell = try Self.trial(1, [good, open]).verdict else {
            Issue.record("an open objective was called")
            return
        }
    }

    @Test func whatMustBeEqualIsJudgedByWhatWasSeen() throws {
        let bounded = try Self.objective("url.leaked count == 0", observed: 0, low: 0, high: 0.05)
        #expect(try Self.trial(1, [bounded]).verdict == .passes)
        let some = try Self.objective("url.leaked count == 0", observed: 2, low: 1, high: 3)
        #expect(try Self.trial(1, [some]).verdict == .fails)
    }

    @Test func replicationsThatAgreeAreSureFromSixOn() throws {
        let ten = try Self.objective(Self.latency, observed: 0.5, method: .noSpread)
        #expect(ten.verdict == .pass)
        let one = try Self.objective(Self.latency, observed: 0.5, method: .noInterval)
        #expect(one.verdict == .cannotTell && one.moreReplications == 1)
    }

    /// The bound of what was never seen falls as trials are added: 10 times as low takes 10 times as many.
    @Test func aBoundFallsWithTheReplications() throws {
        let bounded = try Self.objective(
            "url.leaked rate < 0.1%", observed: 0, low: 0, high: 0.01, method: .clopperPearson)
        #expect(bounded.verdict == .cannotTell && bounded.moreReplications == 90)
    }

    /// Loads below 500 devices bring too few lookups for a p99, which is no reason to look for smaller ones.
    @Test(arguments: [10, 400, 2000])
    func aLoadWithoutDataIsNeitherPassedNorFailed(guess: Int) async throws {
        func search(limit: Int) async throws -> CapacitySearch.Outcome {
            try await CapacitySearch(goal: .largest, bounds: 1...100_000, tolerance: 0.02).run(from: guess) {
                size in
                try size < 500
                    ? Self.trial(size, [Self.objective(Self.latency, observed: nil)])
                    : Self.sharp(size, passes: size <= limit)
            }
        }
        let found = try await search(limit: 1000)
        #expect(found.answer.map { (980...1000).contains($0) } == true && found.withoutData == nil)
        // Where everything fails that has data, no answer is claimed.
        let none = try await search(limit: 0)
        #expect(none.answer == nil && none.next.map { (500...510).contains($0) } == true)
        #expect(none.withoutData.map { $0 < 500 } == true)
    }

    @Test func fewerServersBringNoData() async throws {
        let search = CapacitySearch(goal: .smallest, bounds: 1...100, tolerance: 0.02)
        let outcome = try await search.run(from: 50) {
            try Self.trial($0, [Self.objective(Self.latency, observed: nil)])
        }
        #expect(outcome.answer == nil && outcome.trials.count == 1 && outcome.withoutData == 50)
    }

    /// Two thousand searches for a limit at 1000 devices, on replications with noise: how often a size that passes is
    /// called failed, or the other way round. Looking again and again is paid for.
    @Test func aVerdictIsWrongAtMostAsOftenAsStated() async throws {
        let looks = CapacityLooks(from: 4, to: 40, confidence: 0.95)
        #expect(looks.counts == [4, 8, 16, 32, 40] && abs(looks.confidence - 0.99) < 1e-12)
        let search = CapacitySearch(goal: .largest, bounds: 500...2000, tolerance: 0.02)
        var numbers = GaussianNumbers()
        var wrong = 0
        for _ in 0..<2_000 {
            let outcome = await search.run(from: 1000) { size -> CapacityTrial? in
                // 800 ms at 1000 devices, 0.2 ms more with each; a day differs by 20 ms.
                let truth = 0.8 + 0.0002 * Double(size - 1000)
                var samples: [Double] = []
                for count in looks.counts {
                    while samples.count < count { samples.append(truth + 0.02 * numbers.next()) }
                    let trial = try? Self.trial(size, samples: samples, confidence: looks.confidence)
                    if trial?.verdict == .passes || trial?.verdict == .fails { return trial }
                }
                return try? Self.trial(size, samples: samples, confidence: looks.confidence)
            }
            let isWrong = outcome.trials.contains { trial in
                trial.verdict == .passes && trial.size > 1000 || trial.verdict == .fails && trial.size < 1000
            }
            if isWrong { wrong += 1 }
        }
        #expect(wrong <= 100, "\(wrong) of 2000 searches held a wrong verdict")
    }

    /// Wilks: so many days without a miss show a share at 95 %.
    @Test(arguments: [(0.7, 9), (0.8, 14), (0.9, 29), (0.95, 59), (0.99, 299)])
    func aShareOfDaysTakesDays(share: Double, fewest: Int) throws {
        #expect(CapacityDays.fewest(share: share, confidence: 0.95) == fewest)
        #expect(CapacityDays(share: share, from: 4, to: fewest - 1, confidence: 0.95) == nil)
        let days = try #require(CapacityDays(share: share, from: 4, to: fewest, confidence: 0.95))
        #expect(days.counts.last == fewest && days.counts == days.counts.sorted())
        #expect(days.verdict(met: fewest, missed: 0, of: fewest) == .passes)
        #expect(days.verdict(met: fewest - 1, missed: 1, of: fewest) != .passes)
        // A day without data is neither.
        #expect(days.verdict(met: fewest - 1, missed: 0, of: fewest) == .cannotTell(moreReplications: nil))
        #expect(days.verdict(met: 0, missed: fewest, of: fewest) == .fails)
    }

    @Test func manyDaysAllowAMiss() throws {
        let days = try #require(CapacityDays(share: 0.9, from: 4, to: 100, confidence: 0.95))
        #expect(days.counts == [4, 8, 16, 32, 36, 100])
        #expect(days.verdict(met: 32, missed: 0, of: 32) == .cannotTell(moreReplications: nil))
        #expect(days.verdict(met: 36, missed: 0, of: 36) == .passes)
        // scipy.stats.binom.cdf(4, 100, 0.1) = 0.0237, cdf(5, 100, 0.1) = 0.0576
        #expect(days.verdict(met: 96, missed: 4, of: 100) == .passes)
        #expect(days.verdict(met: 95, missed: 5, of: 100) == .cannotTell(moreReplications: nil))
    }

    /// Two thousand searches where 90 % of days meet the limit at 1000 devices, and skewed days: how often a size is
    /// called passed at which fewer do, or failed at which more do.
    @Test func aVerdictOnDaysIsWrongAtMostAsOftenAsStated() async throws {
        let criterion = try #require(CapacityDays(share: 0.9, from: 4, to: 80, confidence: 0.95))
        let search = CapacitySearch(goal: .largest, bounds: 500...2000, tolerance: 0.02)
        var uniform = SplitMix64(7)
        var wrong = 0
        for _ in 0..<2_000 {
            let outcome = await search.run(from: 1000) { size -> CapacityTrial? in
                // An exponential day of mean 1 has a share of 1 - e^-x below x: 90 % below ln 10.
                let limit = 2.302585 * (1 + (1000 - Double(size)) / 400)
                let share = 1 - exp(-max(limit, 0))
                var (met, days) = (0, 0)
                for count in criterion.counts {
                    while days < count {
                        (met, days) = (met + (uniform.uniform() < share ? 1 : 0), days + 1)
                    }
                    let verdict = criterion.verdict(met: met, missed: days - met, of: days)
                    guard verdict == .cannotTell(moreReplications: nil), count != criterion.counts.last else {
                        var trial = try? Self.trial(size, [])
                        trial?.verdict = verdict
                        return trial
                    }
                }
                return nil
            }
            let isWrong = outcome.trials.contains { trial in
                trial.verdict == .passes && trial.size > 1000 || trial.verdict == .fails && trial.size < 1000
            }
            if isWrong { wrong += 1 }
        }
        #expect(wrong <= 100, "\(wrong) of 2000 searches held a wrong verdict")
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
        #expect(outcome.isInterrupted)
        let whole = try await search.run(from: 100) { try Self.sharp($0, passes: $0 <= 120) }
        #expect(!whole.isInterrupted)
    }

    private static func sharp(_ size: Int, passes: Bool) throws -> CapacityTrial {
        let value = passes ? 0.5 : 0.9
        return try trial(size, [objective(latency, observed: value, low: value - 0.01, high: value + 0.01)])
    }

    private static func trial(_ size: Int, samples: [Double], confidence: Double) throws -> CapacityTrial? {
        guard let mean = MeanEstimate(replicationMeans: samples, confidence: confidence) else { return nil }
        return try trial(
            size,
            [
                objective(
                    latency, observed: mean.mean, low: mean.bounds.lowerBound, high: mean.bounds.upperBound)
            ])
    }

    @Test(
        "what can be varied",
        arguments: [
            ("devices", true), ("devices[a].count", true), ("services.pir.cores", true),
            ("services.regions[a].pir.cores", true), ("services.areas[a].pir.cores", false),
            ("services.gateway.instances", true), ("services.relay.cores", false), ("devices.count", false),
            ("filter.bitCount", false), ("", false), ("mechanisms.httpProxy.instances", true),
            ("mechanisms.relay.cores", true), ("mechanisms.relay.hops", false),
            ("mechanisms.nothing.cores", false), ("mechanisms.httpProxy.own.cores", false),
        ])
    func subjects(path: String, isKnown: Bool) {
        #expect((CapacitySubject(path: path) != nil) == isKnown)
    }

    @Test(arguments: ["services.pir.cores", "services.issuer.instances"])
    func theLargestSizeIsTheLastThatAScenarioTakes(path: String) throws {
        let largest = try #require(CapacitySubject(path: path)).largestSize
        _ = try resolve(minimal, "\(path)=\(largest)")
        #expect(throws: ScenarioError.self) { try resolve(minimal, "\(path)=\(largest + 1)") }
    }

    @Test func serversOfAMechanism() throws {
        func size(_ path: String, _ settings: String...) throws -> Int {
            var file = try ScenarioFile(text: Data(minimal.utf8), path: "s.yaml", folder: ".")
            for setting in settings { file = try file.setting(setting) }
            return try #require(CapacitySubject(path: path)).size(in: ScenarioResolver.resolve(file))
        }
        let path = "mechanisms.httpProxy.instances"
        #expect(CapacitySubject(path: path)?.goal == .smallest)
        // A search begins at one where the load says how many there are.
        #expect(try size(path, "architecture=httpProxy") == 1)
        #expect(try size(path, "architecture=httpProxy", "\(path)=7") == 7)
        let cores = "mechanisms.httpProxy.cores"
        #expect(try size(cores, "architecture=httpProxy", "\(path)=7", "\(cores)=16") == 16)
        #expect(try size(cores, "architecture=httpProxy", "\(path)=7") == 2)
        #expect(throws: CapacityError.instancesFollow(cores, .httpProxy)) {
            try size(cores, "architecture=httpProxy")
        }
        #expect(throws: CapacityError.otherArchitecture(path, of: .httpProxy, .urlFilter)) { try size(path) }
        #expect(throws: CapacityError.noQueue("mechanisms.wholeList.instances", .wholeList)) {
            try size("mechanisms.wholeList.instances", "architecture=wholeList")
        }
        let error = CapacityError.noQueue("mechanisms.hashPrefix.instances", .hashPrefix)
        #expect(throws: error) { try size("mechanisms.hashPrefix.instances", "architecture=hashPrefix") }
        #expect("\(error)".contains("services.gateway.instances"))
        let largest = try #require(CapacitySubject(path: path)).largestSize
        _ = try size(path, "architecture=httpProxy", "\(path)=\(largest)")
        #expect(throws: ScenarioError.self) {
            try size(path, "architecture=httpProxy", "\(path)=\(largest + 1)")
        }
    }

    @Test func serversOfOneRegionOrOfAll() throws {
        let scenario = try resolve(
            """
            duration: 1min
            blocklist: { file: list.txt }
            devices: [{ name: a, count: 3, continent: EU, browsing: { profile: adult } }]
            services:
              pir: { instances: 2, cores: 4 }
              regions: [{ name: x, continent: EU, pir: { cores: 8 } }, { name: y, continent: NA }]
            """)
        func size(_ path: String) throws -> Int {
            try #require(CapacitySubject(path: path)).size(in: scenario)
        }
        #expect(try size("services.pir.instances") == 2)
        #expect(try size("services.regions[x].pir.cores") == 8)
        #expect(try size("services.regions[y].pir.cores") == 4)
        // Region x keeps its eight, whatever the others get.
        #expect(
            throws: CapacityError.regionOfItsOwn("services.pir.cores", own: "services.regions[x].pir.cores")
        ) {
            try size("services.pir.cores")
        }
        #expect(throws: CapacityError.unknownRegion("z", known: ["x", "y"])) {
            try size("services.regions[z].pir.cores")
        }
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

/// Normal numbers by chance, always the same: sums of twelve uniform ones.
private struct GaussianNumbers {
    private var uniform = SplitMix64(3)

    mutating func next() -> Double {
        (0..<12).reduce(-6.0) { sum, _ in sum + uniform.uniform() }
    }
}
