import Experiment
import RunMetrics
import Scenarios
import Testing

@Suite struct ObjectiveTests {
    @Test(
        "limits are in the metric's base unit",
        arguments: [
            ("lookup.latency p99 < 800ms", Objective.Relation.below, 0.8),
            ("lookup.latency  p99.9   <=  1s", .atMost, 1),
            ("url.leaked count == 0", .equal, 0),
            ("pir.utilization mean < 75%", .below, 0.75),
            ("url.blockedByPolicy rate < 1/1000", .below, 0.001),
            ("lookup.per1000URLs rate >= 0.5", .atLeast, 0.5),
            ("lookup.sent count > 1.5M", .above, 1_500_000),
            ("queries.request max <= 64KiB", .atMost, 65_536),
        ])
    func parsing(text: String, relation: Objective.Relation, limit: Double) throws {
        let objective = try Objective(text)
        #expect(objective.relation == relation)
        #expect(objective.limit == limit)
        #expect(objective.expression == text)
    }

    @Test(
        "what is no objective says why",
        arguments: [
            ("", ObjectiveError.notAnObjective("")),
            ("lookup.latency p99 <800ms", .notAnObjective("lookup.latency p99 <800ms")),
            ("lookup.latency p42 < 1s", .unknownMetric("lookup.latency p42")),
            ("url.leaked count = 0", .unknownRelation("=")),
            ("lookup.latency p99 < 800", .badLimit("800", unit: .seconds)),
            // Everything would pass.
            ("pir.utilization mean < 75", .badLimit("75", unit: .share)),
            ("url.leaked count < 5%", .badLimit("5%", unit: .number)),
            ("url.leaked count < inf", .badLimit("inf", unit: .number)),
            ("queries.request max < 5", .badLimit("5", unit: .bytes)),
        ])
    func refusals(text: String, error: ObjectiveError) {
        #expect(throws: error) { try Objective(text) }
    }

    @Test func anUnknownMetricComesWithTheNearestOnes() {
        let sentence = ObjectiveError.unknownMetric("lookup.latncy p99").description
        #expect(
            sentence.hasPrefix(
                "no metric 'lookup.latncy p99'; the nearest are 'lookup.latency p99', 'lookup.latency p90',"
                    + " 'lookup.latency p95'; "))
    }

    @Test func everyMetricIsDeclaredOnce() {
        #expect(Set(Metric.all.map(\.words)).count == Metric.all.count)
        for metric in Metric.all { #expect(Metric(metric.name, metric.statistic) == metric) }
        #expect(Metric("url.leaked", "p99") == nil)
    }

    @Test(
        "relations at their limit",
        arguments: [
            (Objective.Relation.below, [true, false, false]), (.atMost, [true, true, false]),
            (.equal, [false, true, false]), (.atLeast, [false, true, true]), (.above, [false, false, true]),
        ])
    func relations(relation: Objective.Relation, holds: [Bool]) {
        #expect([1, 2, 3].map { relation.holds($0, 2) } == holds)
    }
}
