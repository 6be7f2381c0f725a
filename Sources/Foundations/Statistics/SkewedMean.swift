import Foundation

/// The mean of numbers that are never negative and may be skewed: mostly small, sometimes large.
///
/// Student's interval of such numbers is too narrow above, because the large ones are rare: over ten webs whose hit
/// rates have a skewness of 6 it contains the truth in 88 % of the cases. The interval here is the widest, on each
/// side, of Student's; of Hall's, which removes the skewness of the mean (J. R. Statist. Soc. B 54, 1992); of Student's
/// on the logarithm of the mean; and, for five numbers or more that are all positive, of Cox's for a lognormal law
/// (Zhou and Gao, Statist. Med. 16, 1997, with Student's quantile). `urlfilter validate --coverage` measures what it
/// covers. No interval covers the mean of numbers whose largest ones have never been seen.
package struct SkewedMean: Hashable, Sendable {
    package let mean: Double
    /// Starts at 0 or above.
    package let bounds: ClosedRange<Double>
    /// Coverage aimed at, for example 0.95.
    package let confidence: Double

    /// Numbers that Cox's interval needs, as its variance of a logarithm comes from them.
    private static let fewestForLognormal = 5

    /// - Parameter samples: One per replication, not negative.
    /// - Returns: `nil` for fewer than two samples, for numbers that are negative or not finite.
    package init?(_ samples: [Double], confidence: Double = 0.95) {
        requireConfidence(confidence)
        guard samples.allSatisfy({ $0 >= 0 }), let moments = Moments(samples),
            let student = MeanEstimate(moments: moments, confidence: confidence)
        else { return nil }
        mean = moments.mean
        self.confidence = confidence
        // Two numbers have no skewness.
        guard moments.count > 2, moments.squaredDistances > 0, moments.mean > 0 else {
            bounds = max(0, student.bounds.lowerBound)...student.bounds.upperBound
            return
        }
        let ranges = [
            student.bounds, Self.hall(samples, moments, student), Self.logarithmic(student),
            Self.lognormal(samples, confidence: confidence),
        ].compactMap(\.self)
        let low = ranges.reduce(moments.mean) { min($0, $1.lowerBound) }
        let high = ranges.reduce(moments.mean) { max($0, $1.upperBound) }
        bounds = max(0, low)...high
    }

    /// Student's quantiles go through the inverse of Hall's cubic transformation.
    private static func hall(_ samples: [Double], _ moments: Moments, _ student: MeanEstimate)
        -> ClosedRange<Double>?
    {
        let count = Double(moments.count)
        let deviation = moments.variance.squareRoot()
        let cubes = samples.reduce(0) { $0 + pow(($1 - moments.mean) / deviation, 3) }
        let skewness = cubes / count
        let error = deviation / count.squareRoot()
        let quantile = student.halfWidth / error
        // A skewness of 0 leaves Student's interval.
        guard abs(skewness) > 1e-6 else { return student.bounds }
        func inverse(_ t: Double) -> Double {
            let root = cbrt(1 + skewness * (t / count.squareRoot() - skewness / (6 * count)))
            return count.squareRoot() * 3 / skewness * (root - 1)
        }
        let ends = [moments.mean - inverse(quantile) * error, moments.mean - inverse(-quantile) * error]
        guard ends.allSatisfy(\.isFinite) else { return nil }
        return min(ends[0], ends[1])...max(ends[0], ends[1])
    }

    private static func logarithmic(_ student: MeanEstimate) -> ClosedRange<Double>? {
        let factor = exp(student.halfWidth / student.mean)
        guard factor.isFinite, (student.mean * factor).isFinite else { return nil }
        return student.mean / factor...student.mean * factor
    }

    private static func lognormal(_ samples: [Double], confidence: Double) -> ClosedRange<Double>? {
        guard samples.count >= fewestForLognormal, samples.allSatisfy({ $0 > 0 }),
            let logarithms = Moments(samples.map { log($0) }),
            let quantile = SpecialFunctions.studentQuantile(
                0.5 + confidence / 2, degreesOfFreedom: Double(samples.count - 1))
        else { return nil }
        let (count, variance) = (Double(samples.count), logarithms.variance)
        let centre = logarithms.mean + variance / 2
        let error = (variance / count + variance * variance / (2 * (count + 1))).squareRoot()
        let ends = (exp(centre - quantile * error), exp(centre + quantile * error))
        guard ends.1.isFinite else { return nil }
        return ends.0...ends.1
    }
}
