import Foundation

/// Amounts that come window by window beside what was planned for each: how many times the plan they are, and whether
/// that has left the plan's interval for good.
///
/// Two ``CumulativeSum``s, one for each end of the interval. As long as the world is anywhere in the interval, its ends
/// included, neither gives a false alarm more often than it may. How much windows scatter is learned from how much
/// neighbours differ, which a change of level touches only once.
package struct PlannedStream: Sendable {
    /// Kind of the amounts.
    package enum Kind: Hashable, Sendable {
        /// A number of events, which may come in clusters.
        case events
        /// A mean of many, such as seconds for each request: its logarithm scatters alike, however many there are.
        case ratios
    }

    package enum Side: String, Codable, Hashable, Sendable {
        case above, below
    }

    /// An observed amount over the planned one.
    package struct Level: Codable, Equatable, Sendable {
        package var value: Double
        /// 95 %, by the scatter of windows.
        package var low: Double
        package var high: Double
        package var windows: Int
    }

    private struct Sums {
        var observed = 0.0
        var expected = 0.0
        var windows = 0

        mutating func add(_ observed: Double, _ expected: Double) {
            self.observed += observed
            self.expected += expected
            windows += 1
        }
    }

    /// Shift beyond an end of the interval that is found soonest. Assumption: a quarter is worth a machine.
    package static let shift = 1.25
    /// Scatter that is believed before anything was seen, and the windows that it counts for: lookups in clusters of
    /// two or three, or a tenth of a mean. Assumption.
    private static let usual: (dispersion: Double, deviation: Double, windows: Double) = (4, 0.1, 12)
    /// A difference counts for at most so many times what is usual: a change of level is no scatter.
    private static let mostSurprise = 9.0
    /// Clocks and sizes of windows alone make means differ so much. Assumption.
    private static let leastDeviation = 0.01

    package let kind: Kind
    package let edges: ClosedRange<Double>
    private var above: CumulativeSum
    private var below: CumulativeSum
    private var all = Sums()
    private var sinceAbove = Sums()
    private var sinceBelow = Sums()
    private var last: (observed: Double, expected: Double)?
    /// Scatter so far, as variance over mean or as variance of the logarithm, times its weight.
    private var scatter: (sum: Double, weight: Double)

    /// - Parameters:
    ///   - edges: Of the plan's interval, over the planned amount. Above 0.
    ///   - count: Windows in which each side may give one false alarm.
    package init(_ kind: Kind, within edges: ClosedRange<Double>, windowsBetweenFalseAlarms count: Double) {
        precondition(edges.lowerBound > 0, "the plan's interval is \(edges); amounts are above 0")
        self.kind = kind
        self.edges = edges
        above = CumulativeSum(gainsBetweenFalseAlarms: count)
        below = above
        let start = kind == .events ? Self.usual.dispersion : Self.usual.deviation * Self.usual.deviation
        scatter = (start * Self.usual.windows, Self.usual.windows)
    }

    /// Variance of a window over its mean, or of its logarithm.
    package var dispersion: Double {
        let learned = scatter.sum / scatter.weight
        return kind == .events
            ? max(1, learned) : max(Self.leastDeviation * Self.leastDeviation, learned)
    }

    /// - Parameter expected: By the plan; a window without anything expected says nothing.
    package mutating func add(_ observed: Double, expected: Double) {
        guard expected > 0, observed >= 0, kind == .events || observed > 0 else { return }
        let dispersion = dispersion
        above.add(gain(observed, expected, edges.upperBound, Self.shift, dispersion))
        below.add(gain(observed, expected, edges.lowerBound, 1 / Self.shift, dispersion))
        if above.run == 0 { sinceAbove = Sums() } else { sinceAbove.add(observed, expected) }
        if below.run == 0 { sinceBelow = Sums() } else { sinceBelow.add(observed, expected) }
        all.add(observed, expected)
        learn(observed, expected, dispersion)
        last = (observed, expected)
    }

    private func gain(
        _ observed: Double, _ expected: Double, _ edge: Double, _ ratio: Double, _ dispersion: Double
    ) -> Double {
        switch kind {
        case .events:
            CumulativeSum.gain(
                observed, eventsAround: expected * edge, ratio: ratio, dispersion: dispersion)
        case .ratios:
            CumulativeSum.gain(
                log(observed / expected), normalAround: log(edge), shift: log(ratio),
                deviation: dispersion.squareRoot())
        }
    }

    private mutating func learn(_ observed: Double, _ expected: Double, _ dispersion: Double) {
        guard let last else { return }
        let difference: Double
        switch kind {
        case .events:
            let level = (observed + last.observed) / (expected + last.expected)
            guard level > 0 else { return }
            let step = observed / expected - last.observed / last.expected
            difference = step * step * expected * last.expected / (expected + last.expected) / level
        case .ratios:
            let step = log(observed / expected) - log(last.observed / last.expected)
            difference = step * step / 2
        }
        scatter.sum += min(difference, Self.mostSurprise * dispersion)
        scatter.weight += 1
    }

    /// The side on which the plan was left; `nil` while it was not.
    package var side: Side? { above.isRaised ? .above : below.isRaised ? .below : nil }

    /// Windows from the likeliest place of the change until now, and until the alarm; `nil` without one.
    package var change: (windows: Int, delay: Int)? {
        let sum = above.isRaised ? above : below
        return sum.delay.map { (sum.run, $0) }
    }

    /// The level since the plan was left, or else of all windows; `nil` before the first.
    package var level: Level? {
        let sums = above.isRaised ? sinceAbove : below.isRaised ? sinceBelow : all
        guard sums.windows > 0, sums.expected > 0 else { return nil }
        let value = sums.observed / sums.expected
        switch kind {
        case .events:
            // One event is taken to be possible where none was seen.
            let error = (dispersion * max(value, 1 / sums.expected) / sums.expected).squareRoot()
            return Level(
                value: value, low: max(0, value - 1.96 * error), high: value + 1.96 * error,
                windows: sums.windows)
        case .ratios:
            let factor = exp(1.96 * (dispersion / Double(sums.windows)).squareRoot())
            return Level(value: value, low: value / factor, high: value * factor, windows: sums.windows)
        }
    }
}
