import FleetModel
import Scenarios

/// Whether several tenants share servers: what that saves, and what each then gets from the others.
package struct TenantPlan: Codable, Equatable, Sendable {
    package static let schema = "urlfilter.tenants/1"

    /// Why a tenant keeps servers of its own.
    package enum Apart: String, Codable, CaseIterable, Sendable {
        case otherRegions, otherServers
        /// No machines hold all databases and keys, or keep waits short enough.
        case tooMuch
        /// Its storms break a neighbour's objectives, in a fair queue too.
        case storms
        case savesNothing
        /// The others that it could share with keep servers of their own.
        case nobodyLeft
    }

    package struct Row: Codable, Equatable, Sendable {
        package var name: String
        package var devices: Int
        /// Busy cores of its PIR servers in its busiest five minutes, and when these begin, seconds of the day.
        package var peakCores: Double
        package var peakTime: Double
        package var own: ServerPlan
        package var ownWaits: Waits
        /// Waits in the advised cluster; absent where it keeps servers of its own.
        package var sharedWaits: Waits?
        package var apart: Apart?
    }

    /// Seconds at all servers on the way of a lookup, at the peak; absent where a line only grows.
    package struct Waits: Codable, Equatable, Sendable {
        package var p95: Double?
        package var p99: Double?
    }

    package struct Cluster: Codable, Equatable, Sendable {
        package enum Queue: String, Codable, Sendable {
            case firstCome, fair
        }

        package var tenants: [String]
        package var plan: ServerPlan
        package var storms: [NeighbourStorm]

        init(_ shared: SharedCluster, _ plan: ServerPlan) {
            tenants = shared.tenants.map(\.name)
            self.plan = plan
            storms = shared.storms(plan)
        }

        /// The simplest queue in which no storm breaks a neighbour's objectives; `nil` if none does.
        package var queue: Queue? {
            func keeps(_ effect: KeyPath<NeighbourStorm.Other, NeighbourStorm.Effect>) -> Bool {
                storms.allSatisfy { $0.worst(effect)?.keepsObjectives ?? true }
            }
            return keeps(\.firstCome) ? .firstCome : keeps(\.fair) ? .fair : nil
        }
    }

    /// Tenants with the same regions and servers.
    package struct Kin: Codable, Equatable, Sendable {
        package var tenants: [String]
        /// All of them on the same servers, whatever their storms; absent if that cannot be bought.
        package var whole: Cluster?
        /// The cluster that is advised; absent where all keep servers of their own.
        package var advised: Cluster?
        /// Gateway and issuer for all, PIR servers for each.
        package var frontOnly: Total?
        /// Money that the advised cluster saves a month, with all peaks at the lower and at the upper end of what the
        /// samples leave open.
        package var saving: Saving?
    }

    /// Servers that stand there, and a month's money for all of the plan.
    package struct Total: Codable, Equatable, Sendable {
        package var money = 0.0
        package var instances = 0
        package var cores = 0

        init() {}

        init(money: Double, _ machines: [Machines]) {
            self.money = money
            instances = machines.reduce(0) { $0 + $1.instances }
            cores = machines.reduce(0) { $0 + $1.cores }
        }

        package init(_ plan: ServerPlan) { self.init(money: plan.total, plan.regions.flatMap(\.machines)) }

        static func + (left: Total, right: Total) -> Total {
            var sum = left
            sum.money += right.money
            sum.instances += right.instances
            sum.cores += right.cores
            return sum
        }
    }

    /// Money a month, between its ends.
    package struct Saving: Codable, Equatable, Sendable {
        package var low: Double
        package var high: Double
    }

    package var schema = Self.schema
    package var currency: String
    package var tenants: [Row]
    package var kin: [Kin]

    /// - Throws: ``TenantError`` for a tenant that no servers are enough for.
    package init(_ tenants: [Tenant]) throws(TenantError) {
        currency = tenants.first?.planner.prices.currency ?? ""
        self.tenants = []
        kin = []
        for tenant in tenants {
            guard let row = Row(tenant) else { throw .noServers(tenant.name) }
            self.tenants.append(row)
        }
        for tenant in tenants where !kin.contains(where: { $0.tenants.contains(tenant.name) }) {
            let alike = tenants.filter { $0.hasServersOf(tenant) }
            kin.append(Kin(tenants: alike.map(\.name)))
            guard alike.count > 1 else {
                let others = tenants.filter { $0.name != tenant.name && $0.regions == tenant.regions }
                keepApart([tenant.name], others.isEmpty ? .otherRegions : .otherServers)
                continue
            }
            decide(alike)
        }
    }

    private mutating func keepApart(_ names: [String], _ reason: Apart) {
        for index in tenants.indices where names.contains(tenants[index].name) {
            tenants[index].apart = reason
        }
    }

    /// Leaves out who does not fit or whose storms are too much, until the others can share.
    private mutating func decide(_ alike: [Tenant]) {
        let last = kin.count - 1
        kin[last].frontOnly = SharedCluster(alike).frontOnly
        var members = alike
        while members.count > 1 {
            let shared = SharedCluster(members)
            guard let plan = shared.planner.plan() else {
                let largest = members.indices.max {
                    members[$0].planner.demand.databaseBytes < members[$1].planner.demand.databaseBytes
                }
                keepApart([members.remove(at: largest ?? 0).name], .tooMuch)
                continue
            }
            let cluster = Cluster(shared, plan)
            if members.count == alike.count { kin[last].whole = cluster }
            guard cluster.queue == nil else {
                let names = members.map(\.name)
                guard total(names).money > plan.total else { return keepApart(names, .savesNothing) }
                kin[last].advised = cluster
                kin[last].saving = Self.saving(members)
                return addWaits(shared, plan)
            }
            let broken = members.map { member in
                cluster.storms.filter { $0.tenant == member.name }
                    .map { $0.others.count { !$0.fair.keepsObjectives } }.max() ?? 0
            }
            let worst = broken.indices.max { broken[$0] < broken[$1] }
            keepApart([members.remove(at: worst ?? 0).name], .storms)
        }
        keepApart(members.map(\.name), .nobodyLeft)
    }

    private mutating func addWaits(_ shared: SharedCluster, _ plan: ServerPlan) {
        let placement = shared.planner.placement(of: plan)
        for index in tenants.indices where shared.tenants.contains(where: { $0.name == tenants[index].name })
        {
            tenants[index].sharedWaits = Waits(placement, plan, of: tenants[index].name)
        }
    }

    private static func saving(_ members: [Tenant]) -> Saving? {
        let ends = [\FleetDemand.self, \.atLowEnd, \.atHighEnd].compactMap { end -> Double? in
            let members = members.map { $0.with($0.planner.demand[keyPath: end]) }
            let own = members.compactMap { $0.planner.plan()?.total }
            guard own.count == members.count, let shared = SharedCluster(members).planner.plan() else {
                return nil
            }
            return own.reduce(0, +) - shared.total
        }
        guard ends.count == 3, let low = ends.min(), let high = ends.max() else { return nil }
        return Saving(low: low, high: high)
    }

    /// Tenants with servers of their own.
    package func total(_ names: [String]) -> Total {
        tenants.filter { names.contains($0.name) }.reduce(Total()) { $0 + Total($1.own) }
    }

    /// All tenants, some of which share.
    ///
    /// - Parameter shared: Tenants that do, and what they come to; `nil` for none.
    package func total(_ shared: (Kin) -> (tenants: [String], total: Total)?) -> Total {
        let clusters = kin.compactMap(shared)
        let apart = tenants.map(\.name).filter { name in !clusters.contains { $0.tenants.contains(name) } }
        return clusters.reduce(total(apart)) { $0 + $1.total }
    }
}

