import Experiment
import FleetModel
import Foundation
import Questions
import Scenarios
import Testing

/// Money over time of plans whose machines and bytes are counted by hand.
struct PlanBudgetTests {
    /// One place, a million devices with 50 lookups a day, and cores of gateway, issuer and PIR at the peak that are
    /// known to a tenth.
    private static func planner(prices: Prices) throws -> ServerPlanner {
        let json = """
            {"devices": 1000000, "sample": 1000, "replications": 2, "interval": 600,
             "seriesStart": 0, "regions": [], "days": [],
             "percentiles": [{"percentile": 0.99, "seconds": 0.3}], "lookupsPerDeviceDay": 50,
             "lookupsInterval": {"low": 45, "high": 60, "confidence": 0.95, "method": "t"},
             "lookupsPerMeanDay": 40,
             "egressBytesPerDay": 2e12, "ingressBytesPerDay": 1e12, "downloadBytesPerDay": 4e12,
             "shards": 4, "databaseBytes": 1e9, "evaluationKeyBytes": 1e5}
            """
        var demand = try JSONDecoder().decode(FleetDemand.self, from: Data(json.utf8))
        let loads = [(Part.gateway, 1.3), (.issuer, 0.4), (.pir, 5.2)].map { service, cores in
            FleetDemand.Load(
                service: service, meanCores: cores / 2, peakCores: cores, peakLow: cores * 0.9,
                peakHigh: cores * 1.1, series: [cores / 2, cores], serviceSeconds: 0.01)
        }
        demand.regions = [FleetDemand.Region(name: nil, loads: loads, share: 1)]
        var rule = PlanRule(latencies: [], targetUtilization: 0.6, spareInstances: 1, survivesRegion: false)
        rule.coresPerInstance = [1]
        return ServerPlanner(
            demand, rule: rule, prices: prices, geography: Geography(delays: [[0.01]], devices: [1_000]),
            keys: .stored)
    }

    private static func instances(_ plan: [ServerPlan.Region]?) -> [Int]? {
        plan?.first?.machines.map(\.instances)
    }

    @Test func aFleetThatStaysCostsTheSameEveryMonth() throws {
        let planner = try Self.planner(prices: Prices.named("large-cloud"))
        let plan = try #require(planner.plan())
        let budget = PlanBudget(planner, plan, growth: nil)
        #expect(budget.months.count == 24 && budget.years.count == 2)
        #expect(budget.months.allSatisfy { $0.total == plan.total && $0.devices == 1_000_000 })
        let year = budget.years[1]
        #expect(abs(year.total / (12 * plan.total) - 1) < 1e-12 && year.first == 13 && year.last == 24)
        #expect(abs(year.perDeviceMonth / (plan.total / 1e6) - 1) < 1e-12)
        // 40 lookups on the mean day, 30 days, a million devices.
        let perThousand = try #require(year.perThousandLookups)
        #expect(abs(perThousand / (plan.total / (40.0 * 30 * 1e6 / 1_000)) - 1) < 1e-12)
    }

    /// 3 % a month: a year of bytes is a geometric sum from the middle of its first month, and servers are those of the
    /// end of each: 5.2 cores × 1.03ᵏ at 60 %, and one spare.
    @Test func bytesGrowAsTheFleetAndServersInSteps() throws {
        let prices = try Prices.named("large-cloud")
        let planner = try Self.planner(prices: prices)
        let plan = try #require(planner.plan())
        let budget = PlanBudget(planner, plan, growth: GrowthLaw(least: 0.03, most: 0.03))
        let now = 4e12 * 30 * 1e-9 * prices.rates.downloadGigabyte
        let sum = now * pow(1.03, 0.5) * (pow(1.03, 12) - 1) / 0.03
        #expect(abs((budget.years[0].items["download"] ?? 0) / sum - 1) < 1e-5)
        #expect(abs((budget.years[1].items["download"] ?? 0) / (sum * pow(1.03, 12)) - 1) < 1e-5)
        for month in [1, 7, 24] {
            let byHand = [1.3, 0.4, 5.2].map { Int(($0 * pow(1.03, Double(month)) / 0.6).rounded(.up)) + 1 }
            let found = budget.months[month - 1]
            #expect(Self.instances(found.servers) == byHand)
            let hours = Double(byHand.reduce(0, +)) * 720 * prices.rates.coreHour
            #expect(abs((found.items["cores"] ?? 0) / hours - 1) < 1e-12)
        }
        let months = budget.months.prefix(12)
        #expect(abs(budget.years[0].total / months.reduce(0) { $0 + $1.total } - 1) < 1e-12)
    }

