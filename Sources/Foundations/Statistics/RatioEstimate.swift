/// The ratio of two totals over replications, such as lookups per URL or bytes
/// per request, with Student's interval on the jackknife's standard error.
///
/// The ratio of the totals is not the mean of the ratios: a replication with
/// twice the URLs weighs twice.
package struct RatioEstimate: Hashable, Sendable {
    /// Sum of the numerators divided by the sum of the denominators.
    package let ratio: Double
    package let halfWidth: Double
    /// Coverage of the interval, for example 0.95.
    package let confidence: Double
    /// Replications.
    package let sampleCount: Int

    package var bounds: ClosedRange<Double> { (ratio - halfWidth)...(ratio + halfWidth) }

    /// - Parameters:
    ///   - numerators: One total per replication.
    ///   - denominators: One total per replication, in the same order.
    /// - Returns: `nil` for lists of different length, for fewer than two
    ///   replications, when a number is not finite, for a negative denominator,
    ///   and when all but one denominator are 0: leaving that one out leaves
    ///   nothing to divide by.
    package init?(numerators: [Double], denominators: [Double], confidence: Double = 0.95) {
        requireConfidence(confidence)
        let count = numerators.count
        guard count >= 2, denominators.count == count,
            numerators.allSatisfy(\.isFinite),
            denominators.allSatisfy({ $0.isFinite && $0 >= 0 }),
            denominators.count(where: { $0 > 0 }) >= 2
        else { return nil }
        let numerator = numerators.reduce(0, +)
        let denominator = denominators.reduce(0, +)
        let withoutOne = zip(numerators, denominators).map { (numerator - $0) / (denominator - $1) }
        guard let moments = Moments(withoutOne),
            let t = SpecialFunctions.studentQuantile(
                0.5 + confidence / 2, degreesOfFreedom: Double(count - 1))
        else { return nil }
        let standardError = (moments.squaredDistances * Double(count - 1) / Double(count)).squareRoot()
        ratio = numerator / denominator
        halfWidth = t * standardError
        guard (ratio.magnitude + halfWidth).isFinite else { return nil }
        self.confidence = confidence
        sampleCount = count
    }
}
