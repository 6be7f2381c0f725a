import EventSimulation
import Experiment
import FleetModel
import Foundation
import Scenarios
import Testing

/// What a result says about faults, and about laws that a run broke.
@Suite struct FaultResultTests {
    private func record(_ number: UInt32, _ change: (inout ReplicationRecord) -> Void = { _ in })
        -> ReplicationRecord
    {
        var record = ReplicationRecord(
            replication: number, observedSeconds: 60, seriesInterval: .seconds(60))
        change(&record)
        return record
    }

    @Test func aBrokenLawIsABugThatNamesTheResource() throws {
        let laws: [IdentityCheck.Identity] = [.conservation, .littlesLaw, .utilization]
        for law in laws {
            let result = try buildResult([
                record(0) {
                    $0.resourceChecks = [.init(resource: "pir", check: .init(law, expected: 5, observed: 5))]
                },
                record(1) {
                    $0.resourceChecks = [
                        .init(resource: "issuer", check: .init(law, expected: 5, observed: 5)),
                        .init(resource: "gateway", check: .init(law, expected: 5, observed: 7)),
                    ]
                },
            ])
            #expect(result.hasBug)
            let warning = try #require(result.points[0].warnings.first)
            #expect(warning.code == .resourcesNotConserved)
            #expect(warning.message.hasPrefix("replication 1, gateway: "))
            #expect(warning.message.hasSuffix("difference 2; this is a bug of the simulator"))
            let identities = result.points[0].identities
            #expect(identities.reduce(0) { $0 + $1.violations } == 1)
            #expect(identities.contains { $0.checks == 3 && $0.violations == 1 })
        }
    }

    @Test func aRealRunChecksEveryResourceAndHoldsAllLaws() async throws {
        let small = try SmallScenario.calibrated()
        // Without a past, so that the issuer has something to do in the few minutes of the run.
        let preparation = try small.prepare("history=0s")
        let outcome = try await Runner.run(preparation, threads: 1)
        let (records, result) = (outcome.records, outcome.result)
        #expect(!result.hasBug)
        let identities = result.points[0].identities
        for name in ["conservation by resource", "Little's law by resource", "utilization law by resource"] {
            #expect(identities.contains { $0.name == name && $0.checks >= 3 * records.count })
        }
        let metric = result.points[0].metrics.first { $0.name == "pir.utilization" && $0.statistic == "max" }
        let mean = result.points[0].metrics.first { $0.name == "pir.utilization" && $0.statistic == "mean" }
        #expect(try #require(metric).value >= #require(mean).value)
    }

    private static let faults =
        "faults=[{ kind: restart, service: pir, at: 10s }, { kind: instanceLoss, service: pir, instances: 1, at: 20s, for: 5s }]"

    @Test func recoveriesAreMeansAndCensoredOnesAreCounted() throws {
        let seconds: [(Double, Bool)] = [(10, false), (12, false), (17, true)]
        let result = try buildResult(
            seconds.enumerated().map { index, value in
                record(UInt32(index)) {
                    $0.recoveries = [
                        FaultRecovery(seconds: value.0, isCensored: value.1),
                        FaultRecovery(seconds: 1, isCensored: false),
                    ]
                }
            }, Self.faults)
        let recoveries = result.points[0].recoveries
        #expect(recoveries.map(\.fault) == ["restart of pir", "pir without 1 instances"])
        #expect(recoveries.map(\.begin) == [10, 20] && recoveries.map(\.end) == [10, 25])
        #expect(recoveries[0].value == 13 && recoveries[0].censored == 1)
        // As in ResultBuilderTests: scipy's Student interval for 10, 12 and 17.
        #expect(abs(try #require(recoveries[0].interval).low - 4.043314104970403) < 1e-9)
        #expect(recoveries[1].censored == 0 && recoveries[1].value == 1)
        #expect(result.points[0].warnings.contains { $0.code == .recoveryCensored })
        let metric = try #require(result.points[0].metrics.first { $0.name == "fleet.recovery" })
        #expect(metric.perReplication == [10, 12, 17])
    }

    @Test func healthAndInstanceLossAreSettings() throws {
        let scenario = try resolve(
            minimal + "health: { window: 2min, failureShare: 1% }\n"
                + "faults: [{ kind: instanceLoss, service: gateway, instances: 3, at: 1min, for: 5s }]\n")
        #expect(scenario.health == HealthRule(window: .minutes(2), failureShare: 0.01))
        guard case .instanceLoss(.gateway, instances: 3) = scenario.faults[0].kind else {
            Issue.record("\(scenario.faults[0])")
            return
        }
        #expect(try resolve(minimal).health == HealthRule())
        #expect(complaint(minimal + "health: { window: 1s }\n")?.contains("10s...1e9s") == true)
        #expect(
            complaint(minimal + "faults: [{ kind: instanceLoss, service: relay, at: 1min, for: 5s }]\n")
                != nil)
    }
}
