import Decoding

/// The mean number of events in a replication, never surer than chance allows.
///
/// The interval is the wider of two on each side: Garwood's, for events that come independently of each other, and
/// that of ``SkewedMean``, which takes the spread that the counts have, for events that come in bursts. It ends at 0.
package struct ReplicatedCount: Hashable, Sendable {
    package let mean: Double
    package let bounds: ClosedRange<Double>
    /// Coverage of the interval, for example 0.95.
    package let confidence: Double

    /// - Parameters:
    ///   - counts: One per replication, not negative.
    ///   - independentCount: How many of the replications are independent: 1 if all repeat the same workload.
    ///     In `1...counts.count`.
    /// - Returns: `nil` for a single count that is not 0, since it shows no spread, and for numbers that are no
    ///   counts.
    package init?(_ counts: [Double], independentCount: Int, confidence: Double = 0.95) {
        requireConfidence(confidence)
        let total = counts.reduce(0, +)
        guard (1...max(counts.count, 1)).contains(independentCount), counts.allSatisfy({ $0 >= 0 }),
            counts.count > 1 || total == 0, total < 0x1p53
        else { return nil }
        let exposure = Double(independentCount)
        let events = Int(saturating: (total * exposure / Double(counts.count)).rounded())
        guard
            let chance = PoissonRateEstimate(eventCount: events, exposure: exposure, confidence: confidence)
        else { return nil }
        let mean = Moments(counts)?.mean ?? 0
        let spread = SkewedMean(counts, confidence: confidence)?.bounds ?? mean...mean
        self.mean = mean
        bounds = chance.bounds.joined(with: spread, at: mean).clamped(to: 0...Double.infinity)
        self.confidence = confidence
    }
}

/// The mean over replications of a share of trials, never surer than independent trials would be.
///
/// The interval is the wider of two on each side: that of Clopper and Pearson, and that of ``SkewedMean`` over the
/// replications.
package struct ReplicatedShare: Hashable, Sendable {
    package let mean: Double
    /// Inside `0...1`.
    package let bounds: ClosedRange<Double>
    /// Coverage of the interval, for example 0.95.
    package let confidence: Double
    /// Independent trials behind the interval of Clopper and Pearson.
    package let trials: Int

    /// - Parameters:
    ///   - shares: One per replication that had trials, in `0...1`.
    ///   - trials: As many numbers of trials, each at least 1.
    ///   - independentCount: How many of the replications are independent: 1 if all repeat the same workload.
    ///     In `1...shares.count`.
    /// - Returns: `nil` for a single share that is not 0, since it shows no spread, and for numbers that are no
    ///   shares.
    package init?(_ shares: [Double], of trials: [Int], independentCount: Int, confidence: Double = 0.95) {
        requireConfidence(confidence)
        guard shares.count == trials.count, (1...max(shares.count, 1)).contains(independentCount),
            shares.allSatisfy((0...1).contains), trials.allSatisfy({ $0 >= 1 }),
            shares.count > 1 || shares == [0]
        else { return nil }
        let scale = Double(independentCount) / Double(shares.count)
        let successes = zip(shares, trials).reduce(0) { $0 + $1.0 * Double($1.1) } * scale
        let independent = max(1, Int(saturating: (Double(trials.reduce(0, +)) * scale).rounded()))
        guard
            let chance = ProportionEstimate(
                successes: min(independent, Int(saturating: successes.rounded())), trials: independent,
                confidence: confidence)
        else { return nil }
        let mean = Moments(shares)?.mean ?? 0
        let spread = SkewedMean(shares, confidence: confidence)?.bounds ?? mean...mean
        self.mean = mean
        bounds = chance.bounds.joined(with: spread, at: mean).clamped(to: 0...1)
        self.confidence = confidence
        self.trials = independent
    }
}

extension ClosedRange<Double> {
    /// The range from the lowest to the highest of two ranges and a value.
    fileprivate func joined(with other: ClosedRange<Double>, at value: Double) -> ClosedRange<Double> {
        Swift.min(lowerBound, other.lowerBound, value)...Swift.max(upperBound, other.upperBound, value)
    }
}
