import Foundation

/// The cheapest design of filter, database and servers, with as few simulations as show that.
///
/// Each design has a forecast by closed forms. What it costs at least is the plan for a demand that is lower by a
/// margin, in traffic, bytes and time on the way; a design whose least is not less by a fiftieth than what the cheapest
/// simulated one costs is ruled out. The others are simulated, the least first. The margin is a tenth until some
/// forecasts have met their simulations, and then a multiple of the largest error, less the more there are: a design
/// that was ruled out by too narrow a margin comes back.
package struct JointSearch: Sendable {
    /// One combination of settings.
    package struct Design: Sendable {
        /// Planner with the forecast, or once it was simulated with what that showed.
        package fileprivate(set) var planner: ServerPlanner
        package fileprivate(set) var plan: ServerPlan?
        package fileprivate(set) var isSimulated = false
        /// No objective fails for sure, as far as simulations have said.
        package fileprivate(set) var meetsObjectives = true
        /// Money of the forecast's plan; `nil` without one.
        package fileprivate(set) var forecast: Double?
        fileprivate var forecastPlanner: ServerPlanner

        /// Money of the simulated plan over that of the forecast, less 1.
        package var error: Double? {
            guard isSimulated, let plan, let forecast, forecast > 0 else { return nil }
            return plan.total / forecast - 1
        }

        package var isChoice: Bool { plan != nil && meetsObjectives }
    }

    package private(set) var designs: [Design]
    /// Share by which forecasts are taken to be too high at most.
    package private(set) var margin = Self.firstMargin

    /// Share of the money that is not worth another simulation.
    package static let regret = PlanMerits.likeness
    /// Before enough forecasts have met their simulations, and never less than. Assumptions.
    package static let firstMargin = 0.1
    package static let leastMargin = 0.02
    /// Forecasts that are enough.
    package static let enough = 2
    /// The margin over an error that is the only one.
    package static let firstCaution = 3.0
    /// Were errors as likely anywhere up to a bound, all of n would be less than its 1/c once in c^n searches: the
    /// bound is beyond the margin once in so many.
    private static let searches = 81.0
    private static let largestMargin = 0.9

    /// - Parameters:
    ///   - planners: With the forecast of each design.
    ///   - simulated: Those whose demand is no forecast, with whether they meet their objectives.
    package init(_ planners: [ServerPlanner], simulated: [Int: Bool] = [:]) {
        designs = planners.enumerated().map { index, planner in
            let plan = planner.plan()
            var design = Design(planner: planner, plan: plan, forecastPlanner: planner)
            if let meetsObjectives = simulated[index] {
                (design.isSimulated, design.meetsObjectives) = (true, meetsObjectives)
            } else {
                design.forecast = plan?.total
            }
            return design
        }
    }

    /// The cheapest that was simulated.
    package var best: Int? { cheapest(of: designs.indices.filter { designs[$0].isSimulated }) }

    /// The cheapest of all, whether simulated or not.
    package var cheapestForecast: Int? { cheapest(of: Array(designs.indices)) }

    private func cheapest(of indices: [Int]) -> Int? {
        indices.filter { designs[$0].isChoice }
            .min { (designs[$0].plan?.total ?? 0, $0) < (designs[$1].plan?.total ?? 0, $1) }
    }

    /// The largest error of a forecast, of either sign; `nil` before a simulation.
    package var largestError: Double? { designs.compactMap(\.error).max { abs($0) < abs($1) } }

    /// The design to simulate next; `nil` when the rest is ruled out.
    package var next: Int? {
        let worth = best.flatMap { designs[$0].plan.map { $0.total * (1 - Self.regret) } } ?? .infinity
        return designs.indices.filter { !designs[$0].isSimulated && designs[$0].meetsObjectives }.compactMap {
            index in
            least(designs[index]).flatMap { $0 < worth ? (index: index, least: $0) : nil }
        }.min { ($0.least, $0.index) < ($1.least, $1.index) }?.index
    }

    /// Money of a plan for a demand that is lower by the margin; `nil` if there is none even then.
    private func least(_ design: Design) -> Double? {
        var planner = design.forecastPlanner
        let share = 1 - margin
        planner.demand = planner.demand.scaled(traffic: share, way: share)
        planner.demand.downloadBytesPerDay *= share
        planner.demand.databaseBytes *= share
        return planner.plan()?.total
    }

    /// Adds what a simulation of a design showed.
    package mutating func add(_ demand: FleetDemand, meetsObjectives: Bool, to index: Int) {
        designs[index].planner.demand = demand
        designs[index].isSimulated = true
        designs[index].meetsObjectives = meetsObjectives
        designs[index].plan = designs[index].planner.plan()
        let errors = designs.compactMap { $0.error.map(abs) }
        let isEnough = errors.count >= Self.enough
        let caution = isEnough ? pow(Self.searches, 1 / Double(errors.count)) : Self.firstCaution
        let least = isEnough ? Self.leastMargin : Self.firstMargin
        margin = min(max(least, caution * (errors.max() ?? 0)), Self.largestMargin)
    }

    /// Rules out designs that miss an objective for the same reason as one that was simulated.
    package mutating func ruleOut(_ indices: some Sequence<Int>) {
        for index in indices where !designs[index].isSimulated { designs[index].meetsObjectives = false }
    }

    /// Adds what does not change the plan, such as days of other kinds, to a design's demand.
    package mutating func replaceDemand(_ demand: FleetDemand, of index: Int) {
        designs[index].planner.demand = demand
        designs[index].plan = designs[index].planner.plan()
    }

    /// Plans all designs anew with longer waits.
    package mutating func setWaits(factor: Double, difference: Double) {
        for index in designs.indices {
            designs[index].planner.rule.waitFactor = factor
            designs[index].planner.rule.waitDifference = difference
            designs[index].plan = designs[index].planner.plan()
            designs[index].forecastPlanner.rule.waitFactor = factor
            designs[index].forecastPlanner.rule.waitDifference = difference
            guard designs[index].forecast != nil else { continue }
            designs[index].forecast = designs[index].forecastPlanner.plan()?.total
        }
    }
}
