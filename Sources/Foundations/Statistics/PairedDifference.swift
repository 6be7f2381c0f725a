/// Effect of a change, from pairs of replications that share their seed.
///
/// With common random numbers both designs see the same users, so most of the
/// noise cancels in the difference of each pair; see ``correlation``.
package struct PairedDifference: Hashable, Sendable {
    /// Candidate minus baseline, with Student's interval over the pairs. Without ``hasSpread`` that is no
    /// interval.
    package let difference: MeanEstimate

    /// Whether the pairs differ in their difference by more than the measurement can tell.
    package let hasSpread: Bool

    /// Chance of a difference at least this large, in either direction, if the
    /// change does nothing. In `0...1`. With several comparisons pass it
    /// through ``MultipleComparisons``. Without spread it is that of an
    /// ``ExactTest``: of the totals if the numbers are counts, of the signs if
    /// not.
    package let pValue: Double

    /// Correlation of the pairs, in `-1...1`. Near 1 the common random numbers
    /// pay; below 0 independent seeds would have been better. `nil` when one
    /// side is constant.
    package let correlation: Double?

    /// - Parameters:
    ///   - areCounts: The numbers count events.
    ///   - quantum: The smallest difference that the measurement can tell.
    /// - Returns: `nil` for lists of different length, for fewer than two pairs
    ///   and when a number is not finite.
    package init?(
        baseline: [Double], candidate: [Double], areCounts: Bool = false, quantum: Double = 0,
        confidence: Double = 0.95
    ) {
        requireConfidence(confidence)
        guard baseline.count == candidate.count,
            let before = Moments(baseline), let after = Moments(candidate),
            let moments = Moments(zip(candidate, baseline).map { $0 - $1 }),
            let difference = MeanEstimate(moments: moments, confidence: confidence)
        else { return nil }
        self.difference = difference

        let resolution = moments.resolution(quantum, beside: [before, after])
        hasSpread = moments.variance.squareRoot() > resolution
        if !hasSpread, moments.mean.magnitude <= resolution {
            pValue = 1
        } else if !hasSpread {
            let pairs = Double(moments.count)
            let ofTotals = ExactTest.poisson(
                (before.mean * pairs).rounded(), in: pairs, (after.mean * pairs).rounded(), in: pairs)
            pValue = areCounts ? ofTotals ?? 1 : ExactTest.sign(pairs: moments.count)
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
