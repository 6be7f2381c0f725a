import EventSimulation
import Experiment
import FleetModel
import Foundation
import Questions
import RandomStreams
import Scenarios
import TestSupport
import Testing
import URLFilter
import Workload

/// Seven faults in a scenario, open beside closed: when, what, and which to take.
@Suite struct FaultStudyTests {
    private static let prices = "prices: { preset: small-hoster, brokenPage: 0.1, exposedVisit: 0.5 }"

    private static func pair(_ fault: StudiedFault, _ small: SmallScenario) async throws
        -> StudyComparison.Pair
    {
        let file = try ScenarioFile(path: small.folder.path + "/scenario.yaml")
            .setting("devices[pupils].browsing.spread=0s")
        let happening = try fault.happening(FaultTime(localHour: nil, begin: 0), in: file)
        func run(_ isClosed: Bool) async throws -> RunResult {
            let side = try happening.setting("filter.shouldFailClosed=\(isClosed)")
            var options = Preparation.Options()
            options.profile = small.folder.path + "/profile.json"
            let preparation = try Preparation.prepare(try ScenarioResolver.resolve(side), options: options) {
                _ in
            }
            return try await Runner.run(preparation, threads: 2).result
        }
        return .init(name: fault.name, baseline: try await run(false), candidate: try await run(true))
    }

