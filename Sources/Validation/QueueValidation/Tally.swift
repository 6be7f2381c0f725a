package import EventSimulation

/// Counts of the customers of one class.
package struct Tally: Sendable {
    /// Limits of the time in the system.
    package let thresholds: [SimulatedDuration]
    package var arrivals = 0
    package var rejections = 0
    package private(set) var served = 0
    /// Nanoseconds in the system, of all who were served.
    package private(set) var timeInSystem: Int128 = 0
    package private(set) var wait: Int128 = 0
    /// How many took longer than each threshold.
    package private(set) var longer: [Int]

    package init(thresholds: [SimulatedDuration]) {
        self.thresholds = thresholds
        longer = thresholds.map { _ in 0 }
    }

    package mutating func record(timeInSystem time: SimulatedDuration, wait: SimulatedDuration) {
        served += 1
        timeInSystem += Int128(time.nanoseconds)
        self.wait += Int128(wait.nanoseconds)
        for index in thresholds.indices where time > thresholds[index] { longer[index] += 1 }
    }

    package mutating func reset() { self = Tally(thresholds: thresholds) }

    /// Seconds.
    package var meanTimeInSystem: Double { Double(timeInSystem) / Double(served) / 1e9 }
    /// Seconds.
    package var meanWait: Double { Double(wait) / Double(served) / 1e9 }
    package var lossShare: Double { Double(rejections) / Double(arrivals) }

    /// Share of those served who took longer than a threshold.
    package func shareLonger(than index: Int) -> Double { Double(longer[index]) / Double(served) }
}
