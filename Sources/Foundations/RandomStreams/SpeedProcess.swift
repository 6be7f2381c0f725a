import Foundation

/// How the speed of a machine wanders: what a service takes there is its base time times a factor of mean 1, whose
/// logarithm is a level that stays, and an Ornstein-Uhlenbeck process, the AR(1) of continuous time.
///
/// Virtual machines share caches, frequency and time with others, and so have slow and fast phases. Requests that come
/// in a slow phase wait for each other, which independent service times of the same mean and spread do not show.
package struct SpeedProcess: Codable, Hashable, Sendable {
    /// Deviation of the logarithm of service times that comes and goes.
    package var spread: Double
    /// Seconds after which it is forgotten to 1/e.
    package var time: Double
    /// Deviation of the logarithm from one day to another; the same for a whole run.
    package var daily: Double

    package init(spread: Double, time: Double, daily: Double = 0) {
        precondition(spread >= 0 && daily >= 0, "a deviation cannot be negative, got \(spread) and \(daily)")
        precondition(time > 0, "a phase lasts longer than \(time) s")
        self.spread = spread
        self.time = time
        self.daily = daily
    }
}

/// The speed of one machine in one replication.
package struct SpeedPath: Sendable {
    private let process: SpeedProcess
    private var random: RandomStream
    private let level: Double
    /// The process now, and the second of it.
    private var now: (second: Double, value: Double)

    /// - Parameter random: Of the machine.
    package init(_ process: SpeedProcess, random: RandomStream) {
        self.process = process
        self.random = random
        let variance = process.spread * process.spread + process.daily * process.daily
        level = process.daily * self.random.standardNormal() - variance / 2
        now = (0, process.spread * self.random.standardNormal())
    }

    /// Factor on the base time of a service that begins at `second`; seconds do not run backwards.
    package mutating func factor(at second: Double) -> Double {
        if second > now.second {
            let kept = exp((now.second - second) / process.time)
            let fresh = process.spread * (1 - kept * kept).squareRoot()
            now = (second, kept * now.value + fresh * random.standardNormal())
        }
        return exp(level + now.value)
    }
}
