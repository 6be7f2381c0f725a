import EventSimulation
import FleetModel
import Foundation
import Questions
import Scenarios
import Testing

/// Hours that an autoscaler leaves to be paid for, and their money, by hand.
@Suite struct AutoscaledTests {
    /// Five instances of four cores; the load of a day in quarters.
    private static func scaled(
        target: Double = 0.6, minimum: Int = 1, coolDown: SimulatedDuration = .zero,
        meanDay: Double = 1, reserved: Double = 0
    ) throws -> Autoscaled? {
        let json = """
            {"devices": 1000, "sample": 1000, "replications": 2, "interval": 21600, "seriesStart": 0,
             "regions": [], "days": [], "percentiles": [], "lookupsPerDeviceDay": 50,
             "egressBytesPerDay": 0, "ingressBytesPerDay": 0, "downloadBytesPerDay": 0,
             "shards": 1, "databaseBytes": 0, "evaluationKeyBytes": 0,
             "week": {"meanDay": \(meanDay), "busiestDay": 1}}
            """
        var demand = try JSONDecoder().decode(FleetDemand.self, from: Data(json.utf8))
        demand.regions = [
            FleetDemand.Region(
                name: nil,
                loads: [
                    FleetDemand.Load(
                        service: .gateway, meanCores: 4.35, peakCores: 12, peakLow: 12, peakHigh: 12,
                        series: [2, 4, 9, 2.4], serviceSeconds: 0.01)
                ], share: 1)
        ]
        var prices = try Prices.named("large-cloud")
        prices.purchase = Purchase(
            reservedShare: reserved, reservedPrice: 0.6, spotShare: 0, spotPrice: 0.4)
        var rule = PlanRule(latencies: [], targetUtilization: 0.75, spareInstances: 1, survivesRegion: false)
        rule.coresPerInstance = [4]
        var planner = ServerPlanner(
            demand, rule: rule, prices: prices, geography: Geography(delays: [[0]], devices: [1]),
            keys: .stored)
        planner.scaling = [
            [
                .gateway: ScalingRule(
                    target: target, minimum: minimum, maximum: max(minimum, 3), period: .minutes(1),
                    coolDown: coolDown,
                    startDelay: nil)
            ]
        ]
        let plan = try #require(planner.plan())
        let machines = try #require(plan.regions[0].machines.first)
        // 12 cores of load at 75 % are four instances, and the spare one.
        #expect(machines.instances == 5)
        return machines.scaled
    }

    /// 2, 4, 9 and 2.4 busy cores at 60 % of four each: 2 (the least), 2, 4 and 2 of five.
    @Test func hoursFollowTheLoadOfTheDay() throws {
        let usual = try #require(try Self.scaled())
        #expect(usual.minimum == 2 && usual.target == 0.6)
        #expect(abs(usual.paidShare - 10.0 / 20) < 1e-12)
        // Six hours of cooling down keep the four instances of the third quarter.
        #expect(abs((try Self.scaled(coolDown: .hours(6))?.paidShare ?? 0) - 12.0 / 20) < 1e-12)
        // The mean day has half of the load of the busiest one: two instances all day.
        #expect(abs((try Self.scaled(meanDay: 0.5)?.paidShare ?? 0) - 8.0 / 20) < 1e-12)
        #expect(abs((try Self.scaled(minimum: 4)?.paidShare ?? 0) - 16.0 / 20) < 1e-12)
        // Three of five are paid for at all times.
        #expect(abs((try Self.scaled(reserved: 0.6)?.paidShare ?? 0) - (3 * 0.6 + 0.8) / 4) < 1e-12)
        // Who aims lower runs more: 2, 4, 5 and 2. Who aims higher does not: all run at the planned peak, 12 of 20 cores.
        let low = try #require(try Self.scaled(target: 0.3))
        #expect(low.target == 0.3 && abs(low.paidShare - 13.0 / 20) < 1e-12)
        #expect(abs((try Self.scaled(target: 0.9)?.target ?? 0) - 0.6) < 1e-12)
    }

    /// Half of the servers with a commitment at 60 %, three tenths that may be taken back at 40 %, two tenths by the hour.
    @Test func commitmentsArePaidAlwaysAndTheRestWhileItRuns() throws {
        var prices = try Prices.named("large-cloud")
        prices.purchase = Purchase(reservedShare: 0.5, reservedPrice: 0.6, spotShare: 0.3, spotPrice: 0.4)
        func money(_ paid: Double?) -> Double {
            var machines = Machines(
                service: .gateway, instances: 10, coresPerInstance: 4, memoryPerInstance: 0)
            machines.scaled = paid.map { Autoscaled(minimum: 1, target: 0.5, paidShare: $0) }
            return MonthlyCost([RegionResources(machines: [machines])], prices: prices).total
        }
        let all = 40 * 720 * prices.rates.coreHour
        #expect(abs(money(nil) - all * (0.5 * 0.6 + 0.3 * 0.4 + 0.2)) < 1e-9 * all)
        #expect(abs(money(1) - money(nil)) < 1e-9 * all)
        // A fifth of the hours is run beyond the commitment, in the proportion of the others.
        #expect(abs(money(0.7) - all * (0.5 * 0.6 + 0.2 * (0.3 * 0.4 + 0.2) / 0.5)) < 1e-9 * all)
        #expect(abs(money(0.5) - all * 0.5 * 0.6) < 1e-9 * all)
    }
}
