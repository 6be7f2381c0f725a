package import Experiment
import FleetModel
package import Scenarios

/// Answer of `urlfilter capacity` without `--find`: the cheapest servers for a scenario, by closed forms on the
/// demand of a simulated sample.
package struct ServerPlanResult: Codable, Equatable, Sendable {
    package static let schema = "urlfilter.server-plan/1"

    package enum Confirmation: String, Codable, Sendable {
        /// The rule is met with waits, demand and the way of a lookup at the upper ends of their intervals.
        case holds
        /// The rule is met with their means, and not with those.
        case cannotTell
        case misses
    }

    /// One combination of settings that were varied.
    package struct Point: Codable, Equatable, Sendable {
        /// Varied settings by path; empty for a single point.
        package var settings: [String: String]
        package var demand: FleetDemand
        /// Absent if no machines meet the objectives.
        package var plan: ServerPlan?
        /// Objectives that servers do not change, such as a share of URLs that leak, as the sample has them.
        package var objectives: [ObjectiveResult]
        /// Whether no other point is as good in money, latency and shards, and better in one; differences of a fiftieth
        /// are none.
        package var isUndominated: Bool
        /// The demand is no simulated sample's but follows from another point's by closed forms.
        package var isForecast: Bool

        package init(
            settings: [String: String], demand: FleetDemand, plan: ServerPlan?,
            objectives: [ObjectiveResult] = [], isForecast: Bool = false
        ) {
            self.objectives = objectives
            self.settings = settings
            self.demand = demand
            self.plan = plan
            self.isForecast = isForecast
            isUndominated = false
        }

        /// Whether it can be chosen: there is a plan, and no objective fails for sure.
        package var isChoice: Bool { plan != nil && !objectives.contains { $0.verdict == .fail } }

        /// Latency of a lookup while all is well, seconds.
        package var latency: Double? { plan?.states.first { $0.situation == .healthy }?.latency }
    }

    /// Which points were simulated, and what their forecasts were worth.
    package struct Search: Codable, Equatable, Sendable {
        /// Combinations that were asked about; ``ServerPlanResult/points`` has those that were simulated or forecast.
        package var designs: Int
        /// Others that cannot cost less by more than a fiftieth, since no servers are smaller.
        package var notCheaper: Int
        /// Others that miss an objective for the same reason as one that was simulated.
        package var notMeeting: Int
        package var simulated: Int
        /// Money of a simulated plan over that of its forecast, less 1: the largest, of either sign. Absent where all
        /// points were simulated anyway.
        package var largestError: Double?
        /// Share by which a forecast may be too high without hiding a point that is cheaper by more than a fiftieth.
        package var margin: Double
        /// Every point was simulated or ruled out.
        package var isComplete: Bool
        /// Paths of settings whose values are the best of a whole range, for each combination of the others; absent
        /// without one, and in documents of earlier versions.
        package var continuous: [String]?

        package init(
            designs: Int, notCheaper: Int, notMeeting: Int, simulated: Int, largestError: Double?,
            margin: Double,
            isComplete: Bool
        ) {
            self.designs = designs
            self.notCheaper = notCheaper
            self.notMeeting = notMeeting
            self.isComplete = isComplete
            self.simulated = simulated
            self.largestError = largestError
            self.margin = margin
        }
    }

    /// A choice of regions that the sample cannot tell from the chosen one.
    package struct Alike: Codable, Equatable, Sendable {
        package var regions: [String]
        /// A month.
        package var total: Double
    }

    package var schema = Self.schema
    package var scenario: String
    package var devices: Int
    package var rule: PlanRule
    package var prices: Prices
    package var points: [Point]
    /// How the points were searched; absent for a single one.
    package var search: Search?
    /// Place of the chosen plan; absent if no point has one.
    package var best: Int?
    /// Devices of the sample, if it was smaller than asked for because the smallest servers are enough for the
    /// upper end of what it shows.
    package var smallSample: Int?
    /// Outlook of the chosen plan while the fleet grows; all that follows is of this plan, too.
    package var growth: PlanGrowth?
    package var sensitivity: PlanSensitivity?
    /// Money month by month, and plans with less and with more care beside it; absent in documents of earlier versions.
    package var budget: PlanBudget?
    package var choices: [PlanChoice]?
    /// Other places for the servers that cost nearly as much; absent in documents of earlier versions.
    package var placesAlike: [Alike]?
    /// Findings of simulations; empty if there were none.
    package var checks: [PlanCheck] = []
    /// Whether the plan meets its rule with the waits that were simulated; absent without a simulation.
    package var confirmation: Confirmation?
    /// Objectives of the scenario that the closed forms know nothing of.
    package var unplanned: [String]
    /// Downloads against freshness by the interval of fetches; absent for a list that stays, and in documents of
    /// earlier versions.
    package var fetches: [FetchForecast]?
    /// Storms at the chosen plan's servers; absent in documents of earlier versions.
    package var storms: StormForecast?
    /// How often devices can meet what the list names; absent if that was counted, and in documents of earlier
    /// versions.
    package var listed: ListedRange?
    /// Entries of the list, and those that are not needed beside another one; absent if nobody looked, and in documents
    /// of earlier versions.
    package var entries: Int?
    package var coveredEntries: Int?
    /// How long configurations are served, where each edition has its own; absent in documents of earlier versions.
    package var configuration: ConfigurationLife?
    /// How far demand and money move over what nobody knows; absent where chance alone was asked for, where nothing is
    /// left to know, and in documents of earlier versions.
    package var ignorance: IgnoranceResult?
    /// How often servers are too small over the same; absent with ``ignorance``, and if no servers are ever enough.
    package var risk: PlanRisk?

    /// - Parameter best: Place of the chosen point; `nil`: the cheapest that can be chosen.
    package init(
        scenario: String, devices: Int, rule: PlanRule, prices: Prices, points: [Point], unplanned: [String],
        best: Int? = nil
    ) {
        self.scenario = scenario
        self.devices = devices
        self.rule = rule
        self.prices = prices
        self.points = points
        self.unplanned = unplanned
        for place in points.indices {
            self.points[place].isUndominated = Self.isUndominated(points[place], among: points)
        }
        self.best =
            best
            ?? points.indices.filter { points[$0].isChoice }.min {
                (points[$0].plan?.total ?? 0, $0) < (points[$1].plan?.total ?? 0, $1)
            }
    }

    /// Adds what simulations of the chosen plan said.
    ///
    /// - Parameter planner: Of the chosen point, with the factor of waits that made it.
    package mutating func addChecks(_ checks: [PlanCheck], _ planner: ServerPlanner) {
        self.checks = checks
        guard let plan = bestPoint?.plan, !checks.isEmpty else { return }
        func accepts(_ demand: FleetDemand, _ factors: [Double?], _ differences: [Double?]) -> Bool {
            var planner = planner
            let known = factors.compactMap(\.self)
            planner.demand = demand
            planner.rule.waitFactor = known.max() ?? 1
            planner.rule.waitDifference = differences.compactMap(\.self).max()
            return known.count == factors.count && planner.accepts(plan)
        }
        let demand = planner.demand
        confirmation =
            accepts(demand.atHighEnd, checks.map(\.highFactor), checks.map(\.highDifference))
            ? .holds
            : accepts(demand, checks.map(\.factor), checks.map(\.difference)) ? .cannotTell : .misses
    }

    /// Adds what the chosen plan comes to later, and if assumptions are wrong.
    ///
    /// - Parameters:
    ///   - planner: Of the chosen point.
    ///   - growth: A month's; `nil` if nobody asks.
    package mutating func addOutlook(_ planner: ServerPlanner, growth: GrowthLaw?) {
        guard let plan = bestPoint?.plan else { return }
        self.growth = growth.map { PlanGrowth(planner, plan, perMonth: $0) }
        budget = PlanBudget(planner, plan, growth: growth)
        choices = PlanChoice.all(planner, plan, growth: growth)
        sensitivity = PlanSensitivity(planner, plan)
        placesAlike = planner.plansLike(plan).map {
            Alike(regions: $0.regions.compactMap(\.name), total: $0.total)
        }
    }

    package var bestPoint: Point? { best.map { points[$0] } }

    /// Share of the entries that is not needed, and what their bits of the prefilters cost a month; `nil` for none.
    package var covered: (share: Double, money: Double)? {
        guard let entries, let coveredEntries, entries > 0, coveredEntries > 0, let plan = bestPoint?.plan
        else {
            return nil
        }
        let share = Double(coveredEntries) / Double(entries)
        return (share, share * plan.cost.total(.download))
    }

    private static func isUndominated(_ point: Point, among points: [Point]) -> Bool {
        func merits(_ point: Point) -> PlanMerits? {
            point.isChoice ? point.plan.flatMap(PlanMerits.init) : nil
        }
        guard let mine = merits(point) else { return false }
        return !points.contains { merits($0)?.beat(mine) ?? false }
    }
}

/// Values that designs are weighed by.
struct PlanMerits {
    private let values: [Double]

    /// Smaller differences in money and latency are none.
    static let likeness = 0.02

    /// - Returns: `nil` for a plan with a line that only grows.
    init?(_ plan: ServerPlan) {
        guard let latency = plan[.healthy]?.latency else { return nil }
        // Fewer shards tell the server less of what is looked up: each lookup names its shard.
        values = [plan.total, latency, Double(plan.shards)]
    }

    /// Whether this one is as good in money, latency and shards, and better in one.
    func beat(_ other: Self) -> Bool {
        let pairs = zip(values, other.values)
        return pairs.allSatisfy { $0 <= $1 * (1 + Self.likeness) }
            && pairs.contains { $0 < $1 * (1 - Self.likeness) }
    }
}