    /// Two devices for each of three clients load 300 URLs, of which 60 are listed; every URL hits a prefilter of one
    /// byte that is full. No lookup is answered for the whole minute: open lets the 60 through, closed breaks the other
    /// 240 loads.
    @Test func anOutageOfTheWholeTraceBreaksWhatTheTraceHas() async throws {
        let small = try SmallScenario.calibrated(
            """
            replications: { min: 3, max: 3 }
            replicate: none
            history: 0s
            filter: { bitCount: 8, hashCount: 1 }
            \(Self.prices)
            """)
        let pair = try await Self.pair(.pirOutage, small)
        let scenario = try small.scenario()
        let decision = try #require(
            FaultDecision(
                [pair], place: .school, time: FaultTime(localHour: nil, begin: 0), prices: scenario.prices,
                confidence: 0.95))
        let row = try #require(decision.rows.first)
        #expect(row.leaked.value == 60 && row.broken.value == 240 && row.pagesPerURL == 4)
        let money = try #require(row.money)
        #expect(abs(money.open - 60 * 0.5) < 1e-9 && abs(money.closed - 240 * 0.1) < 1e-9)
        #expect(money.choice == .closed && money.regret == 0 && decision.whole.money?.choice == .closed)
        // At the threshold that the row names the choice turns.
        var dear = scenario.prices
        dear.brokenPage = 0.5 / 4 * 1.01
        let other = FaultDecision(
            [pair], place: .school, time: decision.time, prices: dear, confidence: 0.95)
        #expect(other?.whole.money?.choice == .open)
    }

    /// A result with these harms in its replications.
    private static func result(_ preparation: Preparation, leaked: [Int], broken: [Int]) -> RunResult {
        let records = zip(leaked, broken).enumerated().map { index, counts in
            var record = ReplicationRecord(
                replication: UInt32(index), observedSeconds: 60, seriesInterval: .seconds(60))
            record.urls.leaked = counts.0
            record.urls.policyLeaks = [.timeout: counts.0]
            record.breaks = [.late: counts.1]
            return record
        }
        return ResultBuilder(preparation, warmUp: preparation.givenWarmUp, records: records)
            .result(finished: true)
    }

    /// Two faults by hand: sums are of the same replication, and intervals Student's over the pairs.
    @Test func theWholeIsTheSumReplicationByReplication() throws {
        let small = try SmallScenario.calibrated("replications: { min: 3, max: 3 }\n\(Self.prices)")
        let preparation = try small.prepare()
        let scenario = try small.scenario()
        let none = Self.result(preparation, leaked: [0, 0, 0], broken: [0, 0, 0])
        let pairs = [
            StudyComparison.Pair(
                name: "a", baseline: Self.result(preparation, leaked: [10, 20, 30], broken: [0, 0, 0]),
                candidate: Self.result(preparation, leaked: [0, 0, 0], broken: [40, 20, 60])),
            StudyComparison.Pair(
                name: "b", baseline: none,
                candidate: Self.result(preparation, leaked: [0, 0, 0], broken: [5, 5, 5])),
        ]
        let decision = try #require(
            FaultDecision(
                pairs, place: .home, time: FaultTime(localHour: 20, begin: 0), prices: scenario.prices,
                confidence: 0.95))
        // Half a euro for a visit, a tenth for a page: 5 - 4, 10 - 2, 15 - 6; then half a euro less each.
        let differences = [1.0, 8, 9].map { $0 - 0.5 }
        let mean = differences.reduce(0, +) / 3
        let deviation = (differences.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / 2).squareRoot()
        // scipy.stats.t.ppf(0.975, 2)
        let halfWidth = 4.302652729911275 * deviation / 3.0.squareRoot()
        let money = try #require(decision.whole.money)
        #expect(abs(money.difference.value - mean) < 1e-12)
        #expect(abs(money.difference.low - (mean - halfWidth)) < 1e-9)
        #expect(money.choice == .closed && !money.difference.isSure)
        #expect(abs(money.regret - (halfWidth - mean)) < 1e-9)
        #expect(abs((decision.whole.pagesPerURL ?? 0) - 135.0 / 60) < 1e-12)
        // b costs nothing open: closed is regretted there, and open in a.
        #expect(decision.rows[1].money?.choice == .open && decision.rows[1].money?.regret == 0)
        #expect(decision.worst(.closed)?.name == "b" && decision.worst(.open)?.name == "a")
        #expect(abs((decision.worst(.closed)?.money ?? 0) - 0.5) < 1e-12)
        #expect(abs((decision.worst(.open)?.money ?? 0) - 6) < 1e-12)
    }

    @Test func withoutWeightsTheMissingOnesAreNamed() throws {
        let small = try SmallScenario.calibrated(
            "replications: { min: 2, max: 2 }\nprices: { preset: small-hoster, brokenPage: 0 }")
        let preparation = try small.prepare()
        let harm = Self.result(preparation, leaked: [4, 4], broken: [0, 0])
        let other = Self.result(preparation, leaked: [0, 0], broken: [6, 6])
        let pair = StudyComparison.Pair(name: "a", baseline: harm, candidate: other)
        let decision = try #require(
            FaultDecision(
                [pair], place: .office, time: FaultTime(localHour: 14, begin: 0),
                prices: try small.scenario().prices, confidence: 0.95))
        // 0 is an answer, too.
        #expect(decision.missing == ["prices.exposedVisit"] && decision.whole.money == nil)
        #expect(decision.whole.pagesPerURL == 1.5)
        #expect(
            FaultDecision(
                [], place: .office, time: decision.time, prices: try small.scenario().prices, confidence: 0.95
            )
                == nil)
    }

    private static let people = """
        name: people
        blocklist: { file: list.txt }
        duration: 24h
        devices:
          - { name: pupils, count: 90, browsing: { profile: school-day, timeZoneHours: 14 } }
          - { name: staff, count: 10, browsing: { profile: office, timeZoneHours: 13 } }
        services: { pir: { instances: 3 } }
        """

    /// The clock begins at 14 h where most devices are: 10 h comes 20 hours later.
    @Test func aPlaceHasItsHour() throws {
        let scenario = try resolve(Self.people)
        for (place, local, hours) in [(FaultPlace.school, 10.0, 20.0), (.home, 20, 6), (.office, 14, 0)] {
            let time = try #require(place.beginning(in: scenario))
            #expect(time == FaultTime(localHour: local, begin: hours * 3_600), "\(place)")
        }
        // The one in which most visits are, by every hour of the clock.
        let vendor = try #require(FaultPlace.vendor.beginning(in: scenario))
        func visits(_ hour: Int) -> Double {
            scenario.devices.reduce(0) { sum, group in
                guard case .profile(let profile) = group.browsing else { return sum }
                let local = (hour + profile.timeZoneOffsetSeconds / 3_600) % 24
                let weight = profile.hourWeights[local] / profile.hourWeights.reduce(0, +)
                return sum + Double(group.count) * profile.visitsPerActiveDay.mean * profile.activeDayShare
                    * weight
            }
        }
        let most = (0..<24).map(visits).max() ?? 0
        #expect(visits(Int(vendor.begin / 3_600)) == most)
        let traced = try SmallScenario.calibrated().scenario()
        for place in FaultPlace.allCases { #expect(place.beginning(in: traced) == nil) }
    }

    /// The article's table is the declaration.
    @Test(arguments: StudiedFault.allCases)
    func theArticleHasTheSizes(fault: StudiedFault) throws {
        let article = SourceTree.root.appendingPathComponent(
            "Sources/Programs/urlfilter/Documentation.docc/Planning.md")
        let text = try String(contentsOf: article, encoding: .utf8)
        #expect(text.contains("\n| \(fault.name) | \(fault.words) |\n"))
    }

    /// Each fault resolves, begins when it should, and leaves time for what follows.
    @Test(arguments: StudiedFault.allCases)
    func aFaultHappensInTheScenario(fault: StudiedFault) throws {
        let file = try ScenarioFile(text: Data(Self.people.utf8), path: "s.yaml", folder: "/folder")
        let time = FaultTime(localHour: 10, begin: 72_000)
        let scenario = try ScenarioResolver.resolve(try fault.happening(time, in: file))
        #expect(!scenario.faults.isEmpty && scenario.name == fault.name && scenario.objectives.isEmpty)
        #expect(scenario.warmUp == .fixed(.seconds(72_000)))
        let wait = fault == .restart ? scenario.behaviour.configurationRefetch.seconds : 0
        #expect(scenario.duration?.seconds == 72_000 + fault.length + wait + 3_600)
        #expect(scenario.devices.reduce(0) { $0 + $1.count } == 100)
        for found in scenario.faults where fault != .sizeCap { #expect(found.begin == .seconds(72_000)) }
        for found in scenario.faults where fault != .restart {
            #expect(found.end == .seconds(72_000 + fault.length), "\(found)")
        }
        if fault == .captivePortal {
            let behind = scenario.faults.compactMap { fault -> String? in
                guard case .captivePortal(let group) = fault.kind else { return nil }
                return group
            }
            let devices = scenario.devices.filter { behind.contains($0.name) }.reduce(0) { $0 + $1.count }
            #expect(behind.count == 2 && devices == 30 + 4)
        }
        if fault == .tooFewServers {
            let lost = scenario.faults.contains { fault in
                if case .instanceLoss(_, instances: 2) = fault.kind { return true }
                return false
            }
            #expect(lost)
        }
    }
}