    /// Ends: 0.9 and 1.1 times the cores, 45 and 60 lookups for 50, and growth from 1 to 5 %, of which 95 % are from
    /// 1.1 to 4.9 %.
    @Test func bothEndsHaveDemandAndGrowthAtTheSameEnd() throws {
        let prices = try Prices.named("large-cloud")
        let planner = try Self.planner(prices: prices)
        let plan = try #require(planner.plan())
        let month = PlanBudget(planner, plan, growth: GrowthLaw(least: 0.01, most: 0.05)).months[11]
        func money(cores: Double, lookups: Double, growth: Double) -> Double {
            let (end, middle) = (pow(1 + growth, 12), pow(1 + growth, 11.5))
            let instances = [1.3, 0.4, 5.2].map { ($0 * cores * end / 0.6).rounded(.up) + 1 }
            let rates = prices.rates
            let egress = 2e12 * 30 * 1e-9 * rates.egressGigabyte * lookups
            let ingress = 1e12 * 30 * 1e-9 * rates.ingressGigabyte * lookups
            let rest =
                4e12 * 30 * 1e-9 * rates.downloadGigabyte + 1e6 * 1e5 * 1e-9 * rates.storageGigabyteMonth
            return instances.reduce(0, +) * 720 * rates.coreHour
                + instances[2] * 2 * rates.memoryGigabyteMonth + (egress + ingress + rest) * middle
        }
        #expect(abs(month.total / money(cores: 1, lookups: 1, growth: 0.03) - 1) < 1e-5)
        #expect(abs((month.low ?? 0) / money(cores: 0.9, lookups: 0.9, growth: 0.011) - 1) < 1e-5)
        #expect(abs((month.high ?? 0) / money(cores: 1.1, lookups: 1.2, growth: 0.049) - 1) < 1e-5)
    }

    @Test func threePlansDifferByTheirCare() throws {
        let planner = try Self.planner(prices: Prices.named("large-cloud"))
        let plan = try #require(planner.plan())
        let choices = PlanChoice.all(planner, plan, growth: nil)
        #expect(choices.map(\.care) == [.cheap, .chosen, .safe])
        func byHand(_ factor: Double, spare: Int) -> [Int] {
            [1.3, 0.4, 5.2].map { Int(($0 * factor / 0.6).rounded(.up)) + spare }
        }
        #expect(
            choices.map { Self.instances($0.plan?.regions) } == [
                byHand(1, spare: 0), byHand(1, spare: 1), byHand(1.1 * 1.5, spare: 2),
            ])
        #expect(choices[1].plan == plan)
        // What each bears is 60 % of its fullest service: 9 cores for 5.2 are the scarcest of the cheap plan.
        #expect(abs((choices[0].bears ?? 0) / (9 * 0.6 / 5.2) - 1) < 1e-6)
        #expect(abs((choices[1].bears ?? 0) / (10 * 0.6 / 5.2) - 1) < 1e-6)
        // Bytes are those that are expected, whatever the servers bear.
        #expect(choices[2].plan?.cost.total(.egress) == plan.cost.total(.egress))
        // The only issuer is gone then.
        let lost = try #require(choices[0].plan?[.instanceLost])
        #expect(lost.utilization == nil && lost.service == .issuer)
    }
}
