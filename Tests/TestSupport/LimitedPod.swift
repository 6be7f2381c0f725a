import Foundation

/// A container with a limit of CPU time, job by job: in each period of 100 ms its threads compute until they have used
/// up so many cores of it, and are stopped for the rest. Times in seconds.
package struct LimitedPod {
    package struct Job {
        package var arrival: Double
        package var work: Double

        package init(arrival: Double, work: Double) {
            self.arrival = arrival
            self.work = work
        }
    }

    private static let period = 0.1
    /// Less is nothing: times of thousands of seconds are no more exact.
    private static let least = 1e-9

    private let amount: Double
    private let threads: Int

    package init(cores: Int, threads: Int) {
        amount = Double(cores) * Self.period
        self.threads = threads
    }

    /// Times at which jobs end that come in this order and are served in it.
    package func ends(_ jobs: [Job]) -> [Double] {
        var ends = jobs.map { _ in 0.0 }
        var running: [(job: Int, left: Double)] = []
        var (now, used, period) = (0.0, 0.0, 0)
        var (come, begun) = (0, 0)
        while begun < jobs.count || !running.isEmpty {
            if running.isEmpty, come == begun {
                // Nobody is there: on to the next one, which finds its period's amount whole if nobody was in it.
                now = jobs[come].arrival
                let here = Int(now / Self.period)
                if here > period { (period, used) = (here, 0) }
                come += 1
            }
            while running.count < threads, begun < come {
                running.append((begun, jobs[begun].work))
                begun += 1
            }
            let end = Double(period + 1) * Self.period
            let isStopped = used >= amount - Self.least
            var next = end
            if come < jobs.count { next = min(next, jobs[come].arrival) }
            let shortest = running.map(\.left).min() ?? 0
            if !isStopped {
                next = min(next, now + shortest, now + (amount - used) / Double(running.count))
                for place in running.indices { running[place].left -= next - now }
                used += Double(running.count) * (next - now)
            }
            now = next
            if now >= end { (period, used) = (period + 1, 0) }
            for entry in running where entry.left <= Self.least { ends[entry.job] = now }
            running.removeAll { $0.left <= Self.least }
            if come < jobs.count, jobs[come].arrival <= now { come += 1 }
        }
        return ends
    }

    /// Poisson arrivals that keep so many cores busy, with services of squared variability 1 / 2.
    package static func jobs(_ count: Int, busy: Double, seconds: Double, seed: UInt64) -> [Job] {
        var random = SplitMix(seed: seed)
        func exponential() -> Double {
            -log(Double.random(in: Double.leastNonzeroMagnitude..<1, using: &random))
        }
        var time = 0.0
        return (0..<count).map { _ in
            time += exponential() * seconds / busy
            return Job(arrival: time, work: (exponential() + exponential()) * seconds / 2)
        }
    }
}
