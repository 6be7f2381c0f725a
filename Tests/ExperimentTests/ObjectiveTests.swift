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
            ("devices[all schools].lookup.latency p99 < 800ms", .below, 0.8),
            ("devices[students].url.leaked rate < 1%", .below, 0.01),
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
            (
                "devices[students].pir.utilization mean < 70%",
                .unknownMetric("devices[students].pir.utilization mean")
            ),
            ("devices[].lookup.latency p99 < 1s", .unknownMetric("devices[].lookup.latency p99")),
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

    @Test func aMetricOfAGroupKnowsItsGroup() throws {
        let metric = try Objective("devices[all schools].lookup.failed rate < 1%").metric
        #expect(metric.group == "all schools" && metric.ofAllDevices == .failedLookups)
        #expect(metric.words == "devices[all schools].lookup.failed rate")
        #expect(Metric.failedLookups.group == nil && Metric.failedLookups.ofAllDevices == .failedLookups)
        let sentence = ObjectiveError.unknownMetric("devices[students].lookup.latncy p99").description
        #expect(sentence.contains("the nearest are 'devices[students].lookup.latency p99'"))
    }

    /// Two groups with lookups at the same rate, one of them behind a network that takes 250 ms longer each way.
    @Test func objectivesOfAGroupAreJudgedByItsDevices() async throws {
        let small = try SmallScenario(
            """
            fidelity: calibrated
            start: steady
            history: 0s
            duration: 10min
            warmUp: 0s
            replications: { min: 3, max: 3 }
            devices:
              - { name: near, count: 20, access: { oneWayDelay: 10ms }, browsing: { lookups: { perDay: 8640 } },
                  tokens: { fixedBatches: false, refill: 50, refillBelow: 50, background: never } }
              - { name: far, count: 40, access: { oneWayDelay: 260ms }, browsing: { lookups: { perDay: 8640 } },
                  tokens: { fixedBatches: false, refill: 50, refillBelow: 50, background: never } }
            services: { pir: { instances: 4, cores: 8, keyStore: shared } }
            objectives:
              - devices[near].lookup.latency p50 < 500ms
              - devices[far].lookup.latency mean < 500ms
              - devices[far].lookup.sent count > 0
              - devices[near].lookup.sent count > 0
              - devices[far].lookup.perDeviceDay rate > 0
              - devices[near].lookup.latency mean < 10s
              - devices[far].lookup.latency mean < 10s
            """)
        let result = try await Runner.run(small.prepare(), threads: 2).result
        let point = try #require(result.points.first)
        #expect(point.objectives.map(\.verdict) == [.pass, .fail, .pass, .pass, .pass, .pass, .pass])
        func value(_ words: String) throws -> Double {
            let objective = try Objective(words + " > 0")
            return try #require(point[objective.metric]?.value)
        }
        // The same way but for two times 250 ms more at least (connections are set up, too), and twice as many devices.
        let (near, far) = (
            try value("devices[near].lookup.latency mean"), try value("devices[far].lookup.latency mean")
        )
        #expect(far - near > 0.49 && far - near < 2)
        let sent = try value("devices[near].lookup.sent count") + value("devices[far].lookup.sent count")
        let all = try #require(point[.lookupsSent]?.value)
        #expect(abs(sent - all) < 1e-9 * all)
        #expect(abs(try value("devices[far].lookup.perDeviceDay rate") / 8_640 - 1) < 0.2)
    }

    @Test func aGroupThatIsNotThereIsAnError() throws {
        let small = try SmallScenario.calibrated()
        let error = #expect(throws: ScenarioError.self) {
            try small.scenario("objectives=['devices[nobody].url.leaked count == 0']")
        }
        #expect("\(try #require(error))".contains("'nobody' is not known"))
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
