import Experiment
import FleetModel
import Foundation
import Questions
import RunMetrics
import Scenarios
import Testing
import Workload

/// The same database and the same keys, priced by every command that prices them.
struct OnePriceTests {
    /// A thousand and one devices, keys of 400 000 bytes, one copy of a database: by hand.
    @Test(arguments: KeyPlace.allCases)
    func keysAndDatabaseCostTheSameEverywhere(place: KeyPlace) async throws {
        let keys: String =
            switch place {
            case .stored: "keyStore: shared"
            case .memoryOfOwnUsers: "keyStore: memory, balancing: stickyByUser"
            case .memoryOfAllUsers: "keyStore: copied"
            }
        let small = try SmallScenario.calibrated(
            "replications: { min: 2, max: 2 }\nservices: { pir: { instances: 2, cores: 2, \(keys) } }")
        let scenario = try small.scenario()
        let run = try await Runner.run(try small.prepare(keepsArrivals: true), threads: 1).result
        let profile = try #require(run.profile)
        let devices = run.scenario.devices
        let database = Double(profile.databaseBytes)
        let owned = Double(devices) * Double(profile.evaluationKeyBytes)

        // A plan of servers.
        let demand = try #require(FleetDemand(run, devices: devices))
        var rule = PlanRule.of(scenario).rule
        rule.coresPerInstance = [2]
        let plan = try #require(ServerPlanner(demand, of: scenario, rule: rule).plan())
        // The table of alternatives.
        let table = try AlternativesResult(
            [(.urlFilter, run)], of: scenario, prices: scenario.prices, confidence: 0.95)
        let row = try #require(table.rows[0].cost)
        // The tuning of a prefilter.
        let measured = SmallScenario.profile(entries: 61, parameters: small.parameters)
        let tuning = try TuningCost(
            devices: devices,
            editions: EditionPlan(
                republishInterval: 86_400, fetchInterval: 86_400, configurationRefetch: 21_600,
                activeShare: 1, dailyNewShare: 0, givenDownloads: nil),
            prices: scenario.prices, lookup: TuningCost.Lookup(measured),
            servers: .init(coresPerInstance: 2, keys: place, measured),
            waiting: .init(answerTime: 0.5, pageShare: 0.1, unansweredShare: 0.01))
        let asked = TuningCost.Demand(
            lookups: 1, strayLookups: 1, extraKeywords: 0, busiestLookups: 1.0 / 86_400)
        let tuned = tuning.month(tuning.perDay(byteCount: 100, listedVisits: 0, asked), asked)

        for cost in [plan.cost, row, tuned] {
            let pir = cost.rows.filter { $0.service == .pir }
            let cores = try #require(pir.first { $0.item == .cores }).amount / 720
            let instances = cores / 2
            let memory =
                switch place {
                case .stored: 2 * database
                case .memoryOfAllUsers: 2 * database + owned
                case .memoryOfOwnUsers: 2 * database + owned / (instances - 1)
                }
            let gigabytes = try #require(pir.first { $0.item == .memory }).amount
            #expect(abs(gigabytes - instances * memory * 1e-9) < 1e-12, "\(place)")
            let stored = cost.rows.first { $0.item == .storage }?.amount ?? 0
            #expect(abs(stored - (place == .stored ? owned * 1e-9 : 0)) < 1e-12, "\(place)")
            // Gateway and issuer stand there, too, each with one to spare.
            let services = Set(cost.rows.filter { $0.item == .cores }.compactMap(\.service))
            #expect(services == [.gateway, .issuer, .pir])
        }
    }

    /// The table of alternatives and a plan of servers buy the same machines, six of two cores, and bill them alike.
    @Test(arguments: ["[lookup.latency p90 < 10s]", "[pir.utilization max < 0.0001%]"], [1, 2])
    func theTableBuysWhatThePlanBuys(objectives: String, regions: Int) async throws {
        let continents = ["EU", "AS"].prefix(regions)
        let groups = continents.map {
            "{ name: of\($0), count: \(6 / regions), continent: \($0), browsing: { trace: trace.csv, spread: 5s } }"
        }
        let places = continents.map { "{ name: in\($0), continent: \($0) }" }.joined(separator: ", ")
        let small = try SmallScenario(
            """
            fidelity: calibrated
            start: steady
            replications: { min: 2, max: 2 }
            objectives: \(objectives)
            devices: [\(groups.joined(separator: ", "))]
            \(regions > 1 ? "services: { regions: [\(places)] }" : "")
            """)
        let scenario = try small.scenario()
        let run = try await Runner.run(try small.prepare(keepsArrivals: true), threads: 1).result
        let demand = try #require(FleetDemand(run, devices: run.scenario.devices))
        let rule = PlanRule.of(scenario).rule
        let plan = try #require(ServerPlanner(demand, of: scenario, rule: rule).plan())
        let table = try AlternativesResult(
            [(.urlFilter, run)], of: scenario, prices: scenario.prices, confidence: 0.95)
        let row = table.rows[0]
        #expect(row.cost?.total(.egress) == plan.cost.total(.egress))
        #expect(row.cost?.total(.download) == plan.cost.total(.download))
        if rule.targetUtilization == scenario.prices.targetUtilization {
            #expect(row.machines == plan.regions.flatMap(\.machines))
            #expect(row.machines.allSatisfy { $0.coresPerInstance == 2 })
            #expect(regions > 1 || row.machines.map(\.instances) == [2, 2, 2])
            #expect(abs((row.moneyPerMonth ?? 0) - plan.total) < 1e-9 * plan.total)
        } else {
            // Cores that may be busy for a millionth, by hand; two regions may be busiest at the same time.
            let cores = scenario.services.byRegion(.pir).map { Double($0.instances * $0.cores) }
            let (point, peak) = (run.points[0], try #require(Metric("pir.utilization", "max")))
            let busy =
                regions == 1
                ? try #require(point[peak]?.value) * cores[0]
                : zip(try #require(point.regions), cores).reduce(0) { sum, region in
                    let station = RegionMetrics(region.0.name).stations.first { $0.part == .pir }
                    return sum + (station.flatMap { region.0[$0.busiest]?.value } ?? 0) * region.1
                }
            #expect(busy > 0)
            let pir = row.machines.filter { $0.service == .pir }
            #expect(Double(pir.reduce(0) { $0 + $1.cores }) >= busy / 1e-6)
            #expect(pir.reduce(0) { $0 + $1.instances } > 2)
        }
    }
}
