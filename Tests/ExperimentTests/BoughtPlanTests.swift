import EventSimulation
import Experiment
import FleetModel
import Foundation
import Questions
import RunMetrics
import Scenarios
import TestSupport
import Testing

/// The scenario of a bought plan: its servers where the plan has them, and a run that is as busy as the plan says.
@Suite struct BoughtPlanTests {
    /// Nobody lives in Asia, so that its region gets no servers.
    private static let world = """
        fidelity: calibrated
        start: steady
        history: 0s
        duration: 10min
        warmUp: 1min
        replications: { min: 3, max: 3 }
        prices: { preset: large-cloud, regions: [{ name: as, coreHour: 1 }, { name: eu, coreHour: 0.05 }] }
        devices:
          - { name: eu, count: 200, continent: EU, browsing: { lookups: { perDay: 15000 } },
              tokens: { fixedBatches: false, refill: 50, refillBelow: 50, background: never } }
          - { name: us, count: 100, continent: NA, servedIn: [us, as], browsing: { lookups: { perDay: 15000 } },
              tokens: { fixedBatches: false, refill: 50, refillBelow: 50, background: never } }
        services:
          pir: { instances: 6, cores: 8, keyStore: shared, grouping: { limit: 1 }, speed: none, queueTime: none }
          regions: [{ name: eu, continent: EU }, { name: us, continent: NA }, { name: as, continent: AS }]
        faults:
          - { kind: regionLoss, at: 5min, for: 1min, region: as }
          - { kind: slowDown, at: 5min, for: 1min, service: as.pir, factor: 2 }
        objectives: [lookup.latency p99 < 1s, pir.utilization mean < 70%]
        """

    @Test func dataStaysInRegionsThatThereAre() throws {
        let small = try SmallScenario(Self.world)
        let file = try ScenarioFile(path: small.folder.path + "/scenario.yaml")
        let rule = PlanRule.of(try ScenarioResolver.resolve(file)).rule
        #expect(rule.servedIn == ["us": ["us", "as"]])
        let wrong = try file.setting("devices[us].servedIn=[mars]")
        let error = #expect(throws: ScenarioError.self) { try ScenarioResolver.resolve(wrong) }
        #expect("\(try #require(error))".contains("have no 'mars'"))
        let least = try file.setting("prices.regions[eu].leastInstances=3")
        #expect(PlanRule.of(try ScenarioResolver.resolve(least)).rule.leastInstances == ["eu": 3])
    }

    @Test func threadsOfARegionAreThoseOfAllUnlessItSaysSo() throws {
        let small = try SmallScenario(Self.world)
        let file = try ScenarioFile(path: small.folder.path + "/scenario.yaml")
            .setting("services.pir.threads=16").setting("services.regions[us].pir.threads=4")
        let stations = try ScenarioResolver.resolve(file).services.byRegion(.pir)
        #expect(stations.map(\.threads) == [16, 4, 16])
        // Each has 8 cores.
        #expect(stations.map(\.usableCores) == [8, 4, 8])
    }

