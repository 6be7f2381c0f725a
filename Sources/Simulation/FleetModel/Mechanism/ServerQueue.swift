import EventSimulation
package import RandomStreams
import Statistics

/// Waits of visits to the servers of a mechanism, from the load of each interval of the day.
///
/// Within an interval visits arrive as a Poisson process, so that what has settled waits as in M/M/c, times the factor
/// of Allen and Cunneen for other service times. Work that the cores cannot do in an interval is carried on as a fluid:
/// it delays everybody until later intervals have done it, and is never more than ``MechanismServers/patience`` of
/// waiting, since whoever would wait longer is not served.
package struct ServerQueue: Sendable {
    /// One interval of the series.
    package struct Interval: Hashable, Sendable {
        /// Work that arrives over what the cores can do.
        package var load: Double
        /// Probability that a visit without a backlog waits, and mean wait of those that wait, seconds.
        package var waitProbability: Double
        package var meanWait: Double
        /// Wait of everybody at the begin because of the backlog of earlier intervals, seconds.
        package var backlog: Double
    }

    /// Number of cores beyond which nobody waits who meets no backlog. At this number the wait of M/M/c is 1 % of the
    /// service time even at a load of 99.9 %, and each interval takes a step for each core.
    private static let mostCores = 100_000

    package let intervals: [Interval]
    /// Length of each, seconds.
    let seconds: Double
    let patience: Double

    /// - Parameters:
    ///   - work: CPU seconds of the visits of each interval.
    ///   - visits: Their number.
    ///   - cores: Of all servers together, at least 1.
    package init(
        work: [Double], visits: [Double], seconds: Double, cores: Int, serviceVariability: Double,
        patience: Double
    ) {
        var intervals: [Interval] = []
        var backlog = 0.0
        for (work, visits) in zip(work, visits) {
            let load = seconds > 0 ? work / seconds / Double(cores) : 0
            var interval = Interval(load: load, waitProbability: 0, meanWait: 0, backlog: backlog)
            if load > 0, visits > 0, cores <= Self.mostCores,
                let queue = try? QueueingTheory.MMc(
                    arrivalRate: visits / seconds, serviceRate: visits / work, servers: cores),
                queue.waitProbability > 0
            {
                interval.waitProbability = queue.waitProbability
                interval.meanWait = queue.meanWait / queue.waitProbability * (1 + serviceVariability) / 2
            }
            intervals.append(interval)
            backlog = min(max(backlog + (load - 1) * seconds, 0), patience)
        }
        self.intervals = intervals
        self.seconds = seconds
        self.patience = patience
    }

    /// Draws the wait of one visit, seconds.
    ///
    /// - Parameter backlog: That it meets; see ``backlog(at:in:)``.
    /// - Returns: `nil` for a visit that is not served.
    package func wait(in interval: Interval, backlog: Double, using stream: inout RandomStream) -> Double? {
        let (chance, length) = (stream.uniform(), stream.exponential(mean: 1))
        if interval.load > 1, backlog >= patience { return chance * interval.load < 1 ? patience : nil }
        // Of those who wait, each as long as an exponential distribution says.
        return min(backlog + (chance < interval.waitProbability ? length * interval.meanWait : 0), patience)
    }

    /// Seconds that the backlog delays what comes after this part of the interval.
    ///
    /// - Parameter place: In `0...1`.
    package func backlog(at place: Double, in interval: Interval) -> Double {
        min(max(interval.backlog + (interval.load - 1) * place * seconds, 0), patience)
    }
}