extension TenantPlan.Row {
    fileprivate init?(_ tenant: Tenant) {
        let planner = tenant.planner
        guard let plan = planner.plan() else { return nil }
        let day = planner.demand.byTimeOfDay
        let load = FleetDemand.Load.sum(day.map { ($0[.pir], 1) }, service: .pir)
        let slot = load.series.indices.max { load.series[$0] < load.series[$1] } ?? 0
        self.init(
            name: tenant.name, devices: planner.demand.devices, peakCores: load.peakCores,
            peakTime: Double(slot * FleetDemand.Load.width), own: plan,
            ownWaits: TenantPlan.Waits(planner.placement(of: plan), plan, of: nil))
    }
}

extension TenantPlan.Waits {
    fileprivate init(_ placement: Placement, _ plan: ServerPlan, of group: String?) {
        p95 = placement.longestWait(0.95, of: group, plan.regions)
        p99 = placement.longestWait(0.99, of: group, plan.regions)
    }
}

extension SharedCluster {
    /// Gateway and issuer for all and PIR servers for each tenant, in the same regions, for the least money; `nil` if
    /// no machines are enough. Waits at the shared gateway are taken off what each objective leaves.
    fileprivate var frontOnly: TenantPlan.Total? {
        var front = planner
        front.demand = planner.demand.keeping { $0 != .pir }
        front.demand.evaluationKeyBytes = 0
        return front.placements.compactMap { placement -> TenantPlan.Total? in
            guard let servers = placement.cheapest() else { return nil }
            let waits = zip(placement.there, servers).compactMap { placement.waits($1, at: $0) }
            var total = TenantPlan.Total(
                money: placement.cost(servers).total, servers.flatMap(\.machines))
            for (index, tenant) in tenants.enumerated() {
                var own = tenant.planner
                own.demand = own.demand.keeping { $0 == .pir }
                (own.demand.egressBytesPerDay, own.demand.ingressBytesPerDay) = (0, 0)
                (own.demand.downloadBytesPerDay, own.fetchesPerDeviceDay) = (0, 0)
                let limits = owners.indices.filter { owners[$0] == index }
                for (place, limit) in limits.enumerated() {
                    own.rule.latencies[place].limit -= waits.map { $0[limit] }.max() ?? 0
                }
                let there = Placement(own, there: placement.there)
                guard let pir = there.cheapest() else { return nil }
                total =
                    total + TenantPlan.Total(money: there.cost(pir).total, pir.flatMap(\.machines))
            }
            return total
        }.min { $0.money < $1.money }
    }
}

extension FleetDemand {
    /// The demand on some of the services.
    fileprivate func keeping(_ isMeant: (Part) -> Bool) -> FleetDemand {
        var demand = self
        for place in regions.indices { demand.regions[place].loads.removeAll { !isMeant($0.service) } }
        return demand
    }
}
