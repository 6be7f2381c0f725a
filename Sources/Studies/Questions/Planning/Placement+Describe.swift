import FleetModel

/// Plan that a choice of machines comes to.
extension Placement {
    /// Money of a month with these machines.
    func cost(_ regions: [ServerPlan.Region]) -> MonthlyCost {
        let demand = planner.demand
        return MonthlyCost(
            zip(there, regions).map { place, region in
                let share = share(place)
                return RegionResources(
                    region: region.name, machines: region.machines,
                    egressBytesPerDay: demand.egressBytesPerDay * share,
                    ingressBytesPerDay: demand.ingressBytesPerDay * share,
                    downloadBytesPerDay: demand.downloadBytesPerDay * share,
                    fetchesPerDay: planner.fetchesPerDay * share,
                    storageBytes: storedBytes(place))
            }, prices: planner.prices)
    }

    package func describe(_ regions: [ServerPlan.Region]) -> ServerPlan {
        let demand = planner.demand
        var states = [
            state(.healthy, regions), state(.instanceLost, regions),
            there.count > 1 ? state(.regionLost, regions) : nil,
        ]
        for day in demand.days {
            states.append(state(day.kind == .launch ? .launch : .restart, regions, of: day))
        }
        return ServerPlan(
            regions: regions, unserved: unserved, shards: demand.shards, cost: cost(regions),
            states: states.compactMap(\.self).map { addingLeaks(to: $0, regions) }, fill: fill(regions),
            groups: groups(regions))
    }

    /// Regions without servers, and where most of their devices go.
    private var unserved: [String: String] {
        let shares = planner.geography.shares(among: there)
        var unserved: [String: String] = [:]
        for home in planner.demand.regions.indices where !there.contains(home) {
            guard let name = planner.demand.regions[home].name,
                let next = there.max(by: { shares[home][$0] < shares[home][$1] }),
                let nextName = planner.demand.regions[next].name
            else { continue }
            unserved[name] = nextName
        }
        return unserved
    }

    /// - Parameter day: Of another kind; `nil` for an ordinary one.
    private func state(
        _ situation: ServerPlan.State.Situation, _ regions: [ServerPlan.Region],
        of day: FleetDemand.Day? = nil
    ) -> ServerPlan.State? {
        let (geography, rule) = (planner.geography, planner.rule)
        var busiest: (region: String?, service: Part, utilization: Double)?
        var latency: Double? = 0
        var backlog = 0.0
        for (place, region) in zip(there, regions) {
            var here = (day?.percentiles ?? planner.demand.percentiles).latency(rule.shownPercentile)
            var detour = geography.detour(to: place, among: there)
            for machines in region.machines {
                var load = load(place, machines.service, of: day?.regions)
                if situation == .regionLost, let lost = loadAfterLoss(place, machines.service) {
                    load = lost.load
                    detour = max(
                        detour, geography.detour(to: place, among: there.filter { $0 != lost.lost }))
                }
                let left = machines.instances - (situation == .instanceLost ? 1 : 0)
                let form = form(place, load)
                // Of an ordinary day what the rule is about; on others a minute may have more work than any interval.
                let peak = self.form(
                    place, load,
                    peak: max(load.peakCores, day == nil ? 0 : load.minutes?.cores.max() ?? 0))
                let utilization =
                    left > 0
                    ? peak.utilization(instances: left, cores: machines.coresPerInstance) : .infinity
                if busiest.map({ utilization > $0.utilization }) ?? true {
                    busiest = (region.name, machines.service, utilization)
                }
                guard ServerPlanner.isOnTheWay(machines.service) else { continue }
                let wait =
                    left > 0
                    ? form.wait(
                        rule.shownPercentile, instances: left, cores: machines.coresPerInstance,
                        threads: threads(place, machines.service)) : nil
                let simulated = wait.map { rule.simulated($0, at: machines.service) }
                let queue = load.longestWait(
                    cores: Double(left * machines.coresPerInstance) * (form.pauses?.availability ?? 1))
                guard queue.isFinite, queue > 0 else {
                    here = here.flatMap { base in simulated.map { base + $0 } }
                    continue
                }
                backlog = max(backlog, queue)
                here = here.map { $0 + max(queue, simulated ?? 0) }
            }
            latency = latency.flatMap { longest in here.map { max(longest, $0 + detour) } }
        }
        return busiest.map { busiest in
            ServerPlan.State(
                situation: situation, region: busiest.region, service: busiest.service,
                utilization: busiest.utilization.isFinite ? busiest.utilization : nil, latency: latency,
                backlog: backlog > 0 ? backlog : nil, failedShare: day?.failedShare,
                leakedShare: day?.leakedShare, recovery: day?.recovery)
        }
    }

    /// How much of what the rule allows is used.
    func fill(_ regions: [ServerPlan.Region]) -> [ServerPlan.Fill] {
        zip(there, regions).flatMap { place, region in
            region.machines.map { machines in
                let load = load(place, machines.service)
                let worst = burdens(place, machines.service).map { burden in
                    return (
                        utilization: form(place, burden.load).utilization(
                            instances: machines.instances - burden.missing, cores: machines.coresPerInstance),
                        limit: burden.limit
                    )
                }.max { $0.utilization / $0.limit < $1.utilization / $1.limit }
                return ServerPlan.Fill(
                    region: region.name, service: machines.service, peakCores: load.peakCores,
                    peakLow: load.peakLow, peakHigh: load.peakHigh, utilization: worst?.utilization ?? 0,
                    limit: worst?.limit ?? planner.rule.targetUtilization)
            }
        }
    }
}
