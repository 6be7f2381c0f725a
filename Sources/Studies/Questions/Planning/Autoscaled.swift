import EventSimulation
import FleetModel

/// Machines of which an autoscaler runs as many as the load of the time of day asks for.
package struct Autoscaled: Codable, Hashable, Sendable {
    /// Instances that always run: the scenario's, and one more than the spare ones at least.
    package var minimum: Int
    /// Utilization that is aimed at: the scenario's, or a lower one with which all of them run at the planned peak.
    package var target: Double
    /// Share of a month's hours of all of them that is paid for: those with a commitment always, others while they run.
    package var paidShare: Double

    package init(minimum: Int, target: Double, paidShare: Double) {
        self.minimum = minimum
        self.target = target
        self.paidShare = paidShare
    }

    /// - Parameters:
    ///   - load: Of all instances, on the busiest weekday.
    ///   - interval: Width of an interval of its series, seconds.
    ///   - meanDay: Load of the mean day over that of the busiest weekday.
    ///   - reserved: Share of the instances with a commitment.
    init(
        _ rule: ScalingRule, _ load: FleetDemand.Load, instances: Int, cores: Int, spare: Int,
        interval: Double, meanDay: Double, reserved: Double
    ) {
        minimum = min(instances, max(rule.minimum, 1 + spare))
        let atPeak = load.peakCores / Double(instances * cores)
        target = atPeak > 0 ? min(rule.target, max(Self.leastTarget, atPeak)) : rule.target
        let wanted = load.series.map { [minimum, target] busy -> Double in
            let needed = (busy * meanDay / (target * Double(cores)) - 1e-9).rounded(.up)
            return min(Double(instances), max(Double(minimum), needed))
        }
        // None goes before the load was low for so long; a day comes after a day.
        let kept = Int((rule.coolDown + rule.stabilization).seconds / max(interval, 1))
        let running = wanted.indices.map { index in
            (0...min(kept, wanted.count - 1)).map { wanted[(index - $0 + wanted.count) % wanted.count] }.max()
                ?? 0
        }
        let shares: [Double] = running.map { max(reserved, $0 / Double(instances)) }
        paidShare = shares.isEmpty ? 1 : shares.reduce(0, +) / Double(shares.count)
    }

    /// The least that a scenario may aim at.
    private static let leastTarget = 0.01
}
