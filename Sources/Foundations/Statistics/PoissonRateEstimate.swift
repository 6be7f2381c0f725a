/// How often something happens per unit of exposure, with the exact interval.
///
/// For events that come independently of each other, such as false positives
/// per URL or losses per hour; also for none seen, where the upper bound says
/// how rare they must be.
package struct PoissonRateEstimate: Hashable, Sendable {
    /// Events per unit of exposure.
    package let rate: Double
    /// Starts at 0 when nothing was seen.
    package let bounds: ClosedRange<Double>
    /// Coverage of the interval, for example 0.95; the true one is not lower.
    package let confidence: Double
    /// Events seen.
    package let eventCount: Int

    /// The interval of Garwood (Biometrika 28, 1936), from quantiles of the
    /// chi-square distribution.
    ///
    /// - Parameters:
    ///   - eventCount: Events seen.
    ///   - exposure: What they were seen in: seconds, URLs, bytes. More than 0.
    /// - Returns: `nil` for a negative count or an exposure that is not
    ///   positive and finite, and when the rate is too large for a `Double`.
    package init?(eventCount: Int, exposure: Double, confidence: Double = 0.95) {
        requireConfidence(confidence)
        guard eventCount >= 0, exposure > 0, exposure.isFinite else { return nil }
        let tail = (1 - confidence) / 2
        let count = Double(eventCount)
        // Half the chi-square quantile with 2k degrees of freedom is the gamma
        // quantile with shape k.
        let lower = eventCount == 0 ? 0 : GammaQuantile.fromBelow(tail, shape: count)
        guard let lower, let upper = GammaQuantile.fromAbove(tail, shape: count + 1),
            (upper / exposure).isFinite
        else { return nil }
        rate = count / exposure
        bounds = min(lower / exposure, rate)...max(upper / exposure, rate)
        self.confidence = confidence
        self.eventCount = eventCount
    }
}

/// Quantiles of the gamma distribution with scale 1.
enum GammaQuantile {
    /// The x with P(X ≤ x) = `tail`.
    static func fromBelow(_ tail: Double, shape: Double) -> Double? {
        Inversion.firstDouble(in: 0...bracket(shape)) { x in
            SpecialFunctions.gammaLowerTail(x, shape: shape).map { $0 >= tail }
        }
    }

    /// The x with P(X > x) = `tail`.
    static func fromAbove(_ tail: Double, shape: Double) -> Double? {
        Inversion.firstDouble(in: 0...bracket(shape)) { x in
            SpecialFunctions.gammaUpperTail(x, shape: shape).map { $0 <= tail }
        }
    }

    /// Beyond this the upper tail is below the smallest double.
    private static func bracket(_ shape: Double) -> Double {
        shape + 60 * shape.squareRoot() + 1_500
    }
}
