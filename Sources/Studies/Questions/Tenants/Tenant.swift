import Decoding
import FleetModel
package import Scenarios

/// One operator of several that may share servers: a list, devices and objectives of its own.
package struct Tenant: Sendable {
    package let name: String
    /// Planner with the demand of its own fleet, which has the days of its storms.
    package internal(set) var planner: ServerPlanner
    /// Seconds after which a lookup is refused by the PIR servers, or its device does not wait any more.
    package let patience: Double

    package init(name: String, planner: ServerPlanner, patience: Double) {
        (self.name, self.planner, self.patience) = (name, planner, patience)
    }

    package init(_ demand: FleetDemand, of scenario: Scenario, rule: PlanRule) {
        self.init(
            name: scenario.name, planner: ServerPlanner(demand, of: scenario, rule: rule),
            patience: scenario.patience)
    }

    var regions: [String?] { planner.demand.regions.map(\.name) }

    /// Whether one description of servers, in the same regions, is both tenants'.
    func hasServersOf(_ other: Tenant) -> Bool {
        let (mine, theirs) = (planner, other.planner)
        return regions == other.regions && mine.keys == theirs.keys && mine.scaling == theirs.scaling
            && mine.threads == theirs.threads && mine.demand.server == theirs.demand.server
    }

    /// The same with another demand.
    func with(_ demand: FleetDemand) -> Tenant {
        var tenant = self
        tenant.planner.demand = demand
        return tenant
    }
}

/// Scenarios that are not those of several tenants.
package enum TenantError: InputFault, Equatable, CustomStringConvertible {
    case one
    case tooMany(Int)
    case twice(String)
    case otherPrices(String, of: String)
    case otherOrder(String, of: String)
    /// The law of fair shares knows no pauses of servers.
    case pauses(String)
    /// No servers meet the objectives of the tenant alone.
    case noServers(String)

    /// Tenants that one answer is about, at most.
    package static let most = 16

    /// Checks scenarios before anything is simulated.
    package static func check(_ scenarios: [Scenario]) throws(Self) {
        guard let first = scenarios.first, scenarios.count > 1 else { throw .one }
        guard scenarios.count <= most else { throw .tooMany(scenarios.count) }
        for scenario in scenarios {
            let places = [scenario.services.stations] + scenario.services.regions.map(\.stations)
            if places.contains(where: { $0.values.contains { $0.pauses != nil } }) {
                throw .pauses(scenario.name)
            }
        }
        for (index, scenario) in scenarios.enumerated().dropFirst() {
            let regions = scenario.services.regions.compactMap(\.name)
            for other in scenarios[..<index] {
                if other.name == scenario.name { throw .twice(scenario.name) }
                let others = other.services.regions.compactMap(\.name)
                if others != regions, Set(others) == Set(regions) {
                    throw .otherOrder(scenario.name, of: other.name)
                }
            }
            if scenario.prices != first.prices { throw .otherPrices(scenario.name, of: first.name) }
        }
    }

    package var description: String {
        switch self {
        case .one: "there is one tenant; name the others' scenarios, each with --together FILE"
        case .tooMany(let count):
            "there are \(count) tenants, and one answer is about \(Self.most) at most; leave some out"
        case .twice(let name):
            "'\(name)' is there twice; each tenant has a scenario of its own, with another 'name'"
        case .otherPrices(let name, let other):
            "the prices of '\(name)' are not those of '\(other)', and one cluster is bought at one list; give all the"
                + " same, for example with --set prices=large-cloud"
        case .otherOrder(let name, let other):
            "'\(name)' has the regions of '\(other)' in another order; write them in the same one"
        case .pauses(let name):
            "servers of '\(name)' pause, and what a neighbour's storm does to servers that pause is not known; remove"
                + " 'pauses' from its services, or plan each tenant by itself"
        case .noServers(let name):
            "no servers meet the objectives of '\(name)' alone; 'urlfilter capacity' with its scenario says why"
        }
    }
}
