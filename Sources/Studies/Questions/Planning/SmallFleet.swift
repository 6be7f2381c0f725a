package import Experiment
import FleetModel
import RunMetrics
import Scenarios

/// The reason why a small fleet needs few simulations: its servers are the smallest that there are.
extension ServerPlanner {
    /// Whether the cheapest plan has the smallest servers only, and they are enough for the upper end of what the
    /// sample says, too: then a larger sample does not change what is bought.
    package var takesSmallestServers: Bool {
        guard let plan = plan(),
            plan.regions.allSatisfy({ region in
                region.machines.allSatisfy { isSmallest($0, in: region.name) }
            })
        else { return false }
        var most = self
        most.demand = demand.atHighEnd
        return most.accepts(plan)
    }

    private func isSmallest(_ machines: Machines, in region: String?) -> Bool {
        machines.instances == max(1 + rule.spareInstances, rule.leastInstances(in: region))
            && machines.coresPerInstance == rule.coresPerInstance.min()
    }

    /// Money a month that no design of the same traffic goes below: the smallest servers, and its prefilters.
    ///
    /// - Parameters:
    ///   - prefilters: Bytes that a device downloads in a day, over those of this demand.
    ///   - fetches: Fetches of a device, over those of this demand.
    package func least(prefilters: Double, fetches: Double = 1) -> Double {
        placements.map { $0.least(prefilters: prefilters, fetches: fetches) }.min() ?? 0
    }
}

extension Placement {
    fileprivate func least(prefilters: Double, fetches: Double) -> Double {
        let rule = planner.rule
        let regions = there.map { place in
            RegionResources(
                region: planner.demand.regions[place].name,
                machines: services(place).map { service in
                    Machines(
                        service: service, instances: 1 + rule.spareInstances,
                        coresPerInstance: rule.coresPerInstance.min() ?? 1, memoryPerInstance: 0)
                }, downloadBytesPerDay: planner.demand.downloadBytesPerDay * share(place) * prefilters,
                fetchesPerDay: planner.fetchesPerDay * share(place) * fetches)
        }
        return MonthlyCost(regions, prices: planner.prices).total
    }
}

extension ObjectiveResult {
    /// Whether the objective fails in every design of the same traffic that has no more stray hits, whatever its
    /// servers are: what gets through although every answer came in time is too much already. A stray hit makes a
    /// device ask about an entry that its prefilter does not have yet, so fewer of them let no less through.
    package func failsInEveryDesign(like point: PointResult) -> Bool {
        guard verdict == .fail, let objective = try? Objective(expression), objective.metric == .leakedShare,
            let least = interval?.low ?? observed, let all = point[.leaked]?.value, all > 0
        else { return false }
        let failed = (point.harms ?? []).filter { $0.harm == .leaked }.flatMap(\.causes)
            .filter { $0.cause == .undecided }.reduce(0) { $0 + $1.count }
        return !objective.relation.holds(least * (1 - failed / all), limit)
    }
}
