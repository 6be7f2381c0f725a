/// Latency objectives that are about one group of devices alone.
extension Placement {
    /// How the latency objectives of single groups are kept; `nil` without any.
    func groups(_ regions: [ServerPlan.Region]) -> [ServerPlan.GroupLatency]? {
        let limits = planner.rule.latencies
        let found = limits.indices.filter { limits[$0].group != nil }.map { index in
            let objective = limits[index]
            let times = zip(there, regions).compactMap { place, region -> Double?? in
                detour(to: place, of: objective.group).map { detour in
                    planner.demand.latency(objective.percentile, of: objective.group).flatMap { base in
                        waits(region, at: place).map { base + detour + $0[index] }
                    }
                }
            }
            return ServerPlan.GroupLatency(
                objective: objective,
                seconds: times.contains { $0 == nil } ? nil : times.compactMap(\.self).max())
        }
        return found.isEmpty ? nil : found
    }

    /// Waits of a lookup at all servers of a region, for each latency limit of the rule; `nil` if one of its machines
    /// does not bear its load.
    func waits(_ region: ServerPlan.Region, at place: Int) -> [Double]? {
        var waits = planner.rule.latencies.map { _ in 0.0 }
        for machines in region.machines where ServerPlanner.isOnTheWay(machines.service) {
            guard
                let choice = choice(
                    place, machines.service, burdens(place, machines.service), instances: machines.instances,
                    cores: machines.coresPerInstance)
            else { return nil }
            waits = zip(waits, choice.waits).map { $0 + $1 }
        }
        return waits
    }
}
