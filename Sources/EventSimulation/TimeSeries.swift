/// How many things happened in each interval of a run.
package struct CountSeries: Hashable, Sendable {
    package let interval: SimulatedDuration
    /// One number per interval, the first from the start of the run.
    package private(set) var counts: [Int]
    /// What happened after the last interval.
    package private(set) var beyond = 0

    /// - Parameters:
    ///   - interval: Positive.
    ///   - horizon: Length of the run. The last interval may reach past it.
    package init(interval: SimulatedDuration, horizon: SimulatedDuration) {
        self.interval = interval
        counts = Array(repeating: 0, count: intervalCount(interval, horizon))
    }

    package mutating func add(_ number: Int = 1, at time: SimulatedTime) {
        let index = Int(time.nanoseconds / interval.nanoseconds)
        if index < counts.count {
            counts[index] += number
        } else {
            beyond += number
        }
    }
}

/// The time-weighted mean of a changing number, for example of a queue's
/// length, in each interval of a run.
package struct LevelSeries: Hashable, Sendable {
    package let interval: SimulatedDuration
    /// The number since its last change.
    package private(set) var level: Int

    private var areas: [Int128]
    private var lastChange = SimulatedTime.start

    /// - Parameters:
    ///   - interval: Positive.
    ///   - horizon: Length of the run. The last interval may reach past it;
    ///     changes after it are not recorded.
    ///   - level: The number at the start of the run.
    package init(interval: SimulatedDuration, horizon: SimulatedDuration, level: Int = 0) {
        self.interval = interval
        self.level = level
        areas = Array(repeating: 0, count: intervalCount(interval, horizon))
    }

    /// Instants must not run backwards.
    package mutating func set(_ level: Int, at time: SimulatedTime) {
        fill(until: time)
        self.level = level
    }

    /// Instants must not run backwards.
    package mutating func add(_ change: Int, at time: SimulatedTime) {
        set(level + change, at: time)
    }

    /// The mean in each interval that began before `end`; the last one counts
    /// only the time up to `end`. `end` is not before the last change.
    package func means(until end: SimulatedTime) -> [Double] {
        var series = self
        series.fill(until: end)
        let length = interval.nanoseconds
        let begun = min(areas.count, Int((end.nanoseconds + length - 1) / length))
        return (0..<begun).map { index in
            let elapsed = min(length, end.nanoseconds - Int64(index) * length)
            return Double(series.areas[index]) / Double(elapsed)
        }
    }

    private mutating func fill(until time: SimulatedTime) {
        precondition(time >= lastChange, "a level changed at \(time) after it changed at \(lastChange)")
        let length = interval.nanoseconds
        var from = lastChange.nanoseconds
        lastChange = time
        while from < time.nanoseconds {
            let index = Int(from / length)
            guard index < areas.count else { return }
            let until = min(time.nanoseconds, Int64(index + 1) * length)
            areas[index] += Int128(level) * Int128(until - from)
            from = until
        }
    }
}

private func intervalCount(_ interval: SimulatedDuration, _ horizon: SimulatedDuration) -> Int {
    precondition(interval > .zero, "an interval must be longer than 0")
    precondition(horizon >= .zero, "a run cannot have negative length")
    let (whole, rest) = horizon.nanoseconds.quotientAndRemainder(dividingBy: interval.nanoseconds)
    return Int(whole) + (rest > 0 ? 1 : 0)
}
