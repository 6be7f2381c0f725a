import FleetModel
import RunMetrics
package import Scenarios

extension PlanRule {
    /// Reads the rule for servers off a scenario's objectives and prices.
    ///
    /// - Returns: The rule; objectives that servers do not change, which the sample judges; and those that are left
    ///   out.
    package static func of(
        _ scenario: Scenario
    ) -> (rule: PlanRule, judged: [Objective], unplanned: [String]) {
        var latencies: [Latency] = []
        var target = scenario.prices.targetUtilization
        var mostMemory: Double?
        var judged: [Objective] = []
        var unplanned: [String] = []
        for objective in scenario.objectives {
            let isUpper = objective.isUpper
            if isUpper, let rank = objective.metric.rank {
                latencies.append(
                    Latency(percentile: rank, limit: objective.limit, group: objective.metric.group))
            } else if isUpper, objective.metric == .memory {
                mostMemory = min(mostMemory ?? .infinity, objective.limit)
            } else if isUpper, Metric.stations.contains(where: { $0.busiest == objective.metric }) {
                target = min(target, objective.limit)
            } else if isUpper, objective.limit >= target,
                Metric.stations.contains(where: { $0.utilization == objective.metric })
            {
                // What the busiest interval keeps, the mean keeps.
                continue
            } else if objective.metric.unit == .share && !isOfServers(objective.metric)
                || objective.metric.limitsFreshness
            {
                judged.append(objective)
            } else {
                unplanned.append(objective.expression)
            }
        }
        var rule = PlanRule(
            latencies: latencies, targetUtilization: target, spareInstances: scenario.prices.spareInstances,
            survivesRegion: scenario.services.regions.count > 1)
        rule.mostMemory = mostMemory
        if let machines = scenario.prices.machines {
            rule.coresPerInstance = Set(machines.map(\.cores)).sorted()
        }
        rule.leastInstances = scenario.prices.leastInstances
        let bound = scenario.devices.filter { !$0.servedIn.isEmpty }
        if !bound.isEmpty {
            rule.servedIn = Dictionary(uniqueKeysWithValues: bound.map { ($0.name, $0.servedIn) })
        }
        return (rule, judged, unplanned)
    }

    /// Whether a metric depends on servers, so that a sample whose lookups never wait does not show it.
    private static func isOfServers(_ metric: Metric) -> Bool {
        [.failedLookups, .allowedByPolicy, .blockedByPolicy].contains(metric.ofAllDevices)
            || Metric.stations.contains { $0.all.contains(metric) }
    }
}
