import Experiment
import FleetModel
import Foundation
import Questions
import RandomStreams
import RunMetrics
import Scenarios
import TestSupport
import Testing

struct ServerPlannerTests {
    private static func load(
        _ service: Part, _ cores: Double, seconds: Double = 0.01, spread: Double = 0
    ) -> FleetDemand.Load {
        FleetDemand.Load(
            service: service, meanCores: cores / 2, peakCores: cores, peakLow: cores * (1 - spread),
            peakHigh: cores * (1 + spread), series: [cores / 2, cores], serviceSeconds: seconds)
    }

    /// A demand with one row of gateway, issuer and PIR cores for each region.
    private static func demand(
        _ regions: [(name: String?, cores: [Double], share: Double)], pirSeconds: Double = 0.05,
        spread: Double = 0
    ) throws -> FleetDemand {
        let json = """
            {"devices": 1000000, "sample": 1000, "replications": 2, "interval": 600,
             "seriesStart": 0, "regions": [], "days": [],
             "percentiles": [{"percentile": 0.99, "seconds": 0.3}], "lookupsPerDeviceDay": 50,
             "egressBytesPerDay": 2e12, "ingressBytesPerDay": 1e12, "downloadBytesPerDay": 0,
             "shards": 4, "databaseBytes": 1e9, "evaluationKeyBytes": 1e5}
            """
        var demand = try JSONDecoder().decode(FleetDemand.self, from: Data(json.utf8))
        demand.regions = regions.map { region in
            FleetDemand.Region(
                name: region.name,
                loads: [
                    load(.gateway, region.cores[0], seconds: 0.002, spread: spread),
                    load(.issuer, region.cores[1], seconds: 0.001, spread: spread),
                    load(.pir, region.cores[2], seconds: pirSeconds, spread: spread),
                ], share: region.share)
        }
        return demand
    }

    private static func prices() throws -> Prices { try Prices.named("large-cloud") }

    private static func rule(_ limit: Double?, cores: [Int] = [1, 2, 4], spare: Int = 1) -> PlanRule {
        var rule = PlanRule(
            latencies: limit.map { [.init(percentile: 0.99, limit: $0)] } ?? [], targetUtilization: 0.6,
            spareInstances: spare,
            survivesRegion: true)
        rule.coresPerInstance = cores
        return rule
    }

    /// One group of devices for each region, as far from every other one.
    private static func geography(_ devices: [Int], far: Double = 0) -> Geography {
        Geography(
            delays: devices.indices.map { home in
                devices.indices.map { $0 == home ? 0.01 : 0.01 + far + 0.001 * Double($0) }
            }, devices: devices)
    }

    private static func planner(
        _ demand: FleetDemand, _ rule: PlanRule, geography: Geography? = nil,
        keys: KeyPlace = .memoryOfOwnUsers
    ) throws -> ServerPlanner {
        ServerPlanner(
            demand, rule: rule, prices: try prices(),
            geography: geography ?? Self.geography(demand.regions.map { Int($0.share * 1_000) }), keys: keys)
    }

    /// A sample whose lookups never wait can tell what leaks, and not what fails.
    @Test func objectivesGoWhereTheyCanBeJudged() throws {
        let small = try SmallScenario.calibrated("replications: { min: 2, max: 2 }")
        let file = try ScenarioFile(path: small.folder.path + "/scenario.yaml").setting(
            "objectives=[lookup.failed rate < 1%, url.leaked rate < 2%, lookup.latency p99 < 1s,"
                + " pir.utilization max < 50%, pir.utilization mean < 70%, lookup.latency mean < 1s]")
        let (rule, judged, unplanned) = PlanRule.of(try ScenarioResolver.resolve(file))
        #expect(rule.latencies == [.init(percentile: 0.99, limit: 1)] && rule.targetUtilization == 0.5)
        let group = try #require(try ScenarioResolver.resolve(file).devices.first).name
        let own = try file.setting(
            "objectives=['devices[\(group)].lookup.latency p95 < 2s', 'devices[\(group)].url.leaked rate < 3%',"
                + " 'devices[\(group)].lookup.failed rate < 4%']")
        let ofGroup = PlanRule.of(try ScenarioResolver.resolve(own))
        #expect(ofGroup.rule.latencies == [.init(percentile: 0.95, limit: 2, group: group)])
        #expect(ofGroup.rule.shownLimit == nil)
        #expect(ofGroup.judged.map(\.metric.group) == [group] && ofGroup.unplanned.count == 1)
        #expect(judged.map(\.expression) == ["url.leaked rate < 2%"])
        #expect(unplanned == ["lookup.failed rate < 1%", "lookup.latency mean < 1s"])
    }

    /// M/M/1: P(W > t) = rho exp(-(1 - rho) t / S), and services as variable as exponential ones.
    @Test func aSingleCoreWaitsAsMM1() throws {
        var form = StationForm(load: 0.8, serviceSeconds: 0.02)
        form.variability = 1
        let wait = try #require(form.wait(0.99, instances: 1, cores: 1))
        #expect(abs(0.8 * exp(-(1 - 0.8) * wait / 0.02) - 0.01) < 1e-12)
        #expect(form.wait(0.5, instances: 1, cores: 2) == 0)
        #expect(form.wait(0.99, instances: 1, cores: 1) ?? 0 > form.wait(0.99, instances: 2, cores: 1) ?? 9)
        #expect(StationForm(load: 2, serviceSeconds: 0.02).wait(0.99, instances: 1, cores: 2) == nil)
        #expect(StationForm(load: 0, serviceSeconds: 0).wait(0.99, instances: 1, cores: 1) == 0)
    }

