/// The difference of two means whose samples have nothing in common.
///
/// Welch's test (Biometrika 34, 1947): the spreads may differ. For runs that share their seeds use
/// ``PairedDifference``, which is much narrower.
package struct WelchDifference: Hashable, Sendable {
    /// Candidate minus baseline.
    package let difference: Double
    /// Half the width of its interval.
    package let halfWidth: Double
    package let confidence: Double
    /// Chance of a difference at least this large, in either direction, if there is none. In `0...1`.
    package let pValue: Double

    /// - Returns: `nil` for fewer than two samples on a side and when a number is not finite.
    package init?(baseline: [Double], candidate: [Double], confidence: Double = 0.95) {
        requireConfidence(confidence)
        guard let before = Moments(baseline), let after = Moments(candidate),
            before.count >= 2, after.count >= 2
        else { return nil }
        difference = after.mean - before.mean
        self.confidence = confidence
        let parts = [before, after].map { $0.variance / Double($0.count) }
        let variance = parts[0] + parts[1]
        guard variance > 0 else {
            halfWidth = 0
            pValue = difference == 0 ? 1 : 0
            return
        }
        // Satterthwaite's approximation of the degrees of freedom.
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
        pValue = min(1, 2 * tail)
    }
}
