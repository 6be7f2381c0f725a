import FleetModel

/// A queue that is fair between tenants, by closed form: what one of them waits while a neighbour brings more than all
/// cores do.
///
/// Self-clocked fair queueing gives each tenant with waiting requests the same rate, and one that asks for less what it
/// asks for. A tenant waits as at a server of its share alone, and for its own request at that share and one of each
/// other tenant (Stiliadis and Varma, IEEE/ACM Transactions on Networking 6, 1998), and, since a request in service is
/// not interrupted, for one more. It bounds the wait where the requests of a tenant take the same.
package struct FairShareLaw: Sendable {
    /// Cores of one instance, and of them those that the tenant gets at least and those that it keeps busy.
    package var cores: Double
    package var share: Double
    package var busy: Double
    /// Seconds of the tenant's requests, and of the longest ones of any tenant.
    package var serviceSeconds: Double
    package var longestService: Double
    /// Other tenants.
    package var neighbours: Int

    package init(
        cores: Double, share: Double, busy: Double, serviceSeconds: Double, longestService: Double,
        neighbours: Int
    ) {
        (self.cores, self.share, self.busy) = (cores, share, busy)
        (self.serviceSeconds, self.longestService, self.neighbours) = (
            serviceSeconds, longestService, neighbours
        )
    }

    /// - Returns: `nil` where the tenant asks for more than its share.
    package func wait(_ percentile: Double) -> Double? {
        guard share > 0 else { return nil }
        return StationForm(load: busy / share, serviceSeconds: serviceSeconds / share)
            .wait(percentile, instances: 1, cores: 1).map {
                $0 + serviceSeconds / share + longestService * (Double(neighbours) / cores + 1)
            }
    }

    /// Cores that a tenant gets at least while its requests wait, beside others that ask for so many.
    package static func share(of cores: Double, beside others: [Double]) -> Double {
        var (left, owners) = (cores, Double(others.count + 1))
        for demand in others.sorted() {
            guard demand < left / owners else { break }
            (left, owners) = (left - demand, owners - 1)
        }
        return left / owners
    }
}

/// A storm of one tenant at the shared PIR servers, and what the others get meanwhile, by closed form.
package struct NeighbourStorm: Codable, Equatable, Sendable {
    package enum Kind: String, Codable, Sendable, CaseIterable {
        /// The days of the sheet: every device of the tenant begins with nothing, or all servers forget its keys.
        case launch, restart
        /// A crowd, as in ``StormForecast``.
        case push
    }

    /// A tenant's lookups during the storm.
    package struct Effect: Codable, Equatable, Sendable {
        /// At 99 %, seconds.
        package var wait: Double
        package var refusedShare: Double
        /// Whether objectives on latency hold during the storm, and no more is refused, or would wait so long that it
        /// is, than ``StormForecast/objective`` leaves.
        package var keepsObjectives: Bool
    }

    package struct Other: Codable, Equatable, Sendable {
        package var tenant: String
        package var firstCome: Effect
        /// The queue is fair between tenants.
        package var fair: Effect
    }

    package var tenant: String
    package var kind: Kind
    package var region: String?
    package var spread: Double
    /// Cores that are there, and that all ask for during the storm.
    package var capacity: Double
    package var demand: Double
    package var others: [Other]

    /// The worst of what the others get.
    package func worst(_ effect: KeyPath<Other, Effect>) -> Effect? {
        let all = others.map { $0[keyPath: effect] }
        guard let wait = all.map(\.wait).max(), let refused = all.map(\.refusedShare).max() else {
            return nil
        }
        return Effect(wait: wait, refusedShare: refused, keepsObjectives: all.allSatisfy(\.keepsObjectives))
    }
}

extension SharedCluster {
    /// Storms of each tenant at the region that each is worst for.
    package func storms(_ plan: ServerPlan) -> [NeighbourStorm] {
        let placement = planner.placement(of: plan)
        let sites = zip(placement.there, plan.regions).compactMap { Site(self, placement, $0, $1) }
        return tenants.indices.flatMap { tenant in
            NeighbourStorm.Kind.allCases.compactMap { kind in
                sites.compactMap { $0.storm(kind, of: tenant) }
                    .max { $0.demand / $0.capacity < $1.demand / $1.capacity }
            }
        }
    }

    /// The PIR servers of one region at their busiest time.
    private struct Site {
        let cluster: SharedCluster
        let region: ServerPlan.Region
        let machines: Machines
        let load: FleetDemand.Load
        let placements: [Placement]
        let place: Int
        /// Cores and seconds of a request, by tenant.
        let busy: [Double]
        let seconds: [Double]
        /// Seconds that waits at the PIR servers may take, for each latency limit.
        let budgets: [Double]

        init?(_ cluster: SharedCluster, _ placement: Placement, _ place: Int, _ region: ServerPlan.Region) {
            guard let machines = region[.pir], let budgets = placement.budgets(place) else { return nil }
            let placements = cluster.tenants.map { Placement($0.planner, there: placement.there) }
            let loads = placements.map { $0.load(place, .pir, of: $0.planner.demand.byTimeOfDay) }
            let load = placement.load(place, .pir)
            let slot = load.series.indices.max { load.series[$0] < load.series[$1] } ?? 0
            let then = loads.map { $0.series.indices.contains(slot) ? $0.series[slot] : 0 }
            let all = then.reduce(0, +)
            guard all > 0 else { return nil }
            (self.cluster, self.region, self.machines, self.load) = (cluster, region, machines, load)
            (self.placements, self.place) = (placements, place)
            busy = then.map { $0 * load.peakCores / all }
            seconds = loads.map(\.serviceSeconds)
            self.budgets = zip(budgets, cluster.planner.rule.latencies).map { budget, latency in
                budget - (placement.wait(latency.percentile, at: place, region) { $0 != .pir } ?? .infinity)
            }
        }

