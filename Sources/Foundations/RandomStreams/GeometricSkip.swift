import Foundation

/// How many trials fail before the next one succeeds.
///
/// Counts rare successes in bulk: one draw replaces all the failures between
/// two successes. Exact for every probability that a `Double` can hold; the
/// draw resolves the cumulative probability to 2⁻⁵³.
package struct GeometricSkip: Hashable, Sendable {
    /// Probability of success of one trial, in `0...1`.
    package let probability: Double
    private let inverse: Double

    package init(probability: Double) throws(DistributionError) {
        guard probability >= 0, probability <= 1 else {
            throw .outOfRange(parameter: "probability", value: probability, allowed: "in 0...1")
        }
        self.probability = probability
        inverse = 1 / log1p(-probability)
    }

    /// Failures before the next success: 0 when it never fails, `Int.max` when
    /// it never succeeds. Takes one number of the stream.
    package func sample(using stream: inout RandomStream) -> Int {
        // Probability 1 makes the factor zero, probability 0 makes it infinite;
        // the logarithm is negative and never zero, so neither gives NaN.
        let failures = log(stream.uniform()) * inverse
        return failures < 0x1p63 ? Int(failures) : .max
    }
}
