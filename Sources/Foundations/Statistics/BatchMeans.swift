/// The mean of one long run, with an interval from the means of its batches.
///
/// The run is cut into consecutive batches; if they are long compared with
/// the memory of the process, their means are nearly independent and Student's
/// interval applies. Whether they are is checked and told, never assumed.
///
/// Remove the warm-up first (``WarmUp``). Independent replications are the
/// better choice whenever their warm-up is affordable.
package struct BatchMeans: Hashable, Sendable {
    package let estimate: MeanEstimate

    /// Consecutive samples in one batch.
    package let batchSize: Int

    /// Correlation of neighbouring batch means, in `-1...1`.
    package let lag1Autocorrelation: Double

    /// A warning: the batches still remember each other, so the interval is
    /// probably too narrow. Run longer, or use fewer batches.
    ///
    /// Von Neumann's ratio test at the one-sided 5 % level: it also fires for
    /// one in twenty runs whose batches are in fact independent.
    package let batchesAreCorrelated: Bool

    package var batchCount: Int { estimate.sampleCount }

    /// Fewest batches accepted: with fewer the test of independence is blind.
    package static let minimumBatchCount = 10

    /// - Parameters:
    ///   - series: Samples of one run in order of time, without warm-up. If
    ///     their number is no multiple of `batchCount`, the surplus at the
    ///     front is left out, because that is nearest to the warm-up.
    ///   - batchCount: 10 to 30 is usual; more buys little.
    /// - Returns: `nil` for fewer than ``minimumBatchCount`` batches, for fewer
    ///   samples than batches, and when a sample is not finite.
    package init?(series: [Double], batchCount: Int = 20, confidence: Double = 0.95) {
        requireConfidence(confidence)
        guard batchCount >= Self.minimumBatchCount,
            let batches = Batches(sampleCount: series.count, batchCount: batchCount)
        else { return nil }
        let means = batches.ranges.compactMap { Moments(series[$0])?.mean }
        guard means.count == batchCount, series.prefix(batches.surplus).allSatisfy(\.isFinite),
            let moments = Moments(means),
            let estimate = MeanEstimate(moments: moments, confidence: confidence)
        else { return nil }
        self.estimate = estimate
        batchSize = batches.size
        let independence = VonNeumannTest(series: means)
        lag1Autocorrelation = independence?.lag1Autocorrelation ?? 0
        batchesAreCorrelated = independence?.isPositivelyCorrelated ?? false
    }
}

/// The ratio of two totals of one long run, such as lookups per URL, with an
/// interval from the ratios of its batches.
///
/// See ``BatchMeans``, which is the same for a mean.
package struct BatchRatio: Hashable, Sendable {
    package let estimate: RatioEstimate

    /// Consecutive samples in one batch.
    package let batchSize: Int

    /// A warning: the batches still remember each other, so the interval is
    /// probably too narrow; see ``BatchMeans/batchesAreCorrelated``.
    package let batchesAreCorrelated: Bool

    package var batchCount: Int { estimate.sampleCount }

    /// - Parameters:
    ///   - numerators: Contributions per interval of time, in order, without
    ///     warm-up. A surplus at the front is left out as in ``BatchMeans``.
    ///   - denominators: As many, not negative.
    /// - Returns: `nil` for lists of different length, for fewer than
    ///   ``BatchMeans/minimumBatchCount`` batches, for fewer samples than
    ///   batches, when a number is not finite and when all but one batch have a
    ///   denominator of 0.
    package init?(
        numerators: [Double], denominators: [Double], batchCount: Int = 20, confidence: Double = 0.95
    ) {
        guard batchCount >= BatchMeans.minimumBatchCount, numerators.count == denominators.count,
            let batches = Batches(sampleCount: numerators.count, batchCount: batchCount)
        else { return nil }
        let above = batches.ranges.map { numerators[$0].reduce(0, +) }
        let below = batches.ranges.map { denominators[$0].reduce(0, +) }
        guard
            let estimate = RatioEstimate(
                numerators: above, denominators: below, confidence: confidence)
        else { return nil }
        self.estimate = estimate
        batchSize = batches.size
        // What a batch adds to the error of the ratio.
        let residuals = zip(above, below).map { $0 - estimate.ratio * $1 }
        batchesAreCorrelated = VonNeumannTest(series: residuals)?.isPositivelyCorrelated ?? false
    }
}

/// Consecutive ranges of equal length that end with the last sample.
private struct Batches {
    let size: Int
    /// Samples at the front that belong to no batch.
    let surplus: Int
    let count: Int

    init?(sampleCount: Int, batchCount: Int) {
        guard batchCount >= 1, sampleCount >= batchCount else { return nil }
        size = sampleCount / batchCount
        surplus = sampleCount - size * batchCount
        count = batchCount
    }

    var ranges: [Range<Int>] {
        (0..<count).map { (surplus + $0 * size)..<(surplus + ($0 + 1) * size) }
    }
}
