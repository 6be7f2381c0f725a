/// A mean with the range the true mean plausibly lies in.
package struct MeanEstimate: Hashable, Sendable {
    package let mean: Double
    /// Half the width of the interval, in the unit of the samples.
    package let halfWidth: Double
    /// Coverage of the interval, for example 0.95.
    package let confidence: Double
    /// Independent samples behind the mean. At least 2.
    package let sampleCount: Int

    package var bounds: ClosedRange<Double> { (mean - halfWidth)...(mean + halfWidth) }

    /// Student's prediction interval, in which one more sample lies with the same confidence. It needs samples that
    /// are roughly normal themselves, which the interval of the mean does not.
    package var prediction: ClosedRange<Double> {
        let halfWidth = halfWidth * Double(sampleCount + 1).squareRoot()
        return (mean - halfWidth)...(mean + halfWidth)
    }

    /// Half width divided by the size of the mean: 0.05 reads "± 5 %".
    ///
    /// `nil` when the mean is 0 and the samples are not all 0.
    package var relativePrecision: Double? {
        if halfWidth == 0 { return 0 }
        return mean == 0 ? nil : halfWidth / mean.magnitude
    }

    /// The same mean with a half width that is `factor` times as large.
    package func widened(by factor: Double) -> MeanEstimate {
        MeanEstimate(
            mean: mean, halfWidth: halfWidth * factor, confidence: confidence, sampleCount: sampleCount)
    }
}

extension MeanEstimate {
    /// Whether samples differ by more than the measurement can tell.
    ///
    /// Without a spread there is no interval: that all replications agree does not say what the next one does.
    ///
    /// - Parameter quantum: The smallest difference that the measurement can tell.
    package static func haveSpread(_ samples: [Double], quantum: Double = 0) -> Bool {
        guard let moments = Moments(samples), moments.count >= 2 else { return false }
        return moments.variance.squareRoot() > moments.resolution(quantum)
    }

    /// Student's t interval over independent replications.
    ///
    /// Pass one number per replication. Samples from inside one replication
    /// are correlated, and feeding them in makes the interval too narrow; for
    /// one long run use ``BatchMeans``. The numbers should be roughly normal,
    /// which averages over a replication are; for counts of rare events use
    /// ``ProportionEstimate`` or ``PoissonRateEstimate``.
    ///
    /// - Returns: `nil` for fewer than two samples (one run has no spread) and
    ///   when a sample or the spread is not finite.
    package init?(replicationMeans samples: [Double], confidence: Double = 0.95) {
        requireConfidence(confidence)
        guard let moments = Moments(samples) else { return nil }
        self.init(moments: moments, confidence: confidence)
    }

    init?(moments: Moments, confidence: Double) {
        guard moments.count >= 2,
            let t = SpecialFunctions.studentQuantile(
                0.5 + confidence / 2, degreesOfFreedom: Double(moments.count - 1))
        else { return nil }
        let standardError = (moments.variance / Double(moments.count)).squareRoot()
        let halfWidth = t * standardError
        guard (moments.mean.magnitude + halfWidth).isFinite else { return nil }
        self.init(
            mean: moments.mean, halfWidth: halfWidth, confidence: confidence,
            sampleCount: moments.count)
    }

    /// How many replications would have this half width if the spread stayed as it is.
    ///
    /// Student's quantile is part of it: between two replications and six the interval narrows by a factor of 8.6.
    ///
    /// - Parameters:
    ///   - halfWidth: Of Student's interval over `count` replications, at least 2.
    ///   - target: More than 0.
    /// - Returns: `nil` when a billion are not enough.
    package static func replications(
        toNarrow halfWidth: Double, of count: Int, to target: Double, confidence: Double
    ) -> Int? {
        requireConfidence(confidence)
        func widthPerDeviation(_ count: Int) -> Double? {
            SpecialFunctions.studentQuantile(0.5 + confidence / 2, degreesOfFreedom: Double(count - 1))
                .map { $0 / Double(count).squareRoot() }
        }
        guard count >= 2, target > 0, let width = widthPerDeviation(count) else { return nil }
        let deviation = halfWidth / width
        let most = 1_000_000_000
        let needed = Inversion.first(in: 2...most) { count in
            widthPerDeviation(count).map { $0 * deviation <= target }
        }
        return needed.flatMap { $0 < most ? $0 : nil }
    }
}
