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
        guard batchCount >= Self.minimumBatchCount, series.count >= batchCount else { return nil }
        let size = series.count / batchCount
        let surplus = series.count - size * batchCount
        let means = (0..<batchCount).compactMap { batch in
            Moments(series[(surplus + batch * size)..<(surplus + (batch + 1) * size)])?.mean
        }
        guard means.count == batchCount, series.prefix(surplus).allSatisfy(\.isFinite),
            let moments = Moments(means),
            let estimate = MeanEstimate(moments: moments, confidence: confidence)
        else { return nil }
        self.estimate = estimate
        batchSize = size
        lag1Autocorrelation = Autocorrelation.coefficients(of: means, maximumLag: 1)?.first ?? 0
        batchesAreCorrelated = Self.vonNeumannScore(means, moments, lag1Autocorrelation) > 1.645
    }

    /// Standard normal, roughly, when the batch means are independent.
    ///
    /// The first and the last mean have one neighbour only; the end terms
    /// repair that (Fishman, Grouping observations in digital simulation, 1978).
    private static func vonNeumannScore(_ means: [Double], _ moments: Moments, _ lag1: Double) -> Double {
        guard moments.squaredDistances > 0 else { return 0 }
        let ends = [means[0], means[means.count - 1]].map { ($0 - moments.mean) * ($0 - moments.mean) }
        let corrected = lag1 + (ends[0] + ends[1]) / (2 * moments.squaredDistances)
        let count = Double(means.count)
        return corrected * ((count * count - 1) / (count - 2)).squareRoot()
    }
}