    /// The closed form beside single requests, at 99 %: it may be too long, and is too short by a twentieth at most.
    @Test(arguments: [
        (1, 2, 0.03, 0.6), (1, 4, 0.03, 0.8), (2, 4, 0.01, 0.8), (2, 8, 0.08, 0.6), (4, 8, 0.01, 0.8),
        (4, 16, 0.03, 0.8), (2, 4, 0.003, 0.4), (8, 16, 0.03, 0.8),
    ])
    func aLimitBelowTheThreadsMakesThemWait(cores: Int, threads: Int, seconds: Double, busy: Double) throws {
        let jobs = LimitedPod.jobs(40_000, busy: busy * Double(cores), seconds: seconds, seed: 9)
        let waits = zip(LimitedPod(cores: cores, threads: threads).ends(jobs), jobs).map {
            $0 - $1.arrival - $1.work
        }.sorted()
        let simulated = waits[waits.count * 99 / 100]
        let form = StationForm(load: busy * Double(cores), serviceSeconds: seconds)
        let wait = try #require(form.wait(0.99, instances: 1, cores: cores, threads: threads))
        #expect(wait > 0.95 * simulated - 1e-3, "\(wait) where \(simulated) was seen")
        // It is what the limit adds: with a core for each thread less is waited.
        let free = try #require(form.wait(0.99, instances: 1, cores: threads))
        #expect(wait >= free && (simulated < 0.02 || wait > free + 0.01))
        #expect(
            form.wait(0.99, instances: 1, cores: cores, threads: cores)
                == form.wait(0.99, instances: 1, cores: cores))
    }

    /// By hand: nothing but a request's own work, and 400 pieces of it that a period allows: none is stopped. With 9
    /// pieces coming where 9 are done, it is stopped more often than not.
    @Test func whoIsStoppedFollowsTwoPoissonNumbers() {
        var form = StationForm(load: 0.001, serviceSeconds: 0.00025)
        form.variability = 1
        #expect(form.stoppedShare(busy: 0.001, cores: 1) < 1e-12)
        form = StationForm(load: 1, serviceSeconds: 0.1 / 9)
        form.variability = 1
        // P(N >= M) for two Poisson numbers of mean 9: (1 + exp(-18) I0(18)) / 2, where exp(-18) I0(18) = 0.09471.
        #expect(abs(form.stoppedShare(busy: 1, cores: 1) - (1 + 0.09471) / 2) < 1e-4)
        // So many pieces that their chances are less than the least number.
        form = StationForm(load: 12, serviceSeconds: 1e-4)
        #expect(
            form.stoppedShare(busy: 12, cores: 16) < 1e-12
                && form.stoppedShare(busy: 15.9999, cores: 16) > 0.4)
    }

    /// Threads of the scenario are those of every size of instance: a limit of fewer cores waits longer, so that the
    /// plan buys more of them, or larger ones.
    @Test func aPlanOfLimitedPodsBuysForTheirStops() throws {
        let demand = try Self.demand([(nil, [0.1, 0.1, 3], 1)])
        var planner = try Self.planner(demand, Self.rule(0.36))
        let free = try #require(planner.plan())
        planner.threads = [[.pir: 16]]
        let limited = try #require(planner.plan())
        #expect(limited.total >= free.total)
        #expect(free.regions[0][.pir]?.threads == nil && limited.regions[0][.pir]?.threads == 16)
        #expect(limited.regions[0][.gateway]?.threads == nil)
        let (before, after) = (
            try #require(free[.instanceLost]?.latency),
            try #require(planner.describe(free)[.instanceLost]?.latency)
        )
        #expect(before <= 0.36 && after > before)
        let small = try SmallScenario.calibrated("replications: { min: 2, max: 2 }")
        let file = try ScenarioFile(path: small.folder.path + "/scenario.yaml").setting(
            "services.pir.threads=8")
        let scenario = try ScenarioResolver.resolve(file)
        #expect(ServerPlanner(demand, of: scenario, rule: PlanRule.of(scenario).rule).threads == [[.pir: 8]])
        // A core for each thread is no limit.
        planner.threads = [[.pir: 1]]
        #expect(planner.plan() == free)
    }

    /// 1 GB twice and 100 kB of each of a million devices, by hand: 102 GB in one server; with a limit of 12 GB ten
    /// servers must share the keys, one more may fail.
    @Test func aLimitOfMemoryAsksForServersThatShareTheKeys() throws {
        let demand = try Self.demand([(nil, [1, 1, 1], 1)])
        var rule = Self.rule(nil)
        func servers(_ most: Double?, _ keys: KeyPlace) throws -> Machines? {
            rule.mostMemory = most
            return try Self.planner(demand, rule, keys: keys).plan()?.regions[0].machines
                .first { $0.service == .pir }
        }
        let free = try #require(try servers(nil, .memoryOfOwnUsers))
        #expect(free.instances < 11)
        let sticky = try #require(try servers(12e9, .memoryOfOwnUsers))
        #expect(sticky.instances == 11 && sticky.memoryPerInstance == 12e9)
        // Where each server has all keys, no number of them is enough; where none has any, only the database counts.
        #expect(try servers(12e9, .memoryOfAllUsers) == nil)
        #expect(try servers(102e9, .memoryOfAllUsers)?.memoryPerInstance == 102e9)
        #expect(try servers(12e9, .stored)?.memoryPerInstance == 2e9)
        #expect(try servers(1.9e9, .stored) == nil)
    }

    /// Every combination of up to 30 instances of each size, for three services: which meet the rule, and what is the
    /// least money?
    @Test("the search finds what trying everything finds", arguments: [nil, 0.5, 0.36, 0.335])
    func optimum(limit: Double?) throws {
        let demand = try Self.demand([(nil, [1.3, 0.4, 5.2], 1)])
        let rule = Self.rule(limit)
        let prices = try Self.prices()
        // Money and wait of every choice of one service, straight from the definitions.
        let choices = demand.regions[0].loads.map { load in
            rule.coresPerInstance.flatMap { cores in
                (2...30).compactMap { instances -> (money: Double, wait: Double)? in
                    let form = StationForm(load: load.peakCores, serviceSeconds: load.serviceSeconds)
                    guard load.peakCores / Double((instances - 1) * cores) <= 0.6,
                        let wait = form.wait(0.99, instances: instances - 1, cores: cores)
                    else { return nil }
                    let memory = load.service == .pir ? 2e9 + 1e11 / Double(instances - 1) : 0
                    let money =
                        Double(instances) * (Double(cores) * 720 * 0.0316 + memory * 1e-9 * 3.05)
                    return (money, load.service == .issuer ? 0 : wait)
                }
            }
        }
        var best = Double.infinity
        for gateway in choices[0] {
            for issuer in choices[1] {
                for pir in choices[2]
                where limit.map({ 0.3 + gateway.wait + pir.wait <= $0 }) ?? true {
                    best = min(best, gateway.money + issuer.money + pir.money)
                }
            }
        }
        let plan = try #require(try Self.planner(demand, rule).plan())
        let machines = plan.cost.total(.cores) + plan.cost.total(.memory)
        #expect(abs(machines - best) < 1e-6 * best)
        #expect(plan.cost.total(.egress) == 2e12 * 30 * 1e-9 * prices.rates.egressGigabyte)
        if let limit {
            let lost = try #require(plan.states.first { $0.situation == .instanceLost })
            #expect(try #require(lost.latency) <= limit)
        }
    }

    /// A group whose way takes 300 ms, among others whose way takes 200 ms, needs what a fleet would need whose way is
    /// the group's; and only where its devices ask.
    @Test func aLatencyObjectiveOfAGroupBindsTheServersThatItAsks() throws {
        var demand = try Self.demand([("eu", [1.3, 0.4, 5.2], 0.5), ("us", [1.3, 0.4, 5.2], 0.5)])
        demand.percentiles = [.init(percentile: 0.99, seconds: 0.2)]
        let demandOfGroup: FleetDemand = {
            var demand = demand
            demand.percentiles.append(.init(percentile: 0.99, seconds: 0.3, group: "schools"))
            return demand
        }()
        let demandOfAll: FleetDemand = {
            var demand = demand
            demand.percentiles = [.init(percentile: 0.99, seconds: 0.3)]
            return demand
        }()
        // Each region is so far from the other one that both have servers.
        var geography = Self.geography([500, 500], far: 1)
        var rule = Self.rule(nil)
        rule.leastInstances = ["eu": 1, "us": 1]
        let free = try #require(try Self.planner(demand, rule, geography: geography).plan())
        rule.latencies = [.init(percentile: 0.99, limit: 0.34)]
        let all = try #require(try Self.planner(demandOfAll, rule, geography: geography).plan())
        geography.names = ["schools", "homes"]
        rule.latencies = [.init(percentile: 0.99, limit: 0.34, group: "schools")]
        let some = try #require(try Self.planner(demandOfGroup, rule, geography: geography).plan())
        #expect(some.regions[0] == all.regions[0] && some.regions[1] == free.regions[1])
        #expect(all.regions[1] != free.regions[1])

        // By hand: its own way, and the waits with an instance gone or the other region's load, whichever is longer.
        let group = try #require(some.groups?.first)
        #expect(some.groups?.count == 1 && group.objective.group == "schools")
        let waits = some.regions[0].machines.filter { $0.service != .issuer }.map { machines -> Double in
            let load = demand.regions[0][machines.service]
            return [(1.0, 1), (2, 0)].map { factor, missing in
                StationForm(
                    load: (load?.peakCores ?? 0) * factor, serviceSeconds: load?.serviceSeconds ?? 0
                ).wait(0.99, instances: machines.instances - missing, cores: machines.coresPerInstance) ?? 9
            }.max() ?? 9
        }
        #expect(abs(try #require(group.seconds) - (0.3 + waits.reduce(0, +))) < 1e-12)
        #expect(try #require(group.seconds) <= 0.34)
        #expect(free.groups == nil)

        // No servers are fast enough for a way that takes longer than the limit.
        rule.latencies[0].limit = 0.3
        #expect(try Self.planner(demandOfGroup, rule, geography: geography).plan() == nil)
    }

    @Test func moreInstancesAreNeverWorse() throws {
        let demand = try Self.demand([(nil, [1.3, 0.4, 5.2], 1)])
        let planner = try Self.planner(demand, Self.rule(0.4))
        for cores in [1, 2, 4] {
            let waits = (2...20).map { instances in
                StationForm(load: 5.2, serviceSeconds: 0.05)
                    .wait(0.99, instances: instances, cores: cores) ?? .infinity
            }
            #expect(zip(waits.dropFirst(), waits).allSatisfy { $0 <= $1 })
        }
        #expect(planner.plan() != nil)
    }

    /// Servers that stand still half of the time have to be twice as many.
    @Test func aServiceThatPausesGetsMoreCores() throws {
        let demand = try Self.demand([(nil, [1.3, 0.4, 5.2], 1)])
        let usual = try #require(try Self.planner(demand, Self.rule(nil)).plan())
        var planner = try Self.planner(demand, Self.rule(nil))
        planner.pauses = [[.pir: ServerPauses(every: 1, seconds: 0.5)]]
        let plan = try #require(planner.plan())
        let pir = try #require(plan.regions[0][.pir])
        let left = Double((pir.instances - 1) * pir.coresPerInstance)
        #expect(left * 0.5 * 0.6 >= 5.2 - 1e-9)
        #expect(plan.regions[0][.gateway] == usual.regions[0][.gateway])
        let fill = try #require(plan.fill.first { $0.service == .pir })
        #expect(abs(fill.utilization - 5.2 / left / 0.5) < 1e-12)
        #expect(planner.accepts(plan) && !planner.accepts(usual))
        let scenario = try SmallScenario.calibrated().scenario(
            "services.pir.pauses={every: 1s, length: 500ms}")
        let read = ServerPlanner(demand, of: scenario, rule: Self.rule(nil)).pauses
        #expect(read.map { $0[.pir] } == planner.pauses.map { $0[.pir] } && read[0].count == 1)
    }

    /// 5.2 cores at the peak, times 1.25 for two minutes.
    @Test func coldServersAreAStormOfTheirOwn() throws {
        let planner = try Self.planner(
            try Self.demand([(nil, [1.3, 0.4, 5.2], 1)]), Self.rule(nil))
        let plan = try #require(planner.plan())
        let small = try SmallScenario.calibrated()
        func row(_ settings: String...) throws -> StormForecast.Row? {
            let scenario = try settings.isEmpty ? small.scenario() : small.scenario(settings[0])
            return StormForecast(planner, plan, scenario).rows.first { $0.kind == .coldStart }
        }
        #expect(try row() == nil)
        let cold = try #require(try row("services.pir.coldStart={}"))
        #expect(cold.spread == 120 && abs(cold.demand - 5.2 * 1.25) < 1e-12 && cold.base == 5.2)
        // The plan has room for it: at most 60 % busy with one instance gone.
        #expect(cold.longestWait == 0 && cold.refused == 0)
        let colder = try #require(try row("services.pir.coldStart={factor: 10}"))
        #expect(colder.demand > (colder.capacity ?? .infinity) && colder.longestWait > 0)
    }

    @Test func noServersHelpWhereTheWayIsTooLong() throws {
        let demand = try Self.demand([(nil, [1, 1, 1], 1)])
        #expect(try Self.planner(demand, Self.rule(0.3)).plan() == nil)
        #expect(try Self.planner(demand, Self.rule(0.29)).plan() == nil)
    }

    /// Of the first region's devices half must stay there: it has servers whatever they cost, and the second takes over
    /// only the others. A least number of instances does the same for the third.
    @Test func whatMayNotLeaveARegionIsServedThere() throws {
        let geography = Geography(
            delays: [[0.01, 0.05, 0.09], [0.01, 0.05, 0.09], [0.05, 0.01, 0.09], [0.09, 0.05, 0.01]],
            devices: [5, 5, 10, 0],
            allowed: [[true, false, false]] + Array(repeating: [true, true, true], count: 3))
        #expect(geography.shares(among: [1, 2]) == [[0, 0.5, 0], [0, 1, 0], [0, 0, 0]])
        let demand = try Self.demand([
            ("one", [0.1, 0.1, 6], 0.5), ("two", [0.1, 0.1, 6], 0.5), ("three", [0, 0, 0], 0),
        ])
        var rule = Self.rule(nil, cores: [1])
        var planner = try Self.planner(demand, rule, geography: geography, keys: .stored)
        #expect(planner.placements.allSatisfy { $0.there.contains(0) } && planner.placements.count == 3)
        let both = try #require(planner.placements.first { $0.there == [0, 1] })
        // 6 at 60 % and one spare, or all 12 at 90 %; 6 + 3 at 90 %, or 6 at 60 % and one spare.
        #expect(both.cheapest()?.map { $0[.pir]?.instances } == [14, 11])
        rule.leastInstances = ["three": 2, "one": 30]
        planner = try Self.planner(demand, rule, geography: geography, keys: .stored)
        #expect(planner.placements.allSatisfy { $0.there.contains(0) && $0.there.contains(2) })
        let plan = try #require(planner.plan())
        #expect(plan.regions.first?.machines.map(\.instances) == [30, 30, 30])
        #expect(plan.regions.last?.machines.allSatisfy { $0.instances >= 2 } == true)
    }

    /// Three regions of 6, 3 and 3 PIR cores. All of the first one's devices go to the second when it is lost, so that
    /// needs 9 cores at 90 %, which is more than 3 at 60 %.
    @Test func theNextRegionTakesOver() throws {
        let demand = try Self.demand([
            ("one", [0.1, 0.1, 6], 0.5), ("two", [0.1, 0.1, 3], 0.25), ("three", [0.1, 0.1, 3], 0.25),
        ])
        // Of the first region's devices all go to the second, of the third's a half to each.
        let geography = Geography(
            delays: [[0.01, 0.05, 0.09], [0.05, 0.01, 0.09], [0.03, 0.04, 0.01], [0.04, 0.03, 0.01]],
            devices: [10, 5, 2, 2])
        let planner = try Self.planner(
            demand, Self.rule(nil, cores: [1]), geography: geography, keys: .stored)
        let all = planner.placements[0]
        let plan = all.describe(try #require(all.cheapest()))
        // 6 at 60 % and one spare, or 6 + 3 at 90 %; 9 at 90 %; 3 at 60 % and one spare.
        #expect(plan.regions.map { $0[.pir]?.instances } == [11, 10, 6])
        let lost = try #require(plan.states.first { $0.situation == .regionLost })
        #expect(lost.region == "two" && abs((lost.utilization ?? 0) - 0.9) < 1e-9)
        #expect(geography.shares(among: [1, 2]) == [[0, 1, 0], [0, 1, 0], [0, 0, 1]])
        #expect(geography.shares(among: [0, 1]) == [[1, 0, 0], [0, 1, 0], [0.5, 0.5, 0]])
        // 40 ms farther, there and back.
        #expect(abs(geography.detour(to: 1, among: [1, 2]) - 0.08) < 1e-12)
    }

    /// A service that is 80 % full grows to 100 % in log 1.25 / log 1.05 months.
    @Test func growthSaysWhenTheNextOneIsDue() throws {
        let demand = try Self.demand([(nil, [0.48, 0.48, 0.96], 1)], spread: 0.1)
        let planner = try Self.planner(demand, Self.rule(nil, cores: [1]), keys: .stored)
        let plan = try #require(planner.plan())
        // 0.48 / 0.6 is one core and 0.96 / 0.6 two, each and a spare one: 80 % full all of them.
        #expect(plan.regions[0].machines.map(\.instances) == [2, 2, 3])
        let growth = PlanGrowth(planner, plan, perMonth: .always(0.05))
        #expect(growth.purchases.count == 1)
        for purchase in growth.purchases {
            #expect(abs(purchase.months - log(1.25) / log(1.05)) < 1e-6)
            #expect(abs(purchase.earliest - log(1.25 / 1.1) / log(1.05)) < 1e-6)
            #expect(abs(purchase.latest - log(1.25 / 0.9) / log(1.05)) < 1e-6)
        }
    }

    /// Keys and database are known, however doubtful the load is: 2 GB and 100 kB of each of a million devices, shared
    /// by nine of ten servers, come to 14 GB with 8 % more devices.
    @Test func memoryIsFullOnAKnownDate() throws {
        let demand = try Self.demand([(nil, [0.1, 0.1, 1], 1)], spread: 0.3)
        var rule = Self.rule(nil)
        rule.mostMemory = 14e9
        let planner = try Self.planner(demand, rule)
        let plan = try #require(planner.plan())
        #expect(plan.regions[0][.pir]?.instances == 10)
        let growth = PlanGrowth(planner, plan, perMonth: .always(0.05))
        let purchase = try #require(growth.purchases.first)
        #expect(purchase.cause == .memory && purchase.service == .pir)
        for month in [purchase.earliest, purchase.months, purchase.latest] {
            // There are whole devices only.
            #expect(abs(month - log(1.08) / log(1.05)) < 1e-6 / log(1.05))
        }
    }

    /// The date of a growth that is not known is a distribution: drawn growths and demands, one by one.
    @Test(arguments: [nil, 0.035])
    func growthMayBeADistribution(likeliest: Double?) throws {
        let demand = try Self.demand([(nil, [0.48, 0.48, 0.96], 1)], spread: 0.1)
        let planner = try Self.planner(demand, Self.rule(nil, cores: [1]), keys: .stored)
        let plan = try #require(planner.plan())
        let law = try #require(GrowthLaw(least: 0.03, likeliest: likeliest, most: 0.08))
        let purchase = try #require(PlanGrowth(planner, plan, perMonth: law).purchases.first)
        var stream = RandomStream(seed: 3, replication: 0, entity: 0, purpose: StreamPurpose("test"))
        let count = 200_000
        let months = (0..<count).map { _ in
            // A triangle is the likeliest value moved towards an end by the larger of two even numbers.
            var growth = 0.03 + 0.05 * stream.uniform()
            if let likeliest {
                let end = growth < likeliest ? 0.03 : 0.08
                growth = likeliest + (end - likeliest) * (1 - max(stream.uniform(), stream.uniform()))
            }
            let z = stream.standardNormal() / 1.959964
            return log(1.25 / (z > 0 ? pow(1.1, z) : pow(0.9, -z))) / log(1 + growth)
        }.sorted()
        for (share, found) in [(0.025, purchase.earliest), (0.5, purchase.months), (0.975, purchase.latest)] {
            #expect(abs(found - months[Int(share * Double(count))]) < 0.03, "\(share)")
        }
        let within = Double(months.count { $0 <= 6 }) / Double(count)
        #expect(abs(purchase.chances[0] - within) < 0.005)
        #expect(GrowthLaw(least: 0.08, most: 0.03) == nil)
        #expect(GrowthLaw(least: 0.03, likeliest: 0.09, most: 0.08) == nil)
    }

    /// Another server takes so many times the CPU as was measured.
    @Test func theTornadoReachesOtherServers() throws {
        var demand = try Self.demand([(nil, [0.48, 0.48, 0.96], 1)])
        demand.server = ServerIdentity(name: ServerIdentity.workbench, version: "1")
        func range(_ demand: FleetDemand) throws -> PlanSensitivity.Row {
            let planner = try Self.planner(demand, Self.rule(nil, cores: [1]), keys: .stored)
            let sensitivity = PlanSensitivity(planner, try #require(planner.plan()))
            return try #require(sensitivity.rows.first { $0.assumption == .answerCPU })
        }
        #expect(try range(demand).high.value == 7.1)
        demand.server?.name = "Apple's"
        #expect(try range(demand).high.value == 2.5)
    }

    /// A latency that is nearly full limits growth before the servers are busy.
    @Test func growthKnowsTheLatency() throws {
        let demand = try Self.demand([(nil, [0.1, 0.1, 0.55], 1)], pirSeconds: 0.2)
        let rule = Self.rule(0.75, cores: [1])
        let planner = try Self.planner(demand, rule)
        let plan = try #require(planner.plan())
        let growth = PlanGrowth(planner, plan, perMonth: .always(0.1))
        let purchase = try #require(growth.purchases.first)
        #expect(purchase.service == nil)
        // The machines hold at a hair less, and do not at a hair more.
        let factor = pow(1.1, purchase.months)
        func holds(_ factor: Double) -> Bool {
            var planner = planner
            planner.demand = demand.scaled(traffic: factor, devices: factor)
            return planner.accepts(plan)
        }
        #expect(holds(factor * 0.9999) && !holds(factor * 1.0001))
        #expect(growth.later.map(\.months) == [6, 12, 24])
        #expect(growth.later.allSatisfy { $0.total > plan.total })
    }

    /// Two regions of which a small one costs more with servers of its own than what its devices cost elsewhere. Every
    /// set of regions, by hand.
    @Test("places of servers are chosen with them", arguments: [0.0, 0.05])
    func placement(far: Double) throws {
        let demand = try Self.demand([
            ("one", [1, 1, 6], 0.6), ("two", [1, 1, 5], 0.35), ("three", [0.01, 0.01, 0.1], 0.05),
        ])
        let geography = Self.geography([600, 350, 50], far: far)
        let rule = Self.rule(0.36, cores: [1, 2])
        let planner = try Self.planner(demand, rule, geography: geography)
        var best: (total: Double, there: [Int])?
        for there in [[0, 1, 2], [0, 1], [0, 2], [1, 2]] {
            let placement = Placement(planner, there: there)
            guard let regions = placement.cheapest() else { continue }
            let total = placement.describe(regions).total
            if best.map({ total < $0.total }) ?? true { best = (total, there) }
        }
        let plan = try #require(planner.plan())
        let found = try #require(best)
        #expect(plan.total == found.total)
        #expect(planner.accepts(plan))
        // Far away, the way to another region takes all the time that the objective leaves.
        #expect(plan.regions.count == (far == 0 ? 2 : 3) && plan.unserved.count == (far == 0 ? 1 : 0))
    }

    /// The second and the third region have the same devices and prices, so servers in either cost the same; servers in
    /// all three stand there for nothing.
    @Test func placesThatCostTheSameAreNamed() throws {
        let small = [0.01, 0.01, 0.1]
        let demand = try Self.demand([("one", [1, 1, 6], 0.6), ("two", small, 0.2), ("three", small, 0.2)])
        let planner = try Self.planner(demand, Self.rule(nil, cores: [1, 2]))
        let plan = try #require(planner.plan())
        let alike = planner.plansLike(plan)
        let found = ([plan] + alike).map { (names: $0.regions.compactMap(\.name), total: $0.total) }
        let (left, right) = (
            found.first { $0.names == ["one", "two"] }, found.first { $0.names == ["one", "three"] }
        )
        #expect(try #require(left).total == #require(right).total)
        #expect(found.allSatisfy { $0.names.count == 2 && $0.total <= 1.02 * plan.total })
        #expect(planner.plansLike(plan, within: -0.01).isEmpty)
    }

    /// An assumption of twice as many lookups is the plan for twice as many; a plan breaks exactly where it says.
    @Test func everyAssumptionIsPlannedAnew() throws {
        let demand = try Self.demand([(nil, [1.3, 0.4, 5.2], 1)])
        let planner = try Self.planner(demand, Self.rule(0.5), keys: .stored)
        let plan = try #require(planner.plan())
        let sensitivity = PlanSensitivity(planner, plan)
        let lookups = try #require(sensitivity.rows.first { $0.assumption == .lookups })
        var twice = planner
        twice.demand = try Self.demand([(nil, [2.6, 0.8, 10.4], 1)])
        twice.demand.egressBytesPerDay *= 2
        twice.demand.ingressBytesPerDay *= 2
        #expect(lookups.high.money == twice.plan()?.total)
        for row in sensitivity.rows {
            guard let factor = row.breaksAt else { continue }
            var near = planner
            switch row.assumption {
            case .lookups: near.demand = demand.scaled(traffic: factor * 1.001)
            case .answerCPU: near.demand = demand.scaled(answers: factor * 1.001)
            case .busiestDay: near.demand = demand.scaled(peak: factor * 1.001)
            case .way: near.demand = demand.scaled(way: factor * 1.001)
            case .waits: near.rule.waitFactor = factor * 1.001
            default: Issue.record("\(row.assumption) has no load")
            }
            #expect(!near.accepts(plan))
        }
        // Keys in the memory of their users' servers: the plan that such a scenario has.
        let keys = try #require(sensitivity.rows.first { $0.assumption == .keyPlace })
        #expect(keys.low.money == plan.total && keys.now == 0)
        #expect(
            try keys.high.money
                == Self.planner(demand, Self.rule(0.5), keys: .memoryOfOwnUsers).plan()?.total)
        // A core-hour of the presets is up to as many times cheaper, and nothing else of the bill changes.
        let price = try #require(sensitivity.rows.first { $0.assumption == .coreHour })
        let other = plan.total - plan.cost.total(.cores)
        #expect(abs((price.low.money ?? 0) - other - price.low.value * plan.cost.total(.cores)) < 1e-6)
        #expect(sensitivity.rows.allSatisfy { $0.assumption != .lostRegion })
    }

    /// Two regions that are busiest an hour apart: their minutes add up by the clock, so that together they are never
    /// busier than the sum of their intervals.
    @Test func minutesOfRegionsAddUpByTheClock() {
        func load(_ series: [Double], _ first: Int, _ cores: [Double]) -> FleetDemand.Load {
            FleetDemand.Load(
                service: .pir, meanCores: 2, peakCores: 5, peakLow: 5, peakHigh: 5, series: series,
                serviceSeconds: 0.01, minutes: FleetDemand.Load.Minutes(first: first, cores: cores))
        }
        let early = load([4, 1, 1], 0, [4, 4, 4, 4, 4])
        let late = load([1, 1, 4], 10, [1, 1, 16, 1, 1])
        let both = FleetDemand.Load.sum([(early, 1), (late, 1)], service: .pir)
        #expect(both.series == [5, 2, 5])
        #expect(both.minutes == FleetDemand.Load.Minutes(first: 10, cores: [2, 2, 17, 2, 2]))
        #expect(both.longestWait(cores: 5) == 12 * 60 / 5)
        let flat = FleetDemand.Load.sum([(early, 1), (early, 0.5)], service: .pir)
        #expect(flat.minutes?.cores.max() == 6)
    }

    /// A fleet of 100 samples: sums grow with it, and peaks follow from the rates of the sample's day.
    @Test func peaksOfAFleetAreCalculated() async throws {
        let small = try SmallScenario.calibrated("replications: { min: 2, max: 2 }")
        let result = try await Runner.run(try small.prepare(keepsArrivals: true), threads: 2).result
        let point = try #require(result.points.first)
        let arrivals = try #require(point.arrivals)
        let sample = try ObservedTraffic(result, point)
        let fleet = sample.scaled(to: sample.devices * 100, by: arrivals)
        let (before, all) = (try #require(sample.regions.last), try #require(fleet.regions.last))
        #expect(abs(all.perDay.value / before.perDay.value / 100 - 1) < 0.001)
        // A root grows more slowly than the devices.
        #expect(all.peakSecond.value < before.peakSecond.value * 100)
        #expect(all.peakSecond.largest > all.peakSecond.value)
        let sheet = DeclarationSheet(fleet, requestCap: nil, responseCap: nil, hosts: [])
        let declared = try #require(sheet.recommendations.last)
        #expect(declared.peakMinute.basis == .calculated)
        #expect(try #require(declared.peakSecond.value) > all.peakSecond.value * 1.2 * 1.5)
    }

    /// Phases of 20 % that last 20 s, services of 50 ms, M/M/c at 60 %: a cell of one core waits 1.4 times as long as the
    /// form says, and what that is in seconds is what sixteen cores wait longer, where the form says 8 ms.
    @Test func waitsTakeTheLongerOfRatioAndDifference() {
        var rule = Self.rule(nil)
        rule.waitFactor = 1.4
        #expect(abs(rule.simulated(0.008, at: .pir) - 0.0112) < 1e-12)
        rule.waitDifference = 0.131
        #expect(abs(rule.simulated(0.008, at: .pir) - 0.139) < 1e-12)
        #expect(abs(rule.simulated(0.5, at: .pir) - 0.7) < 1e-12)
        // The gateway has no PIR server's phases.
        #expect(abs(rule.simulated(0.008, at: .gateway) - 0.0112) < 1e-12)
    }

    private static func check(
        expected: Double, simulated: Double, high: Double?, replications: Int = 10
    ) throws -> PlanCheck {
        let interval = high.map { end in
            #", "interval": {"low": 0, "high": \#(end), "confidence": 0.95, "method": "test"}"#
        }
        let json = """
            {"devices": 10, "cores": 1, "replications": \(replications), "percentile": 0.99, "utilization": 0.5,
             "expected": \(expected), "simulated": \(simulated)\(interval ?? "")}
            """
        return try JSONDecoder().decode(PlanCheck.self, from: Data(json.utf8))
    }

    @Test func aSystemWithoutWaitsIsNotDoubtful() throws {
        let none = try Self.check(expected: 0, simulated: 0, high: nil)
        #expect(none.highFactor == 1 && none.highDifference == 0)
        // A single replication, and waits without a spread, say nothing of the next.
        #expect(try Self.check(expected: 0, simulated: 0, high: nil, replications: 1).highFactor == nil)
        #expect(try Self.check(expected: 0.01, simulated: 0.02, high: nil).highFactor == nil)
        let some = try Self.check(expected: 0.01, simulated: 0.02, high: 0.03)
        #expect(some.factor == 2 && some.difference == 0.01)
        #expect(some.highFactor == 3 && abs((some.highDifference ?? 0) - 0.02) < 1e-12)
    }

    /// Each doubt alone is enough for "cannot tell": of the waits, of the demand, of the way.
    @Test func aPlanHoldsAtTheUpperEndsOfAllThatItRestsOn() throws {
        func confirmation(
            spread: Double, way: Double? = nil, high: Double
        ) throws -> ServerPlanResult.Confirmation? {
            var demand = try Self.demand([(nil, [1, 1, 20], 1)], spread: spread)
            demand.percentiles = [.init(percentile: 0.99, seconds: 0.3, high: way)]
            let planner = try Self.planner(demand, Self.rule(0.5, cores: [64]), keys: .stored)
            var result = ServerPlanResult(
                scenario: "test", devices: 1_000_000, rule: planner.rule, prices: try Self.prices(),
                points: [.init(settings: [:], demand: demand, plan: planner.plan())], unplanned: [])
            result.addChecks([try Self.check(expected: 0.1, simulated: 0.1, high: high)], planner)
            return result.confirmation
        }
        #expect(try confirmation(spread: 0.1, way: 0.35, high: 0.11) == .holds)
        #expect(try confirmation(spread: 0.1, way: 0.35, high: 0.4) == .cannotTell)
        // 20 of 64 cores at 60 % at most: with more than 38 the rule is broken.
        #expect(try confirmation(spread: 1, way: 0.35, high: 0.11) == .cannotTell)
        #expect(try confirmation(spread: 0.1, way: 0.51, high: 0.11) == .cannotTell)
    }

    @Test func thePointsThatNothingBeatsAreMarked() throws {
        func point(_ shards: Int, _ seconds: Double, _ pir: Double) throws -> ServerPlanResult.Point {
            var demand = try Self.demand([(nil, [1, 1, pir], 1)], pirSeconds: 0.001)
            demand.shards = shards
            demand.percentiles = [.init(percentile: 0.99, seconds: seconds)]
            return .init(
                settings: ["services.pir.shards": "\(shards)"], demand: demand,
                plan: try Self.planner(demand, Self.rule(nil), keys: .stored).plan())
        }
        let result = ServerPlanResult(
            scenario: "test", devices: 1_000_000, rule: Self.rule(nil), prices: try Self.prices(),
            points: [try point(1, 0.3, 40), try point(4, 0.2, 10), try point(8, 0.25, 20)],
            unplanned: [])
        // What fails an objective is no choice.
        var leaky = try point(4, 0.2, 10)
        let leaks = """
            {"expression": "url.leaked rate < 1%", "metric": "url.leaked", "statistic": "rate", "unit": "1",
             "limit": 0.01, "observed": 0.5, "verdict": "fail", "passed": false}
            """
        leaky.objectives = [try JSONDecoder().decode(ObjectiveResult.self, from: Data(leaks.utf8))]
        let other = ServerPlanResult(
            scenario: "test", devices: 1_000_000, rule: Self.rule(nil), prices: try Self.prices(),
            points: [try point(1, 0.3, 40), leaky], unplanned: [])
        #expect(other.best == 0 && other.points.map(\.isUndominated) == [true, false])
        // One shard is the most private, four are cheapest and fastest, eight are beaten by four.
        #expect(result.points.map(\.isUndominated) == [true, true, false])
        #expect(result.best == 1)
    }
}
