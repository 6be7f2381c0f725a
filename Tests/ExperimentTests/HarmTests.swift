import EventSimulation
import Experiment
import FleetModel
import Foundation
import RunMetrics
import Testing
import URLFilter

/// Harms by cause, and what a remedy says of itself against a run that takes it.
struct HarmTests {
    private static let outage = "faults=[{ kind: outage, service: pir, at: 5s, for: 40s }]"

    /// A prefilter that half of all URLs hit, so that many wait for an answer.
    private func run(failsClosed: Bool) async throws -> PointResult {
        let small = try SmallScenario.calibrated()
        let preparation = try small.prepare(
            Self.outage, "filter.falsePositiveTolerance=0.5", "filter.shouldFailClosed=\(failsClosed)")
        let result = try await Runner.run(preparation, threads: 1).result
        #expect(!result.hasBug)
        return try #require(result.points.first)
    }

    @Test(arguments: [false, true])
    func causesAddUp(failsClosed: Bool) async throws {
        let point = try await run(failsClosed: failsClosed)
        let harms = try #require(point.harms)
        #expect(harms.contains { $0.harm == (failsClosed ? .falselyBlocked : .leaked) })
        for harm in harms {
            let total = try #require(point[harm.harm.metric])
            #expect(abs(harm.causes.reduce(0) { $0 + $1.count } - total.value) < 1e-9 * total.value)
            #expect(abs(harm.causes.reduce(0) { $0 + $1.share } - 1) < 1e-9)
            #expect(harm.causes.map(\.count) == harm.causes.map(\.count).sorted(by: >))
        }
        // Nothing else goes wrong here than that answers are missing, and the devices give up waiting for them.
        let causes = Set(harms.flatMap(\.causes).map(\.cause))
        #expect(causes.isSubset(of: [.undecided, .late]))
    }

    /// The same requests meet the same outage in both modes: what one lets through the other blocks.
    @Test func theOtherFailModeDoesWhatItsRemedySays() async throws {
        let (open, closed) = (try await run(failsClosed: false), try await run(failsClosed: true))
        for (one, other, harm, cost) in [
            (open, closed, Harm.leaked, HarmRemedy.Cost.wrongBlocks),
            (closed, open, .falselyBlocked, .leaks),
        ] {
            let causes = try #require(one.harms?.first { $0.harm == harm }).causes
            let remedies = causes.compactMap(\.remedy)
            #expect(
                remedies.count == causes.count && remedies.allSatisfy { $0.cost == cost && $0.leaves == 0 })
            let expected = try #require(other[harm == .leaked ? .falselyBlocked : .leaked]?.rate).value
            #expect(expected > 0)
            #expect(abs(remedies.reduce(0) { $0 + $1.amount } - expected) < 1e-9 * expected)
        }
    }

    private func record(_ change: (inout ReplicationRecord) -> Void) -> ReplicationRecord {
        var record = ReplicationRecord(
            replication: 0, observedSeconds: 86_400, seriesInterval: .seconds(60))
        change(&record)
        return record
    }

    /// Over the day of an edition a device that fetches every F is without it for F / 2 in the mean.
    @Test func fetchingOftenLeavesAThirtySecondOfADay() throws {
        let result = try buildResult(
            [
                record {
                    $0.urls.leaked = 96
                    $0.urls.listed = 96
                    $0.urls.stale = 96
                }
            ], "duration=24h",
            "updates={ every: 24h, churn: category, changesConfiguration: false, appRestart: 0s }",
            "filter.prefilterFetchInterval=24h")
        let cause = try #require(result.points[0].harms?.first?.causes.first)
        #expect(cause.cause == .stale && cause.share == 1 && cause.count == 96)
        #expect(cause.setting == "filter.prefilterFetchInterval")
        let remedy = try #require(cause.remedy)
        #expect(remedy.value == "45min" && remedy.cost == .downloads && remedy.amount == 32)
        // Six devices: 96 of them are 16 000 of a thousand.
        #expect(abs(try #require(cause.perThousandDeviceDays) - 16_000) < 1e-6)
        #expect(abs(remedy.leaves - 500) < 0.5)
    }

    @Test func aHarmWithoutACauseIsABug() throws {
        let result = try buildResult([record { $0.urls.leaked = 1 }])
        #expect(result.hasBug)
        #expect(result.points[0].warnings.contains { $0.code == .harmsNotConserved })
    }

    /// Two URLs let through by an old list, one without an answer: the causes of one harm, as a hand counts them.
    @Test func causesOfSeveralRecordsAreSummed() throws {
        let records = [
            record {
                $0.urls.leaked = 3
                $0.urls.stale = 2
                $0.urls.policyLeaks = [.timeout: 1]
            },
            record {
                $0.urls.leaked = 2
                $0.urls.policyLeaks = [.keyMissing: 2]
                $0.breaks = [.late: 4]
            },
        ]
        let harms = try #require(try buildResult(records).points[0].harms)
        let leaked = try #require(harms.first { $0.harm == .leaked })
        // Two of five each by the old list and without a key; equal numbers stand in the order of their names.
        #expect(leaked.causes.map(\.cause) == [.stale, .undecided, .undecided])
        #expect(leaked.causes.map(\.failure) == [nil, .keyMissing, .timeout])
        #expect(leaked.causes.map(\.share) == [0.4, 0.4, 0.2])
        #expect(harms.first { $0.harm == .brokenPages }?.causes.map(\.cause) == [.late])
        #expect(!harms.contains { $0.harm == .falselyBlocked })
    }
}
