import FleetModel
import Foundation
import Scenarios

/// Money of a plan month by month, while its fleet grows: servers that are enough at the end of each month, in the
/// regions of the plan, and the bytes of its middle.
package struct PlanBudget: Codable, Equatable, Sendable {
    /// Money of some months.
    package struct Period: Codable, Equatable, Sendable {
        /// The first and the last of them; 1 begins now.
        package var first: Int
        package var last: Int
        /// On average.
        package var devices: Double
        package var total: Double
        /// The same with the demand and the growth at the lower ends of their intervals of 95 %, and at the upper ones;
        /// absent where no machines meet the rule then.
        package var low: Double?
        package var high: Double?
        package var perDeviceMonth: Double
        /// Absent where nobody knows how many there are.
        package var perThousandLookups: Double?
        /// Sums by ``MonthlyCost/Item``.
        package var items: [String: Double]
        /// Machines of a single month.
        package var servers: [ServerPlan.Region]?
    }

    /// Growth of a month, which half of what may come exceeds; 0 without any.
    package var growth: Double
    /// Lookups of a device in a month; absent where nobody knows.
    package var lookupsPerDeviceMonth: Double?
    /// Fewer than ``length`` where no machines are enough for a later one.
    package var months: [Period]
    /// Twelve months each, as far as they are complete.
    package var years: [Period]

    package static let length = 24
    private static let monthsOfYear = 12

    /// - Parameters:
    ///   - growth: A month's; `nil` for a fleet that stays.
    ///   - sized: Demand that the machines are for, where that is another one than what is expected.
    package init(
        _ planner: ServerPlanner, _ plan: ServerPlan, growth law: GrowthLaw?, sized: FleetDemand? = nil
    ) {
        func course(_ demand: FleetDemand, _ probability: Double) -> BudgetCourse {
            var planner = planner
            planner.demand = demand
            return BudgetCourse(
                planner: planner, plan: plan, growth: law?.quantile(probability) ?? 0, sized: sized ?? demand)
        }
        let demand = planner.demand
        let lookups = demand.lookupsPerMeanDay.map { $0 * Prices.daysPerMonth }
        let middle = course(demand, 0.5)
        let low = course(demand.atLowEnd, Self.tail).months(Self.length)
        let high = course(demand.atHighEnd, 1 - Self.tail).months(Self.length)
        growth = middle.growth
        lookupsPerDeviceMonth = lookups
        months = middle.months(Self.length).enumerated().map { index, month in
            Period(
                [month], first: index + 1, lookups: lookups,
                low: low.indices.contains(index) ? low[index].cost.total : nil,
                high: high.indices.contains(index) ? high[index].cost.total : nil)
        }
        years = []
        let all = months
        years = stride(from: 0, to: all.count - Self.monthsOfYear + 1, by: Self.monthsOfYear).map {
            Period(all[$0..<$0 + Self.monthsOfYear])
        }
    }

    /// Probability beyond each end of an interval.
    private static let tail = 0.025
}

extension PlanBudget.Period {
    fileprivate init(
        _ months: [BudgetCourse.Month], first: Int, lookups: Double?, low: Double?, high: Double?
    ) {
        let total = months.reduce(0) { $0 + $1.cost.total }
        let devices = months.reduce(0) { $0 + $1.devices } / Double(max(1, months.count))
        let deviceMonths = max(devices * Double(months.count), 1)
        self.init(
            first: first, last: first + months.count - 1, devices: devices, total: total, low: low,
            high: high,
            perDeviceMonth: total / deviceMonths,
            perThousandLookups: lookups.flatMap { $0 > 0 ? total / deviceMonths / $0 * 1_000 : nil },
            items: months.reduce(into: [:]) { sums, month in
                for row in month.cost.rows { sums[row.item.rawValue, default: 0] += row.money }
            }, servers: months.count == 1 ? months[0].servers : nil)
    }

    /// Sums months: the ends of an interval too, since growth and demand are at the same end in all of them.
    fileprivate init(_ months: ArraySlice<Self>) {
        let total = months.reduce(0) { $0 + $1.total }
        let deviceMonths = months.reduce(0) { $0 + $1.devices }
        let lows = months.compactMap(\.low)
        let highs = months.compactMap(\.high)
        let thousands = months.reduce(0.0) { sum, month in
            sum + (month.perThousandLookups.map { month.total / $0 } ?? 0)
        }
        self.init(
            first: months.first?.first ?? 1, last: months.last?.last ?? 1,
            devices: deviceMonths / Double(max(1, months.count)), total: total,
            low: lows.count == months.count ? lows.reduce(0, +) : nil,
            high: highs.count == months.count ? highs.reduce(0, +) : nil,
            perDeviceMonth: total / max(deviceMonths, 1),
            perThousandLookups: thousands > 0 ? total / thousands : nil,
            items: months.reduce(into: [:]) { sums, month in
                sums.merge(month.items) { $0 + $1 }
            })
    }
}

/// One way that demand and growth may go, and what a plan costs on it.
struct BudgetCourse {
    struct Month {
        /// Devices in its middle.
        var devices: Double
        var servers: [ServerPlan.Region]
        var cost: MonthlyCost
    }

    /// Planner with the demand that is expected.
    let planner: ServerPlanner
    let plan: ServerPlan
    let growth: Double
    /// Demand that the machines are for.
    let sized: FleetDemand

    /// Months from the first one, as many as have machines.
    func months(_ count: Int) -> [Month] {
        guard growth > 0 else {
            return month(1).map { Array(repeating: $0, count: count) } ?? []
        }
        var months: [Month] = []
        while months.count < count, let next = month(months.count + 1) { months.append(next) }
        return months
    }

    private func month(_ number: Int) -> Month? {
        let end = grown(sized, Double(number))
        let middle = grown(planner.demand, Double(number) - 0.5)
        guard let servers = end.placement(of: plan.regions).cheapest() else { return nil }
        return Month(
            devices: Double(planner.demand.devices) * factor(Double(number) - 0.5), servers: servers,
            cost: middle.placement(of: servers).cost(servers))
    }

    private func factor(_ months: Double) -> Double { pow(1 + growth, months) }

    private func grown(_ demand: FleetDemand, _ months: Double) -> ServerPlanner {
        var planner = planner
        planner.demand = demand.scaled(traffic: factor(months), devices: factor(months))
        return planner
    }
}