        /// Core seconds of a storm, and how long they come; `nil` where there is none.
        private func work(_ kind: NeighbourStorm.Kind, of tenant: Int) -> (work: Double, spread: Double)? {
            let placement = placements[tenant]
            let dayKind: DayKind? = kind == .launch ? .launch : kind == .restart ? .restart : nil
            guard let dayKind else {
                let work = placement.devices(place) * StormForecast.push.share * seconds[tenant]
                return work > 0 ? (work, StormForecast.push.seconds) : nil
            }
            let day = placement.planner.demand.days.first { $0.kind == dayKind }
            guard let day, let minutes = placement.load(place, .pir, of: day.regions).minutes else {
                return nil
            }
            // As high as the busiest minute, and as much work as comes on top of the ordinary one.
            let above = minutes.cores.map { max(0, $0 - busy[tenant]) }
            guard let height = above.max(), height > 0 else { return nil }
            let work = above.reduce(0, +) * 60
            return (work, work / height)
        }

        func storm(_ kind: NeighbourStorm.Kind, of tenant: Int) -> NeighbourStorm? {
            guard let (work, spread) = work(kind, of: tenant) else { return nil }
            let cores = Double(machines.cores)
            let law = StormLaw(
                cores: cores, base: load.peakCores, work: work, spread: spread,
                patience: cluster.tenants.map(\.patience).min() ?? .infinity)
            let others = busy.indices.filter { $0 != tenant && busy[$0] > 0 }
            return NeighbourStorm(
                tenant: cluster.tenants[tenant].name, kind: kind, region: region.name, spread: spread,
                capacity: cores, demand: law.demand,
                others: others.map { other in
                    let firstCome = effect(on: other, law) { wait(law, $0) }
                    return NeighbourStorm.Other(
                        tenant: cluster.tenants[other].name, firstCome: firstCome,
                        fair: law.demand > cores ? fairEffect(on: other, law, of: tenant) : firstCome)
                })
        }

        /// The line is a fluid's where more comes than is done, else that of the servers.
        private func wait(_ law: StormLaw, _ percentile: Double) -> Double {
            let form = StationForm(load, busy: law.demand)
            let wait = form.wait(
                percentile, instances: machines.instances, cores: machines.coresPerInstance,
                threads: machines.threads)
            return min(law.patience, wait ?? law.longestWait)
        }

        private func fairEffect(
            on other: Int, _ law: StormLaw, of tenant: Int
        ) -> NeighbourStorm.Effect {
            var asked = busy
            asked[tenant] += law.demand - law.base
            let share = FairShareLaw.share(
                of: law.cores, beside: asked.indices.filter { $0 != other }.map { asked[$0] })
            let instances = Double(machines.instances)
            let fair = FairShareLaw(
                cores: Double(machines.coresPerInstance), share: share / instances,
                busy: busy[other] / instances, serviceSeconds: seconds[other],
                longestService: seconds.max() ?? 0, neighbours: busy.count - 1)
            let own = StormLaw(
                cores: share, base: busy[other], work: 0, spread: law.spread, patience: law.patience)
            return effect(on: other, own) { min(law.patience, fair.wait($0) ?? own.longestWait) }
        }

        private func effect(
            on other: Int, _ law: StormLaw, _ wait: (Double) -> Double
        ) -> NeighbourStorm.Effect {
            let limits = cluster.planner.rule.latencies
            let isInTime = limits.indices.allSatisfy {
                cluster.owners[$0] != other || wait(limits[$0].percentile) <= budgets[$0]
            }
            return NeighbourStorm.Effect(
                wait: wait(0.99), refusedShare: law.refusedShare,
                keepsObjectives: isInTime && law.refusedShare <= 1 - StormForecast.objective
                    && wait(StormForecast.objective) < law.patience)
        }
    }
}

extension Placement {
    /// Seconds that lookups wait at a region's servers while all is well; `nil` if they do not bear their load.
    ///
    /// - Parameter isMeant: Which services, of those on the way of a lookup.
    func wait(
        _ percentile: Double, at place: Int, _ region: ServerPlan.Region, _ isMeant: (Part) -> Bool
    ) -> Double? {
        region.machines.filter { ServerPlanner.isOnTheWay($0.service) && isMeant($0.service) }
            .reduce(Optional(0.0)) { sum, machines in
                let wait = form(place, load(place, machines.service)).wait(
                    percentile, instances: machines.instances, cores: machines.coresPerInstance,
                    threads: threads(place, machines.service))
                return sum.flatMap { sum in
                    wait.map { sum + planner.rule.simulated($0, at: machines.service) }
                }
            }
    }

    /// The longest of the regions that devices of a group ask, while all is well.
    func longestWait(_ percentile: Double, of group: String?, _ regions: [ServerPlan.Region]) -> Double? {
        zip(there, regions).filter { detour(to: $0.0, of: group) != nil }
            .reduce(Optional(0.0)) { longest, site in
                let wait = wait(percentile, at: site.0, site.1) { _ in true }
                return longest.flatMap { longest in wait.map { max(longest, $0) } }
            }
    }
}
