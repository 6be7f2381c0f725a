/// What a change did, from pairs of replications that share their seed.
///
/// With common random numbers both designs see the same users, so most of the
/// noise cancels in the difference of each pair; see ``correlation``.
package struct PairedDifference: Hashable, Sendable {
    /// Candidate minus baseline, with Student's interval over the pairs.
    package let difference: MeanEstimate

    /// Chance of a difference at least this large, in either direction, if the
    /// change does nothing. In `0...1`. With several comparisons pass it
    /// through ``MultipleComparisons``.
    package let pValue: Double

    /// Correlation of the pairs, in `-1...1`. Near 1 the common random numbers
    /// pay; below 0 independent seeds would have been better. `nil` when one
    /// side is constant.
    package let correlation: Double?

    /// - Returns: `nil` for lists of different length, for fewer than two pairs
    ///   and when a number is not finite.
    package init?(baseline: [Double], candidate: [Double], confidence: Double = 0.95) {
        requireConfidence(confidence)
        guard baseline.count == candidate.count,
            let before = Moments(baseline), let after = Moments(candidate),
            let moments = Moments(zip(candidate, baseline).map { $0 - $1 }),
            let difference = MeanEstimate(moments: moments, confidence: confidence)
        else { return nil }
        self.difference = difference

        if moments.squaredDistances == 0 {
            pValue = moments.mean == 0 ? 1 : 0
        } else {
            let t = moments.mean.magnitude / (moments.variance / Double(moments.count)).squareRoot()
            let tail = SpecialFunctions.studentUpperTail(t, degreesOfFreedom: Double(moments.count - 1))
            guard let tail else { return nil }
            pValue = min(1, 2 * tail)
        }

        let scale = before.squaredDistances.squareRoot() * after.squaredDistances.squareRoot()
        if scale > 0 {
            let shared = zip(baseline, candidate).reduce(0) { sum, pair in
                sum + (pair.0 - before.mean) * (pair.1 - after.mean)
            }
            correlation = max(-1, min(1, shared / scale))
        } else {
            correlation = nil
        }
    }
}
