import Foundation
import Statistics

/// The closed form of one service: so many instances behind a balancer that sends each the same share.
///
/// Wait beyond t: C exp(-(c - a) t / (S (1 + v) / 2)) with Erlang's C for c cores and a busy ones, S the mean service
/// and v its squared variability (the tail of M/M/c, stretched as Allen and Cunneen stretch its mean). Arrivals are
/// taken as Poisson. Pages ask in bursts, which makes waits longer, and taking turns makes them shorter:
/// ``PlanRule/waitFactor`` is what a simulation showed of both.
package struct StationForm: Sendable {
    /// Busy cores over all instances.
    package var load: Double
    package var serviceSeconds: Double
    /// Squared variability of service times. Assumption: PIR answers over a whole database differ little.
    package var variability = 0.5

    package init(load: Double, serviceSeconds: Double) {
        self.load = load
        self.serviceSeconds = serviceSeconds
    }

    /// Share of the cores that is busy.
    package func utilization(instances: Int, cores: Int) -> Double {
        load / Double(instances * cores)
    }

    /// Seconds that no more than the share `1 - percentile` of requests waits longer than.
    ///
    /// - Returns: `nil` where the load is more than the cores.
    package func wait(_ percentile: Double, instances: Int, cores: Int) -> Double? {
        guard load > 0, serviceSeconds > 0 else { return 0 }
        let busy = load / Double(instances)
        guard busy < Double(cores), let waits = try? QueueingTheory.erlangC(servers: cores, offeredLoad: busy)
        else { return nil }
        let above = waits / (1 - percentile)
        guard above > 1 else { return 0 }
        return log(above) * serviceSeconds * (1 + variability) / 2 / (Double(cores) - busy)
    }
}
