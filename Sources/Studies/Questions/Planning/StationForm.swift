import Decoding
package import FleetModel
import Foundation
import Statistics

/// The closed form of one service: so many instances behind a balancer that sends each the same share.
///
/// Wait beyond t: C exp(-(c - a) t / (S (1 + v) / 2)) with Erlang's C for c cores and a busy ones, S the mean service
/// and v its squared variability (the tail of M/M/c, stretched as Allen and Cunneen stretch its mean). Arrivals are
/// taken as Poisson. Pages ask in bursts, which makes waits longer, and taking turns makes them shorter:
/// ``PlanRule/waitFactor`` is what a simulation showed of both.
///
/// Where the CPU time of more threads is limited to that of the cores, who is not stopped waits for a thread only. Who
/// is stopped once may wait for the whole stop, P (1 - c / T) for the period P and T threads. Who is stopped often is
/// served slower, not later. With as many threads as cores requests take turns, and wait for a core; with ever more
/// threads all are served at once (processor sharing). Their longest waits at high load are ``sharing`` times those,
/// since an exponential wait becomes an exponential service times an exponential delay. The longest of the three
/// counts. Of 612 simulated pods it was too short by more than 5 % in two, by 17 % at most.
///
/// Where an instance pauses for P of every E seconds, that is the wait beside its pauses, at the load of the time
/// between them. What comes u after the beginning of a pause waits P - (1 - r) u besides, for the share r of busy
/// cores: for its end, and for what came meanwhile. What is in service then waits P. Of 42 simulated instances with
/// pauses of 20 ms to 1 s the percentile 99 was too short by 6 % at most, and too long by 9 %, but for one of 14 ms by
/// 31 %.
package struct StationForm: Sendable {
    /// Busy cores over all instances.
    package var load: Double
    package var serviceSeconds: Double
    /// Squared variability of service times. Assumption: PIR answers over a whole database differ little.
    package var variability = 0.5
    /// Pauses of each instance; `nil`: none.
    package var pauses: ServerPauses?

    package init(load: Double, serviceSeconds: Double) {
        self.load = load
        self.serviceSeconds = serviceSeconds
    }

    /// - Parameter busy: Cores; `nil`: those of the load's peak.
    init(_ load: FleetDemand.Load, busy: Double? = nil) {
        self.init(load: busy ?? load.peakCores, serviceSeconds: load.serviceSeconds)
        variability = load.variability ?? variability
    }

    /// Share of the cores that is busy, of the time between pauses.
    package func utilization(instances: Int, cores: Int) -> Double {
        load / Double(instances * cores) / availability
    }

    private var availability: Double { pauses?.availability ?? 1 }

    /// Seconds that no more than the share `1 - percentile` of requests waits longer than.
    ///
    /// - Parameter threads: Of each instance that compute, where these are more than its cores; `nil`: as many.
    /// - Returns: `nil` where the load is more than the cores.
    package func wait(_ percentile: Double, instances: Int, cores: Int, threads: Int? = nil) -> Double? {
        guard load > 0, serviceSeconds > 0 else { return 0 }
        let busy = load / Double(instances)
        guard let forCore = wait(percentile, busy: busy, servers: cores) else { return nil }
        guard let threads, threads > cores else { return forCore }
        let forThread = wait(percentile, busy: busy, servers: threads) ?? 0
        // What came during a pause is done by the cores.
        guard pauses != nil || stoppedShare(busy: busy, cores: cores) > 1 - percentile else {
            return forThread
        }
        let stopped = 1 - Double(cores) / Double(threads)
        return max(forThread, CPUQuota.seconds * stopped, forCore * (1 + (Self.sharing - 1) * stopped))
    }

    /// Quantile at 99 % of the product of two independent exponential times over that of one: 8.45 over 4.61.
    private static let sharing = 1.83

    /// Mean square of a service time over its mean, seconds.
    var meanSquareOverMean: Double { serviceSeconds * (1 + variability) }

    private var stretched: Double { meanSquareOverMean / 2 }

    private func wait(_ percentile: Double, busy: Double, servers: Int) -> Double? {
        let free = Double(servers) * availability
        guard busy < free,
            let waits = try? QueueingTheory.erlangC(servers: servers, offeredLoad: busy / availability)
        else { return nil }
        if let pauses {
            let tail = PausedTail(
                waits: waits, mean: stretched / (free - busy), service: serviceSeconds,
                utilization: busy / Double(servers), pauses: pauses)
            return tail.wait(of: 1 - percentile)
        }
        let above = waits / (1 - percentile)
        guard above > 1 else { return 0 }
        return log(above) * stretched / (free - busy)
    }

    /// Share of the requests that are stopped: whose own work and that of a period, exponential pieces in Poisson
    /// numbers, are more than a period allows.
    ///
    /// That is the chance that as many pieces come as would be done, or more: of two Poisson numbers, one is not below
    /// the other.
    package func stoppedShare(busy: Double, cores: Int) -> Double {
        let (coming, done) = (
            busy * CPUQuota.seconds / stretched, Double(cores) * CPUQuota.seconds / stretched
        )
        // Logarithms, since chances of many pieces are less than the least number; none is left beyond nine deviations.
        var (logComing, logDone) = (-coming, -done)
        var (fewer, share) = (0.0, 0.0)
        for number in 0...Int(saturating: done + 9 * done.squareRoot() + 20) {
            if number > 0 {
                logComing += log(coming / Double(number))
                logDone += log(done / Double(number))
            }
            share += exp(logDone) * (1 - fewer)
            fewer += exp(logComing)
        }
        return share
    }
}
