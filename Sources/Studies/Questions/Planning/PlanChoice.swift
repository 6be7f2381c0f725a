import FleetModel

/// One of three plans for the same fleet that are looked at side by side.
package struct PlanChoice: Codable, Equatable, Sendable {
    package enum Care: String, CaseIterable, Codable, Sendable {
        /// No spare instance, and no region that may be lost: the objectives hold while all is well.
        case cheap
        case chosen
        /// One spare instance more, every load and the way of a lookup at the upper ends of their intervals, and the
        /// busiest day of a year.
        case safe
    }

    package var care: Care
    /// Instances of each service that may be gone, and whether a region may.
    package var spareInstances: Int
    package var survivesRegion: Bool
    /// Machines, with the demand that is expected; absent if no machines meet its rule.
    package var plan: ServerPlan?
    package var years: [PlanBudget.Period]
    /// Today's load times this is the most at which all objectives hold while all is well; absent above a thousandfold.
    package var bears: Double?

    /// Peak of the busiest day of a year over that of the busiest weekday. Assumption.
    package static let busiestDay = 1.5

    /// - Parameter growth: A month's; `nil` for a fleet that stays.
    package static func all(
        _ planner: ServerPlanner, _ plan: ServerPlan, growth: GrowthLaw?
    ) -> [PlanChoice] {
        Care.allCases.map { care in
            let planner = care.rule(for: planner)
            guard let plan = care == .chosen ? plan : care.plan(planner) else {
                return PlanChoice(
                    care: care, spareInstances: planner.rule.spareInstances,
                    survivesRegion: planner.rule.survivesRegion, years: [])
            }
            return PlanChoice(
                care: care, spareInstances: planner.rule.spareInstances,
                survivesRegion: planner.rule.survivesRegion, plan: plan,
                years: PlanBudget(planner, plan, growth: growth, sized: care.sized(planner.demand)).years,
                bears: planner.bears(plan))
        }
    }
}

extension PlanChoice.Care {
    fileprivate func rule(for planner: ServerPlanner) -> ServerPlanner {
        var planner = planner
        switch self {
        case .cheap: (planner.rule.spareInstances, planner.rule.survivesRegion) = (0, false)
        case .chosen: break
        case .safe:
            planner.rule.spareInstances += 1
            planner.rule.survivesRegion = planner.demand.regions.count > 1
        }
        return planner
    }

    /// The demand that machines are for where it is not the one that is expected.
    fileprivate func sized(_ demand: FleetDemand) -> FleetDemand? {
        self == .safe ? demand.atHighEnd.scaled(peak: PlanChoice.busiestDay) : nil
    }

    /// The cheapest machines for that demand, described with the one that is expected.
    fileprivate func plan(_ planner: ServerPlanner) -> ServerPlan? {
        var sized = planner
        sized.demand = self.sized(planner.demand) ?? planner.demand
        return sized.plan().map(planner.describe)
    }
}

extension ServerPlanner {
    /// Factor of today's load that the machines of a plan bear while all is well.
    fileprivate func bears(_ plan: ServerPlan) -> Double? {
        var planner = self
        (planner.rule.spareInstances, planner.rule.survivesRegion) = (0, false)
        return planner.places(of: plan).compactMap { PlanGrowth.most(planner, plan, at: $0)?.factor }.min()
    }
}