    @Test func serversAreWhereThePlanHasThem() async throws {
        let small = try SmallScenario(Self.world)
        let file = try ScenarioFile(path: small.folder.path + "/scenario.yaml")
        let scenario = try ScenarioResolver.resolve(file)
        let sample = try await Self.run(
            FleetDemand.assignments(for: scenario).reduce(file) { try $0.setting($1) }, in: small,
            keepsArrivals: true)
        let demand = try #require(FleetDemand(sample, devices: 300))
        let planner = ServerPlanner(demand, of: scenario, rule: PlanRule.of(scenario).rule)
        let plan = try #require(planner.plan())
        #expect(plan.unserved.keys.sorted() == ["as"])

        let bought = try ScenarioResolver.resolve(file.bought(plan, prices: scenario.prices))
        #expect(bought.services.regions.map(\.name) == plan.regions.map(\.name))
        for (region, planned) in zip(bought.services.regions, plan.regions) {
            for machines in planned.machines {
                let station = region[machines.service]
                #expect(station.instances == machines.instances)
                #expect(station.cores == machines.coresPerInstance)
            }
        }
        #expect(bought.faults.isEmpty)
        #expect(bought.devices.map(\.servedIn) == [[], ["us"]])
        #expect(bought.prices.regions.keys.sorted() == ["eu"])

        // The resolved file is what `capacity --output` writes: it runs, and is as busy as the plan expects it to be.
        let yaml = ResolvedScenario.yaml(bought.settings)
        let again = try ScenarioFile(text: Data(yaml.utf8), path: "plan.yaml", folder: small.folder.path)
        let result = try await Self.run(again, in: small)
        let point = try #require(result.points.first)
        for region in plan.regions {
            let name = try #require(region.name)
            let pir = try #require(region[.pir])
            let fill = try #require(plan.fill.first { $0.region == name && $0.service == .pir })
            let station = try #require(RegionMetrics(name).stations.first { $0.part == .pir })
            let own = try #require(point.regions?.first { $0.name == name })
            let busy = try #require(own[station.utilization]?.value)
            // Lookups come at the same rate all the time.
            let planned = fill.peakCores / Double(pir.instances * pir.coresPerInstance)
            #expect(abs(busy / planned - 1) < 0.05, "\(name): \(busy) of \(planned)")
        }
        #expect(point.objectives.allSatisfy { $0.verdict == .pass })
    }

    /// What the scenario says of autoscalers, in common or of a region, goes on with the bought number; and what is bought
    /// for less may be taken back.
    @Test func autoscalersAndSpotMachinesAreBought() async throws {
        let small = try SmallScenario(Self.world)
        var file = try ScenarioFile(path: small.folder.path + "/scenario.yaml")
        for setting in [
            "services.pir.scaling={min: 1, max: 3, period: 30s, coolDown: 2min, target: 50%}",
            "services.regions[us].pir.scaling={max: 2, period: 45s, startDelay: 10s}",
            "services.gateway.spot={share: 10%, meanLife: 1d}", "prices.purchase={spotShare: 30%}",
        ] { file = try file.setting(setting) }
        let scenario = try ScenarioResolver.resolve(file)
        let sample = try await Self.run(
            FleetDemand.assignments(for: scenario).reduce(file) { try $0.setting($1) }, in: small,
            keepsArrivals: true)
        let demand = try #require(FleetDemand(sample, devices: 300))
        let planner = ServerPlanner(demand, of: scenario, rule: PlanRule.of(scenario).rule)
        let plan = try #require(planner.plan())
        let bought = try ScenarioResolver.resolve(file.bought(plan, prices: scenario.prices))
        #expect(bought.services.regions.map(\.name) == ["eu", "us"])
        for (region, planned) in zip(bought.services.regions, plan.regions) {
            let machines = try #require(planned[.pir])
            let scaled = try #require(machines.scaled)
            let scaling = try #require(region[.pir].scaling)
            #expect(region[.pir].instances == machines.instances && scaling.maximum == machines.instances)
            #expect(scaling.minimum == scaled.minimum && scaling.target == scaled.target)
            #expect(scaling.period == .seconds(planned.name == "us" ? 45 : 30))
            #expect(region[.pir].spot?.share == 0.3 && region[.gateway].spot?.share == 0.1)
            #expect(planned[.gateway]?.scaled == nil && region[.gateway].scaling == nil)
            // Lookups come at the same rate all the time: as many run as that needs.
            let busy = try #require(planner.demand.regions.first { $0.name == planned.name }?[.pir])
            let most = (busy.series.max() ?? 0) / (scaled.target * Double(machines.coresPerInstance))
            let running = max(Double(scaled.minimum), most.rounded(.up))
            #expect(scaled.paidShare <= running / Double(machines.instances) + 1e-9)
        }
        // Without an autoscaler, all hours.
        var without = planner
        without.scaling = []
        #expect(try #require(without.plan()).cost.total >= plan.cost.total)
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
}
