import Experiment
import FleetModel
import Foundation
import Questions
import RunMetrics
import Scenarios
import Testing

/// Servers over demands that are known factors of one demand, against counting them by hand.
struct PlanRiskTests {
    private static let cores: [(service: Part, cores: Double)] = [(.gateway, 2), (.issuer, 1), (.pir, 12)]
    private static let target = 0.6

    private static func demand(_ factor: Double) throws -> FleetDemand {
        let json = """
            {"devices": 1000000, "sample": 1000, "replications": 2, "interval": 600, "seriesStart": 0,
             "regions": [], "days": [], "percentiles": [], "lookupsPerDeviceDay": 50, "egressBytesPerDay": 0,
             "ingressBytesPerDay": 0, "downloadBytesPerDay": 0, "shards": 4, "databaseBytes": 0,
             "evaluationKeyBytes": 0}
            """
        var demand = try JSONDecoder().decode(FleetDemand.self, from: Data(json.utf8))
        let loads = cores.map { service, cores in
            FleetDemand.Load(
                service: service, meanCores: cores * factor / 2, peakCores: cores * factor,
                peakLow: cores * factor, peakHigh: cores * factor,
                series: [cores * factor / 2, cores * factor], serviceSeconds: 0.01)
        }
        demand.regions = [FleetDemand.Region(name: nil, loads: loads, share: 1)]
        return demand
    }

    /// Machines of one core, none to spare, and no limit of latency.
    private static func planner(_ demand: FleetDemand) throws -> ServerPlanner {
        var rule = PlanRule(
            latencies: [], targetUtilization: target, spareInstances: 0, survivesRegion: false)
        rule.coresPerInstance = [1]
        return ServerPlanner(
            demand, rule: rule, prices: try Prices.named("large-cloud"),
            geography: Geography(delays: [[0.01]], devices: [1_000_000]), keys: .stored)
    }

    /// From half to twice, even by its logarithm, as an input would be.
    private static let factors = (0..<40).map { pow(4, (Double($0) + 0.5) / 40 - 0.5) }

    private static func instances(_ factor: Double) -> [Int] {
        cores.map { Int(($0.cores * factor / target).rounded(.up)) }
    }

