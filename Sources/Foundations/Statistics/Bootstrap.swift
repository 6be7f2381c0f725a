import Foundation
import RandomStreams

/// An interval for any statistic of independent samples, by resampling.
///
/// Bias-corrected and accelerated (Efron, J. Amer. Statist. Assoc. 82, 1987):
/// it shifts the percentiles of the resampled statistic for median bias and
/// skew, and is never outside what resampling can produce. Use it where no
/// formula exists. It cannot see values that never occurred, so extreme
/// quantiles belong to ``QuantileEstimate``; below about 10 samples every
/// bootstrap interval is too narrow.
package struct BootstrapEstimate: Hashable, Sendable {
    /// The statistic of the samples themselves.
    package let value: Double
    package let bounds: ClosedRange<Double>
    /// Coverage aimed at, for example 0.95.
    package let confidence: Double
    package let sampleCount: Int
    /// Times that samples were drawn with replacement.
    package let resampleCount: Int

    /// Fewest samples and fewest resamples accepted.
    package static let minimumSampleCount = 3
    package static let minimumResampleCount = 200

    /// - Parameters:
    ///   - samples: Independent of each other. An element may be a pair or a
    ///     record, which keeps together what belongs together.
    ///   - resampleCount: 2 000 steadies a 95 % interval to a few percent of
    ///     its width.
    ///   - seed: The same seed gives the same interval.
    ///   - statistic: Called `resampleCount + samples.count + 1` times with as
    ///     many elements as there are samples, or one fewer.
    /// - Returns: `nil` for fewer samples or resamples than the minimum, when
    ///   the statistic is not finite for some resample, and when every resample
    ///   lies on one side of the value, so that its bias cannot be told.
    package init?<Element>(
        samples: [Element], resampleCount: Int = 2_000, confidence: Double = 0.95, seed: UInt64,
        statistic: ([Element]) -> Double
    ) {
        requireConfidence(confidence)
        guard samples.count >= Self.minimumSampleCount, resampleCount >= Self.minimumResampleCount
        else { return nil }
        let value = statistic(samples)
        var generator = SplitMix64(seed)
        var resample = samples
        let replicates = (0..<resampleCount).map { _ in
            for place in resample.indices {
                resample[place] = samples[generator.index(below: samples.count)]
            }
            return statistic(resample)
        }.sorted()
        guard value.isFinite, replicates.allSatisfy(\.isFinite),
            let acceleration = Self.acceleration(of: samples, statistic),
            let bias = Self.bias(of: value, among: replicates)
        else { return nil }

        // Position of a tail of the normal distribution among the replicates.
        func bound(_ tail: Double) -> Double? {
            guard let z = SpecialFunctions.normalQuantile(tail) else { return nil }
            let stretch = 1 - acceleration * (bias + z)
            guard stretch > 0, let share = SpecialFunctions.normalCDF(bias + (bias + z) / stretch)
            else { return nil }
            return Percentile.nearestRank(share, sorted: replicates)
        }
        guard let lower = bound((1 - confidence) / 2), let upper = bound((1 + confidence) / 2)
        else { return nil }
        self.value = value
        bounds = min(lower, upper)...max(lower, upper)
        self.confidence = confidence
        sampleCount = samples.count
        self.resampleCount = resampleCount
    }

    /// Normal score of the share of replicates below the value; ties count half.
    private static func bias(of value: Double, among replicates: [Double]) -> Double? {
        let below = replicates.count(where: { $0 < value })
        let equal = replicates.count(where: { $0 == value })
        let share = (Double(below) + Double(equal) / 2) / Double(replicates.count)
        return SpecialFunctions.normalQuantile(share).flatMap { $0.isFinite ? $0 : nil }
    }

    /// Skewness of the jackknife values, divided by 6; 0 when they are equal.
    private static func acceleration<Element>(
        of samples: [Element], _ statistic: ([Element]) -> Double
    ) -> Double? {
        let values = samples.indices.map { index in
            var others = samples
            others.remove(at: index)
            return statistic(others)
        }
        guard let moments = Moments(values) else { return nil }
        guard moments.squaredDistances > 0 else { return 0 }
        let cubes = values.reduce(0) { $0 + pow(moments.mean - $1, 3) }
        return cubes / (6 * pow(moments.squaredDistances, 1.5))
    }
}
