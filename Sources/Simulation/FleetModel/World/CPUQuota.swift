package import EventSimulation

/// Limit of the CPU time of one instance, as Linux keeps it for a container (`cpu.max`, article "Networks", section
/// "CPU limits"): within each period its threads may use so many times its length. Once they have, all of them stop
/// until the next period.
///
/// Threads that compute share a clock that stops with them. A job of so much work ends when the clock has gone on by
/// that, however often it stopped. So jobs that come later make the end of one later, and nobody has to know it before.
package struct CPUQuota {
    /// Seconds of a period; what Linux, Docker and Kubernetes have unless told otherwise.
    package static let seconds = 0.1
    private static let period = SimulatedDuration.seconds(seconds).nanoseconds

    private struct Job {
        /// Reading of the clock at which it ends.
        var end: Int64
        /// Whether it has a thread, and is not served along with another job.
        var computes: Bool
    }

    /// Nanoseconds of all threads in one period.
    private let amount: Int64
    private var time: Int64 = 0
    /// Part of the amount that is used up, in the period of `time`.
    private var used: Int64 = 0
    private var clock: Int64 = 0
    /// Nanoseconds of all threads since the beginning.
    private var total: Int128 = 0
    private var threads: Int64 = 0
    private var jobs: [Int: Job] = [:]

    package init(cores: Int) { amount = Int64(cores) * Self.period }

    private var isStopped: Bool { used >= amount }
    private var nextPeriod: Int64 { (time / Self.period + 1) * Self.period }

    private mutating func advance(to now: Int64) {
        guard threads > 0 else {
            if now / Self.period != time / Self.period { used = 0 }
            time = now
            return
        }
        while time < now {
            let end = nextPeriod
            var next = min(now, end)
            if !isStopped {
                next = min(next, time + (amount - used + threads - 1) / threads)
                let step = next - time
                clock += step
                used += threads * step
                total += Int128(threads) * Int128(step)
            }
            time = next
            if time == end { used = 0 }
        }
    }

    /// - Parameter computes: Whether it takes a thread, and is not served along with another job.
    package mutating func begin(_ job: Int, work: SimulatedDuration, computes: Bool, at now: SimulatedTime) {
        advance(to: now.nanoseconds)
        jobs[job] = Job(end: clock + work.nanoseconds, computes: computes)
        if computes { threads += 1 }
    }

    /// Ends a job that has done its work.
    ///
    /// - Returns: `nil` if it has ended; else the earliest time at which it may.
    package mutating func end(_ job: Int, at now: SimulatedTime) -> SimulatedTime? {
        advance(to: now.nanoseconds)
        guard let entry = jobs[job] else { preconditionFailure("a job ended that had not begun") }
        let left = entry.end - clock
        guard left <= 0 else { return SimulatedTime(nanoseconds: (isStopped ? nextPeriod : time) + left) }
        jobs[job] = nil
        if entry.computes { threads -= 1 }
        return nil
    }

    /// CPU time until then, which is not before the last change, nanoseconds of all threads.
    package func cpu(until now: SimulatedTime) -> Int128 {
        var later = self
        later.advance(to: now.nanoseconds)
        return later.total
    }
}
