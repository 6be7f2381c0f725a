import Experiment
import FleetModel
import RunMetrics
import Testing

/// What the table says of a metric against what replications yield.
@Suite struct MetricTests {
    /// With an outage and an update of the list, so that few metrics have nothing to say.
    private func records() async throws -> [ReplicationRecord] {
        let small = try SmallScenario.calibrated(
            """
            replications: { min: 2, max: 2 }
            faults: [{ kind: outage, service: pir, at: 20s, for: 20s }]
            updates: { every: 15s, first: 15s, add: 1 }
            """)
        return try await Runner.run(small.prepare(), threads: 2).records
    }

    @Test func everyValueLiesInItsSupport() async throws {
        for record in try await records() {
            var known = 0
            for metric in Metric.all {
                guard let value = metric.value(record, deviceCount: 6) else { continue }
                known += 1
                #expect(metric.support.contains(value), "\(metric.words) is \(value)")
            }
            // All but what continents and unused endpoints would say.
            #expect(known > 80, "\(known)")
        }
    }

    @Test func aShareIsOfItsTrials() async throws {
        for record in try await records() {
            for metric in Metric.all {
                guard let trials = metric.trials(record) else { continue }
                #expect(metric.support == .share)
                let successes = (metric.value(record, deviceCount: 6) ?? 0) * Double(trials)
                #expect(
                    abs(successes - successes.rounded()) < 1e-6, "\(metric.words): \(successes) of \(trials)")
            }
            let leaked = try #require(Metric("url.leaked", "rate"))
            #expect(leaked.trials(record) == record.urls.listed)
            #expect(Metric.leaked.trials(record) == nil)
        }
    }

    @Test func supportsEndWhereTheyShould() {
        #expect(
            [-0.1, 0, 0.5, 1, 1.1].map(Metric.Support.share.contains) == [false, true, true, true, false])
        #expect([-1, 0, 0.5, 7].map(Metric.Support.count.contains) == [false, true, false, true])
        #expect([-0.1, 0, 2.5].map(Metric.Support.amount.contains) == [false, true, true])
    }
}
