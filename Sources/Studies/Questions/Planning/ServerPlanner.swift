import Decoding
package import FleetModel
package import Scenarios
import URLFilter

/// The cheapest machines that meet a rule, by closed forms.
///
/// All sets of regions are tried as places for servers. In each, a service has a list of choices, number and size of
/// instances, of which only those are kept that no other one beats in both money and wait. Services of one region share
/// the latency that the objective leaves, so their choices are tried together; regions are independent once it is known
/// what each has to take over.
package struct ServerPlanner: Sendable {
    package var demand: FleetDemand
    package var rule: PlanRule
    package var prices: Prices
    package let geography: Geography
    package internal(set) var keys: KeyPlace
    /// Law of what lookups get when servers are lost; `nil` where nobody asks.
    package var outage: OutageLaw?
    /// How often devices can meet what the list names; `nil` where nobody asks.
    package var listed: ListedRange?
    /// Rules of autoscalers, by region and service; empty where servers stand all the time.
    package var scaling: [[Part: ScalingRule]] = []
    /// Threads of an instance that compute, in the same order; empty where nobody says.
    package var threads: [[Part: Int]] = []
    /// Pauses of each instance, in the same order; empty where there are none.
    package var pauses: [[Part: ServerPauses]] = []
    /// Fetches of a device in a day, those that find nothing new too.
    package var fetchesPerDeviceDay = 0.0

    package init(
        _ demand: FleetDemand, rule: PlanRule, prices: Prices, geography: Geography, keys: KeyPlace,
        outage: OutageLaw? = nil
    ) {
        self.outage = outage
        self.demand = demand
        self.rule = rule
        self.prices = prices
        self.geography = geography
        self.keys = keys
    }

    /// - Parameters:
    ///   - demand: Of the scenario's fleet.
    ///   - scenario: As it is, and not as the sample was simulated.
    package init(_ demand: FleetDemand, of scenario: Scenario, rule: PlanRule) {
        self.init(
            demand, rule: rule, prices: scenario.prices, geography: Geography(scenario),
            keys: KeyPlace(scenario), outage: OutageLaw(scenario))
        let regions = scenario.services.regions
        let places = regions.isEmpty ? [scenario.services.stations] : regions.map(\.stations)
        scaling = places.map { $0.compactMapValues(\.scaling) }
        threads = places.map { $0.compactMapValues(\.threads) }
        pauses = places.map { $0.compactMapValues(\.pauses) }
        fetchesPerDeviceDay =
            Double(Nanoseconds.days(1)) / Double(max(scenario.device.prefilterFetchInterval, 1))
    }

    /// - Returns: `nil` if no machines meet the latency objective.
    package func plan() -> ServerPlan? {
        var best: ServerPlan?
        for place in placements {
            guard let regions = place.cheapest() else { continue }
            let plan = place.describe(regions)
            if best.map({ plan.total < $0.total }) ?? true { best = plan }
        }
        return best
    }

    /// Other sets of regions whose cheapest machines cost less than a share more, the cheapest first: a sample of
    /// another seed, or another price of a machine, would choose one of them.
    package func plansLike(_ plan: ServerPlan, within share: Double = PlanMerits.likeness) -> [ServerPlan] {
        let chosen = plan.regions.map(\.name)
        return placements.compactMap { place in place.cheapest().map { place.describe($0) } }
            .filter { $0.regions.map(\.name) != chosen && $0.total <= plan.total * (1 + share) }
            .sorted { $0.total < $1.total }
    }

    /// Regions beyond which not every set is tried, but all of them together only: 255 sets take a second.
    private static let mostRegions = 8

    /// Sets of regions with servers, all of them first.
    package var placements: [Placement] {
        let all = Array(demand.regions.indices)
        let fewest = rule.survivesRegion && all.count > 1 ? 2 : 1
        guard all.count > 1, all.count <= Self.mostRegions else { return [Placement(self, there: all)] }
        let needed = all.filter { rule.leastInstances(in: demand.regions[$0].name) > 0 }
        return (1..<(1 << all.count)).reversed().map { bits in all.filter { bits >> $0 & 1 == 1 } }
            .filter { there in
                there.count >= fewest && needed.allSatisfy(there.contains) && geography.servesEveryone(there)
            }
            .map { Placement(self, there: $0) }
    }

    /// The place of a plan.
    func placement(of plan: ServerPlan) -> Placement { placement(of: plan.regions) }

    func placement(of regions: [ServerPlan.Region]) -> Placement {
        let names = regions.map(\.name)
        return Placement(
            self, there: demand.regions.indices.filter { names.contains(demand.regions[$0].name) })
    }

    /// Indices of the regions where a plan has servers.
    package func places(of plan: ServerPlan) -> [Int] { placement(of: plan).there }

    /// Whether a plan that was made for another demand or rule meets this one, too.
    package func accepts(_ plan: ServerPlan) -> Bool {
        placement(of: plan).firstFailure(plan.regions) == nil
    }

    /// Describes what a plan that was made for another demand comes to with this one.
    package func describe(_ plan: ServerPlan) -> ServerPlan { placement(of: plan).describe(plan.regions) }

    /// Fetches of all devices in a day.
    var fetchesPerDay: Double { fetchesPerDeviceDay * Double(demand.devices) }

    /// Whether a service is on the way of a lookup: tokens are fetched beside it.
    static func isOnTheWay(_ service: Part) -> Bool { service != .issuer }
}