    private static func risk(_ share: Double) throws -> PlanRisk {
        let planner = try planner(demand(1))
        let plan = try #require(planner.plan())
        return try #require(
            PlanRisk(planner, plan, demands: factors.map { try demand($0) }, risk: share))
    }

    @Test func aChoiceIsTooSmallWhereItsServersAreFewerThanTheLoadAsksFor() throws {
        let risk = try Self.risk(0.1)
        #expect(risk.points == 40 && risk.withoutServers == 0)
        for choice in risk.choices {
            let own = choice.regions[0].machines.map(\.instances)
            let short = Self.factors.count { factor in
                zip(own, Self.instances(factor)).contains { $0 < $1 }
            }
            #expect(choice.tooSmall == short)
            #expect(choice.low <= risk.share(choice) && risk.share(choice) <= choice.high)
        }
        let planned = try #require(risk.plannedChoice)
        #expect(planned.regions[0].machines.map(\.instances) == Self.instances(1))
        #expect(planned.tooSmall == 20)
    }

    /// Money is proportional to cores here, so regret and what is missing are differences of their numbers.
    @Test func regretIsCountedInServers() throws {
        let risk = try Self.risk(0.1)
        let planned = try #require(risk.plannedChoice)
        func all(_ factor: Double) -> Double { Double(Self.instances(factor).reduce(0, +)) }
        let core = planned.money / all(1)
        let enough = Self.factors.filter { $0 < 1 }.map { (all(1) - all($0)) * core }
        let short = Self.factors.filter { $0 > 1 }.map { (all($0) - all(1)) * core }
        #expect(abs(planned.regret - enough.reduce(0, +) / Double(enough.count)) < 1e-6 * planned.money)
        #expect(abs(planned.mostRegret - (enough.max() ?? 0)) < 1e-6 * planned.money)
        let missing = try #require(planned.missing)
        #expect(abs(missing - short.reduce(0, +) / Double(short.count)) < 1e-6 * planned.money)
    }

    /// Money is proportional to cores, so that 2 % of it are 2 % of the cores.
    @Test func aNumberOfServersIsNearWhereItIsEnoughAndHardlyDearer() throws {
        let risk = try Self.risk(0.1)
        func all(_ factor: Double) -> Int { Self.instances(factor).reduce(0, +) }
        for choice in risk.choices {
            let own = choice.regions[0].machines.map(\.instances)
            let near = Self.factors.count { factor in
                zip(own, Self.instances(factor)).allSatisfy { $0 >= $1 }
                    && Double(own.reduce(0, +)) <= 1.02 * Double(all(factor))
            }
            #expect(choice.near == near)
            #expect(near + choice.tooSmall <= risk.points)
        }
        #expect(risk.cheapestCores == Self.factors.map { all($0) })
        #expect(risk.cheapestInstances == Self.factors.map { all($0) })
    }

    /// Machines have one core, so that one machine more is one core more.
    @Test func oneServerMoreIsCountedInCores() throws {
        let risk = try Self.risk(0.1)
        for choice in risk.choices {
            let own = choice.regions[0].machines.map(\.instances)
            let all = own.reduce(0, +)
            let within = Self.factors.count { factor in
                let needed = Self.instances(factor)
                let most = Double(needed.reduce(0, +))
                return zip(own, needed).allSatisfy { $0 >= $1 } && Double(all) <= max(most + 1, 1.02 * most)
            }
            #expect(choice.withinStep == within)
            #expect(abs(try #require(choice.step) * Double(all) / choice.money - 1) < 1e-6)
            if all != 50 { #expect(choice.isCoarse == (all < 50)) }
        }
    }

    @Test(arguments: [0.05, 0.1, 0.5])
    func theAdviceIsTheCheapestOfThatRisk(_ share: Double) throws {
        let risk = try Self.risk(share)
        let advised = try #require(risk.advisedChoice)
        // The demands are in order: so many of the largest may be missed.
        let last = Self.factors[Int(40 - share * 40) - 1]
        #expect(advised.regions[0].machines.map(\.instances) == Self.instances(last))
        #expect(risk.share(advised) <= share)
    }

    /// The same money and as often enough: nothing tells them apart; half the servers are another thing.
    @Test func choicesFarApartAreNotAlike() throws {
        let risk = try Self.risk(0.1)
        let (first, last) = (risk.choices[0], risk.choices[risk.choices.count - 1])
        #expect(!first.alike.contains(risk.choices.count - 1) && !last.alike.contains(0))
        for (place, choice) in risk.choices.enumerated() {
            for other in choice.alike { #expect(risk.choices[other].alike.contains(place)) }
        }
    }

    @Test func noServersAreNoRisk() throws {
        var planner = try Self.planner(Self.demand(1))
        let plan = try #require(planner.plan())
        planner.rule.latencies = [.init(percentile: 0.99, limit: 0.001)]
        #expect(PlanRisk(planner, plan, demands: [try Self.demand(1)], risk: 0.1) == nil)
    }

    @Test func contestsCountDrawsByTheirDirection() throws {
        let figure = IgnoranceFigure.money
        let short: [Double?] = (2...100).map(Double.init)
        let first = (1...100).map(Double.init)
        let contest = try #require(
            PlausibleContest(figure, .lower, first: first, second: first.map { $0 < 98 ? $0 - 1 : $0 + 1 }))
        #expect(contest.points == 100 && contest.better == 97 && contest.worse == 3)
        #expect(contest.median == -1 && contest.difference.low == -1 && contest.difference.high == 1)
        let turned = PlausibleContest(figure, .higher, first: first, second: first.map { $0 + 2 })
        #expect(turned?.better == 100)
        #expect(PlausibleContest(figure, .neither, first: first, second: first) == nil)
        #expect(PlausibleContest(figure, .lower, first: first, second: [nil] + short) == nil)
    }
}
