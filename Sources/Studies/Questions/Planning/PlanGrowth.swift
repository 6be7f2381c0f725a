package import FleetModel
import Foundation
import RandomStreams

/// Next purchase of machines, and what a plan costs later, if the fleet grows by the same share every month.
package struct PlanGrowth: Codable, Equatable, Sendable {
    /// Purchase that is due first in a region.
    package struct Purchase: Codable, Equatable, Sendable {
        /// Reason for the purchase: too few cores, too little memory, or too much latency.
        package enum Cause: String, Codable, Sendable {
            case cores, memory, latency
        }

        package var region: String?
        package var cause: Cause
        /// The service that gets too busy; `nil`: the latency objective is missed first.
        package var service: Part?
        /// Months from the start until the rule is not met any more, which half of what may come exceeds; 0 is at once.
        package var months: Double
        /// Between them lies 95 % of what may come: of demands as wide as their interval, and of growths. What keys and
        /// a database need is known.
        package var earliest: Double
        package var latest: Double
        /// How likely it is due within ``PlanGrowth/horizon``.
        package var chances: [Double]
    }

    /// The cheapest plan of a later month.
    package struct Later: Codable, Equatable, Sendable {
        package var months: Int
        package var devices: Double
        package var cores: Int
        package var total: Double
    }

    /// Share of the load that a month adds: half of what may come is less.
    package var perMonth: Double
    /// The least and the most of it; absent for one number.
    package var range: [Double]?
    /// The likeliest of a range whose chances are a triangle; absent where all values are as likely.
    package var likeliest: Double?
    /// Soonest first.
    package var purchases: [Purchase]
    package var later: [Later]

    /// Months.
    package static let horizon = [6, 12, 24]

    /// - Parameters:
    ///   - perMonth: Above 0.
    package init(_ planner: ServerPlanner, _ plan: ServerPlan, perMonth law: GrowthLaw) {
        precondition(law.least > 0, "growth has to be above 0, got \(law)")
        let perMonth = law.quantile(0.5)
        self.perMonth = perMonth
        range = law.isKnown ? nil : [law.least, law.most]
        likeliest = law.isKnown ? nil : law.likeliest
        let tail = StandardNormal.quantile(0.975)
        let regions = planner.placement(of: plan).there
        purchases = regions.compactMap { place -> Purchase? in
            guard let (factor, failure) = Self.most(planner, plan, at: place) else { return nil }
            let (service, cause): (Part?, Purchase.Cause) =
                switch failure {
                case .load(_, let service): (service, .cores)
                case .memory(_, let service): (service, .memory)
                case .latency: (nil, .latency)
                }
            let name = planner.demand.regions[place].name
            let fill = plan.fill.first { $0.region == name && $0.service == service ?? .pir }
            var (low, high) = (1.0, 1.0)
            if cause != .memory, let fill {
                low = max(fill.peakLow / max(fill.peakCores, 1e-300), 1e-9)
                high = max(fill.peakHigh / max(fill.peakCores, 1e-300), 1e-9)
            }
            let date = GrowthDate(
                factor: factor, growth: law, below: -log(min(low, 1)) / tail, above: log(max(high, 1)) / tail)
            return Purchase(
                region: name, cause: cause, service: service, months: date.months(0.5),
                earliest: date.months(0.025), latest: date.months(0.975),
                chances: Self.horizon.map { date.probability(months: Double($0)) })
        }.sorted { $0.months < $1.months }
        later = Self.horizon.compactMap { month in
            var planner = planner
            let factor = pow(1 + perMonth, Double(month))
            planner.demand = planner.demand.scaled(traffic: factor, devices: factor)
            return planner.plan().map {
                Later(
                    months: month, devices: Double(planner.demand.devices), cores: $0.cores, total: $0.total)
            }
        }
    }

    /// The largest factor of the demand that one region's machines bear, and what fails beyond; `nil` if they bear
    /// a thousandfold.
    static func most(
        _ planner: ServerPlanner, _ plan: ServerPlan, at place: Int
    ) -> (factor: Double, failure: Placement.Failure)? {
        func failure(_ factor: Double) -> Placement.Failure? {
            var planner = planner
            planner.demand = planner.demand.scaled(traffic: factor, devices: factor)
            let placement = planner.placement(of: plan)
            return placement.there.firstIndex(of: place).flatMap { index in
                placement.firstFailure(plan.regions[index], at: place)
            }
        }
        guard var found = failure(1_000) else { return nil }
        var (low, high) = (log(1e-3), log(1e3))
        for _ in 0..<50 {
            let middle = (low + high) / 2
            if let fails = failure(exp(middle)) {
                (high, found) = (middle, fails)
            } else {
                low = middle
            }
        }
        return (exp(low), found)
    }
}
