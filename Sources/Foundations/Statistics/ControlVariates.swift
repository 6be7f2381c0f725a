/// A mean made more precise by quantities whose expectation is known.
///
/// If a replication saw more arrivals than expected, its latency is probably
/// above the mean too; the regression of one on the other tells by how much, and
/// that part of the noise is taken out (Lavenberg and Welch, Manag. Sci. 27,
/// 1981).
///
/// Which controls are used must not depend on the samples: choosing the
/// narrower of two intervals afterwards makes it too narrow.
package struct ControlledMean: Hashable, Sendable {
    /// Student's interval with as many fewer degrees of freedom as there are controls.
    package let estimate: MeanEstimate

    /// Change of the mean per unit of each control.
    package let coefficients: [Double]

    /// 1 - (half width with controls / half width without)²: about the share of
    /// replications that the controls save. Negative when they do not help and
    /// cost their degrees of freedom; at most 1.
    package let varianceReduction: Double

    /// A quantity with a known expectation.
    package struct Control: Hashable, Sendable {
        /// Its value in each replication.
        package let samples: [Double]
        package let expectation: Double

        package init(samples: [Double], expectation: Double) {
            self.samples = samples
            self.expectation = expectation
        }
    }

    /// Replications that the residuals must have left: with fewer the
    /// degrees of freedom cost more than controls give.
    package static let minimumDegreesOfFreedom = 5

    /// - Parameters:
    ///   - samples: One number per replication, roughly normal together with
    ///     the controls.
    ///   - controls: At least one, all with as many samples.
    /// - Returns: `nil` for lists of different length, no control, fewer than
    ///   ``minimumDegreesOfFreedom`` replications more than coefficients, numbers
    ///   that are not finite, controls that are constant or depend on each other,
    ///   and samples that are all equal.
    package init?(samples: [Double], controls: [Control], confidence: Double = 0.95) {
        requireConfidence(confidence)
        guard !controls.isEmpty, samples.count >= controls.count + 1 + Self.minimumDegreesOfFreedom,
            controls.allSatisfy({ $0.samples.count == samples.count }),
            let plain = MeanEstimate(replicationMeans: samples, confidence: confidence),
            plain.halfWidth > 0
        else { return nil }
        // In units of their spread, so that rows of seconds and of millions mix.
        var scales: [Double] = []
        for control in controls {
            guard let moments = Moments(control.samples), moments.squaredDistances > 0,
                control.expectation.isFinite
            else { return nil }
            scales.append(moments.variance.squareRoot())
        }
        let rows = samples.indices.map { index in
            [1] + zip(controls, scales).map { ($0.samples[index] - $0.expectation) / $1 }
        }
        guard let fit = LeastSquares(rows: rows, responses: samples),
            let t = SpecialFunctions.studentQuantile(
                0.5 + confidence / 2, degreesOfFreedom: Double(fit.degreesOfFreedom))
        else { return nil }
        let halfWidth = t * fit.standardError(of: 0)
        guard (fit.coefficients[0].magnitude + halfWidth).isFinite else { return nil }
        estimate = MeanEstimate(
            mean: fit.coefficients[0], halfWidth: halfWidth, confidence: confidence,
            sampleCount: samples.count)
        coefficients = zip(fit.coefficients.dropFirst(), scales).map { $0 / $1 }
        let ratio = halfWidth / plain.halfWidth
        varianceReduction = 1 - ratio * ratio
    }
}
