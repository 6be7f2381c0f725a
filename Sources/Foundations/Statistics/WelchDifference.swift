/// The difference of two means whose samples have nothing in common.
///
/// Welch's test (Biometrika 34, 1947): the spreads may differ. For runs that share their seeds use
/// ``PairedDifference``, which is much narrower.
package struct WelchDifference: Hashable, Sendable {
    /// Candidate minus baseline.
    package let difference: Double
    /// Half the width of its interval. Without ``hasSpread`` it is 0, which is no interval.
    package let halfWidth: Double
    /// Whether the samples of a side differ by more than the measurement can tell.
    package let hasSpread: Bool
    package let confidence: Double
    /// Degrees of freedom of Student's t, by Satterthwaite's approximation.
    package let degreesOfFreedom: Double
    /// Chance of a difference at least this large, in either direction, if there is none. In `0...1`. Without spread it
    /// is that of an ``ExactTest``: of the totals if the numbers are counts, of their order if not.
    package let pValue: Double

    /// - Parameters:
    ///   - areCounts: The numbers count events.
    ///   - quantum: The smallest difference that the measurement can tell.
    /// - Returns: `nil` for fewer than two samples on a side and when a number is not finite.
    package init?(
        baseline: [Double], candidate: [Double], areCounts: Bool = false, quantum: Double = 0,
        confidence: Double = 0.95
    ) {
        requireConfidence(confidence)
        guard let before = Moments(baseline), let after = Moments(candidate),
            before.count >= 2, after.count >= 2
        else { return nil }
        difference = after.mean - before.mean
        self.confidence = confidence
        let parts = [before, after].map { $0.variance / Double($0.count) }
        let variance = parts[0] + parts[1]
        let resolution = before.resolution(quantum, beside: [after])
        hasSpread = max(before.variance, after.variance).squareRoot() > resolution
        guard hasSpread else {
            halfWidth = 0
            degreesOfFreedom = Double(before.count + after.count - 2)
            let sizes = (Double(before.count), Double(after.count))
            let ofTotals = ExactTest.poisson(
                (before.mean * sizes.0).rounded(), in: sizes.0, (after.mean * sizes.1).rounded(), in: sizes.1)
            let ofOrder = ExactTest.separation(before.count, after.count)
            pValue = difference.magnitude <= resolution ? 1 : areCounts ? ofTotals ?? 1 : ofOrder
            return
        }
        let degrees =
            variance * variance
            / (parts[0] * parts[0] / Double(before.count - 1) + parts[1] * parts[1] / Double(after.count - 1))
        let t = difference.magnitude / variance.squareRoot()
        guard
            let quantile = SpecialFunctions.studentQuantile(0.5 + confidence / 2, degreesOfFreedom: degrees),
            let tail = SpecialFunctions.studentUpperTail(t, degreesOfFreedom: degrees),
            (difference.magnitude + quantile * variance.squareRoot()).isFinite
        else { return nil }
        halfWidth = quantile * variance.squareRoot()
        degreesOfFreedom = degrees
        pValue = min(1, 2 * tail)
    }
}
