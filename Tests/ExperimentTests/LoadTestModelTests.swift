import Experiment
import FleetModel
import Foundation
import Questions
import RunMetrics
import Scenarios
import TestSupport
import Testing
import URLFilter

/// Plans of load tests, executed by the model: lookups at the rate of the plan on the servers that it was made for, and
/// on servers that are half as large.
@Suite struct LoadTestModelTests {
    /// An answer takes 18.3 ms of a core on average, so that Europe's 17.4 lookups a second are 0.32 busy cores and
    /// America's 34.7 are 0.64. No region has the six times eight cores that all would have by default.
    private static func world(_ regions: String) throws -> SmallScenario {
        let tokens =
            "{ fixedBatches: false, refill: 50, refillBelow: 50, refillDelay: 0s, refillSpread: 0s, "
            + "background: never }"
        func group(_ name: String, _ continent: String, _ count: Int) -> String {
            "{ name: \(name), count: \(count), continent: \(continent), "
                + "browsing: { lookups: { perDay: 15000 } }, tokens: \(tokens) }"
        }
        return try SmallScenario(
            """
            fidelity: calibrated
            start: steady
            history: 0s
            duration: 15min
            warmUp: 1min
            prices: large-cloud
            replications: { min: 5, max: 5 }
            devices: [\(group("eu", "EU", 100)), \(group("us", "NA", 200))]
            services:
              gateway: { instances: 1, cores: 16 }
              issuer: { instances: 1, cores: 16 }
              pir:
                { instances: 6, cores: 8, keyStore: shared, grouping: { limit: 1 }, speed: none, queueTime: none }
              regions: [\(regions)]
            objectives: [lookup.latency p99 < 1s, pir.utilization mean < 70%]
            """)
    }

    private static func file(_ small: SmallScenario, _ settings: [String] = []) throws -> ScenarioFile {
        try settings.reduce(ScenarioFile(path: small.folder.path + "/scenario.yaml")) {
            try $0.setting($1)
        }
    }

    private static func run(
        _ file: ScenarioFile, in small: SmallScenario, keepsArrivals: Bool = false
    ) async throws -> RunResult {
        var options = Preparation.Options()
        options.profile = small.folder.path + "/profile.json"
        options.keepsArrivals = keepsArrivals
        let preparation = try Preparation.prepare(try ScenarioResolver.resolve(file), options: options) { _ in
        }
        return try await Runner.run(preparation, threads: 2).result
    }

