/// A quantile with an interval that holds for every distribution.
///
/// The bounds are two of the samples. Which two follows from the binomial
/// distribution alone: the number of samples below the true quantile is
/// binomial, whatever is being measured (David and Nagaraja, Order Statistics,
/// section 7.1). The samples must be independent.
package struct QuantileEstimate: Hashable, Sendable {
    /// Which quantile, for example 0.99.
    package let probability: Double
    /// The sample at the nearest rank; see ``Percentile``.
    package let value: Double
    package let bounds: ClosedRange<Double>
    /// Coverage that was asked for, for example 0.95.
    package let confidence: Double
    /// Coverage that the interval has: exact for continuous distributions, a
    /// lower limit when values repeat. Never below ``confidence``.
    package let coverage: Double
    package let sampleCount: Int
}

extension QuantileEstimate {
    /// Estimates from samples in any order. See ``init(sorted:probability:confidence:)``.
    package init?(samples: [Double], probability: Double, confidence: Double = 0.95) {
        guard !samples.contains(where: \.isNaN) else { return nil }
        self.init(sorted: samples.sorted(), probability: probability, confidence: confidence)
    }

    /// Estimates from samples in ascending order. Infinite samples are allowed: a lookup that never ended is larger
    /// than all others, and that is all that counts.
    ///
    /// - Returns: `nil` when there are too few samples for the confidence (p99
    ///   at 95 % needs 299), when the probability is not strictly between 0 and
    ///   1, when the samples are not in order, and when one is NaN.
    /// - Complexity: O(`samples.count`) for the check of the order.
    package init?(sorted samples: [Double], probability: Double, confidence: Double = 0.95) {
        guard let first = samples.first, !first.isNaN,
            zip(samples, samples.dropFirst()).allSatisfy({ $0 <= $1 })
        else { return nil }
        self.init(probability: probability, confidence: confidence, count: samples.count) {
            samples[$0 - 1]
        }
    }

    /// Estimates from a histogram: each value stands for `count` samples.
    ///
    /// The answer is a bucket's value, so it is as coarse as the buckets are.
    ///
    /// - Parameter buckets: Values strictly ascending; empty buckets are allowed.
    /// - Returns: `nil` as for samples, and for a negative count or a total
    ///   that does not fit an `Int`.
    package init?(
        buckets: [(value: Double, count: Int)], probability: Double, confidence: Double = 0.95
    ) {
        guard !buckets.contains(where: { $0.value.isNaN || $0.count < 0 }),
            zip(buckets, buckets.dropFirst()).allSatisfy({ $0.value < $1.value })
        else { return nil }
        var ends: [Int] = []
        ends.reserveCapacity(buckets.count)
        for bucket in buckets {
            let (end, overflow) = (ends.last ?? 0).addingReportingOverflow(bucket.count)
            guard !overflow else { return nil }
            ends.append(end)
        }
        self.init(probability: probability, confidence: confidence, count: ends.last ?? 0) { rank in
            let index = Inversion.first(in: 0...(buckets.count - 1)) { ends[$0] >= rank }
            return buckets[index ?? 0].value
        }
    }

    private init?(
        probability: Double, confidence: Double, count: Int, valueAtRank: (Int) -> Double
    ) {
        guard let rank = Percentile.rank(probability, count: count),
            let interval = RankInterval(probability: probability, count: count, confidence: confidence)
        else { return nil }
        self.init(
            probability: probability, value: valueAtRank(rank),
            bounds: valueAtRank(interval.lower)...valueAtRank(interval.upper),
            confidence: confidence, coverage: interval.coverage, sampleCount: count)
    }
}

/// The ranks between which a quantile lies with a given probability.
///
/// Useful on its own where only ranks are known, such as a merged histogram.
package struct RankInterval: Hashable, Sendable {
    /// Rank of the lower end, in `1...count`.
    package let lower: Int
    /// Rank of the upper end, in `lower...count`.
    package let upper: Int
    /// P(lower-th sample ≤ quantile < upper-th sample) for a continuous distribution.
    package let coverage: Double

    /// Splits the allowed error evenly; near an end, where no sample leaves so
    /// little on its side, the extreme sample is taken and the other side gets
    /// what is left.
    ///
    /// - Returns: `nil` when even the smallest and the largest sample enclose
    ///   the quantile too rarely, and when `probability` is not in the open
    ///   interval (0, 1).
    package init?(probability: Double, count: Int, confidence: Double) {
        requireConfidence(confidence)
        guard probability > 0, probability < 1, count >= 1 else { return nil }
        let error = 1 - confidence
        func cdf(_ successes: Int) -> Double? {
            SpecialFunctions.binomialCDF(successes, trials: count, probability: probability)
        }
        func upperTail(_ successes: Int) -> Double? {
            SpecialFunctions.binomialUpperTail(successes, trials: count, probability: probability)
        }
        guard let allAbove = cdf(0), let allBelow = upperTail(count - 1),
            allAbove + allBelow <= error
        else { return nil }

        let errorBelow = allBelow > error / 2 ? error - allBelow : max(error / 2, allAbove)
        let errorAbove = allAbove > error / 2 ? error - allAbove : max(error / 2, allBelow)
        guard
            let lower = Inversion.first(in: 1...count, where: { cdf($0).map { $0 > errorBelow } }),
            let upper = Inversion.first(in: 1...count, where: { upperTail($0 - 1).map { $0 <= errorAbove } }),
            let below = cdf(lower - 1), let above = upperTail(upper - 1), lower <= upper
        else { return nil }
        self.lower = lower
        self.upper = upper
        coverage = 1 - below - above
    }
}
