import Foundation

/// Page's cumulative sum of log likelihood ratios: says from when on numbers that come one by one have another law.
///
/// It begins again at 0 whenever it falls below. While the first law holds, the mean number of gains until it passes
/// `ln n` is `n` at least, whatever both laws are, since the ratio is 1 in the mean (G. Lorden, Procedures for reacting
/// to a change in distribution, Annals of Mathematical Statistics 42, 1971). That is how the threshold is chosen.
///
///     var sum = CumulativeSum(gainsBetweenFalseAlarms: 1_000)
///     sum.add(CumulativeSum.gain(1.2, normalAround: 0, shift: 1, deviation: 1))
///     sum.isRaised        // false: 0.7 of 6.9
package struct CumulativeSum: Hashable, Sendable {
    package private(set) var value = 0.0
    /// An alarm was raised, and the sum has not come back to 0 since.
    package private(set) var isRaised = false
    /// Gains since it was last 0: where the change is most likely to be.
    package private(set) var run = 0
    /// Gains from ``run``'s beginning to the alarm; `nil` without one.
    package private(set) var delay: Int?
    package let threshold: Double

    /// - Parameter count: Above 1.
    package init(gainsBetweenFalseAlarms count: Double) {
        precondition(count > 1, "\(count) gains between false alarms; there has to be more than one")
        threshold = log(count)
    }

    package mutating func add(_ gain: Double) {
        // What an alarm has gathered for days would otherwise take days to go.
        value = min(value + gain, 2 * threshold)
        guard value > 0 else {
            (value, isRaised, run, delay) = (0, false, 0, nil)
            return
        }
        run += 1
        if value > threshold, !isRaised { (isRaised, delay) = (true, run) }
    }

    /// The gain of a normal number: mean `edge` against `edge + shift`.
    package static func gain(
        _ number: Double, normalAround edge: Double, shift: Double, deviation: Double
    ) -> Double {
        shift / (deviation * deviation) * (number - edge - shift / 2)
    }

    /// The gain of a number of events that come in clusters: a Poisson law's with mean `edge` against `ratio` times as
    /// many, over the mean size of a cluster, which is exact for clusters of one size.
    ///
    /// - Parameter dispersion: Variance over mean, 1 for single events.
    package static func gain(
        _ count: Double, eventsAround edge: Double, ratio: Double, dispersion: Double
    ) -> Double {
        (count * log(ratio) - edge * (ratio - 1)) / dispersion
    }
}