    /// What a test of the plan measures at simulated servers.
    private static func verdicts(
        _ plan: LoadTestPlan, on file: ScenarioFile, in small: SmallScenario
    ) async throws -> [LoadTestVerdict] {
        let scenario = try ScenarioResolver.resolve(file)
        let cores = try #require(scenario.services.byRegion(.pir).first).serverCount
        var measured: [String: LoadTestMeasurement] = [:]
        for step in plan.steps {
            let perDay = step.rate * 86_400 / Double(scenario.devices.reduce(0) { $0 + $1.count })
            let seconds = min(step.duration, 300)
            let settings =
                scenario.devices.map { "devices[\($0.name)].browsing.lookups.perDay=\(perDay)" }
                + ["duration=\(step.warmUp + seconds)s", "warmUp=\(step.warmUp)s"]
                + ["replications={min: 3, max: 3}"]
            let result = try await run(
                settings.reduce(file) { try $0.setting($1) }, in: small)
            let point = try #require(result.points.first)
            func value(_ metric: Metric) throws -> Double { try #require(point[metric]?.value) }
            // Of three runs, which are one long test.
            let lookups = 3 * (try value(EndpointMetrics(.queries).requests))
            measured[step.name] = LoadTestMeasurement(
                seconds: 3 * seconds, lookups: Int(lookups),
                unanswered: Int(try value(.failedLookups) * lookups), wrong: 0,
                latency: try LoadTestPlan.percentiles.dropLast().map { percent in
                    let seconds = try value(.latency(percentile: percent))
                    return .init(percent: percent, seconds: seconds, bounds: seconds...seconds)
                }, lateness: 0,
                serverCPU: [
                    "pir": try value(StationMetrics(.pir).utilization) * Double(cores) * 3 * seconds
                ])
        }
        return plan.criteria.map { LoadTestVerdict($0, measured[$0.step]) }
    }

    /// Demands that the servers of a plan pass all of it, and that servers with half their speed, or half as many of
    /// them, miss some.
    private func demand(
        _ plan: LoadTestPlan, of file: ScenarioFile, in small: SmallScenario, half: [String]
    ) async throws {
        for verdict in try await Self.verdicts(plan, on: file, in: small) {
            #expect(verdict.verdict == .pass, "\(plan.scenario): \(verdict)")
        }
        for change in half {
            let found = try await Self.verdicts(plan, on: file.setting(change), in: small)
            #expect(found.contains { $0.verdict == .fail }, "\(plan.scenario), \(change): \(found)")
        }
    }

    @Test func givenServersOfEachRegionPassTheirOwnPlan() async throws {
        let small = try Self.world(
            "{ name: eu, continent: EU, pir: { instances: 1, cores: 1 } }, "
                + "{ name: us, continent: NA, pir: { instances: 2, cores: 1 } }")
        let parts = try Self.file(small).regionParts()
        #expect(parts.map { $0.region } == ["eu", "us"])
        for (part, cores) in zip(parts, [1, 2]) {
            let result = try await Self.run(part.file, in: small)
            let plan = try LoadTestPlan(result, try #require(result.points.first), LoadTestOptions())
            let judged = plan.criteria.filter { $0.measure == .utilization }
            #expect(judged.map(\.cores) == [cores, cores])
            // Twenty percent of growth, and what the busiest minute has above the mean one.
            let busy = plan.steps[0].rate * 0.0183 / Double(cores)
            #expect((0.38...0.6).contains(busy), "\(busy)")
            let region = try #require(part.region)
            try await demand(
                plan, of: part.file, in: small,
                half: ["services.pir.cpuFactor=2"]
                    + (cores > 1 ? ["services.regions[\(region)].pir.instances=1"] : []))
        }
        let all = try await Self.run(Self.file(small), in: small)
        #expect(throws: LoadTestError.severalRegions(["eu", "us"])) {
            try LoadTestPlan(all, try #require(all.points.first), LoadTestOptions())
        }
    }

    @Test func givenServersInOnePlacePassTheirPlan() async throws {
        let small = try Self.world("")
        let file = try Self.file(small, ["services.pir.instances=1", "services.pir.cores=2"])
        let parts = try file.regionParts()
        #expect(parts.count == 1 && parts[0].region == nil)
        let result = try await Self.run(file, in: small)
        let plan = try LoadTestPlan(result, try #require(result.points.first), LoadTestOptions())
        try await demand(
            plan, of: file, in: small, half: ["services.pir.cpuFactor=2", "services.pir.cores=1"])
    }

    /// With regions, and without: the busiest minute is the plan's own peak, at which the machines that are left are no
    /// busier than the rule allows.
    @Test(arguments: ["", "{ name: eu, continent: EU }, { name: us, continent: NA }"])
    func boughtServersPassTheirPlan(regions: String) async throws {
        let small = try Self.world(regions)
        let scenario = try ScenarioResolver.resolve(Self.file(small))
        let sample = try await Self.run(
            Self.file(small, FleetDemand.assignments(for: scenario)), in: small, keepsArrivals: true)
        let demand = try #require(FleetDemand(sample, devices: 300))
        let planner = ServerPlanner(demand, of: scenario, rule: PlanRule.of(scenario).rule)
        let plan = try #require(planner.plan())
        for place in planner.places(of: plan) {
            let cell = try #require(PlanCell(planner, plan, at: place, of: scenario, .long))
            let file = try Self.file(small, cell.assignments)
            let result = try await Self.run(file, in: small)
            var options = LoadTestOptions()
            options.plannedUtilization = cell.plannedUtilization
            let load = try LoadTestPlan(result, try #require(result.points.first), options)
            let busy = load.steps[0].rate * 0.0183 / Double(cell.cores)
            #expect(abs(busy / cell.plannedUtilization - 1) < 0.05, "\(busy), \(cell.plannedUtilization)")
            #expect(cell.plannedUtilization <= planner.rule.targetUtilization)
            // Half the cores of servers that are idle most of the time answer as fast.
            try await self.demand(
                load, of: file, in: small,
                half: ["services.pir.cpuFactor=2"]
                    + (cell.cores > 1 && busy > 0.3 ? ["services.pir.cores=\(cell.cores / 2)"] : []))
        }
    }
}
