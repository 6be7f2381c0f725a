import CGSL
import Foundation

/// How well a fitted distribution describes the samples that it was fitted to.
///
/// A fit is nearer to its own samples than the truth is, so the p-values of
/// Kolmogorov and Smirnov and of ``AndersonDarling`` would be much too large. Here
/// the same fit is repeated on samples drawn from the fitted distribution
/// (parametric bootstrap; Stute, Gonzáles Manteiga and Presedo Quindimil,
/// Metrika 40, 1993).
///
/// With thousands of samples every family is rejected; the distance then tells
/// more than the p-value.
package struct GoodnessOfFit: Hashable, Sendable {
    /// Largest distance between the distribution functions, in `0...1`, over all samples.
    package let kolmogorovSmirnovDistance: Double
    /// Share of samples drawn from the fit that lie farther from their own fit
    /// than the samples from theirs.
    package let kolmogorovSmirnovPValue: Double
    /// A² over ``testedCount`` samples; `nil` for a discrete family.
    package let andersonDarlingStatistic: Double?
    package let andersonDarlingPValue: Double?
    /// Samples behind the p-values: all of them, or evenly spaced in order of
    /// size when there are more than ``maximumTestedCount``.
    package let testedCount: Int
    package let resampleCount: Int

    package static let maximumTestedCount = 1_000

    /// - Parameters:
    ///   - samples: Those that the fit was made of.
    ///   - resampleCount: 199 gives p-values down to 0.005. At least 19.
    ///   - seed: The same seed gives the same p-values.
    /// - Returns: `nil` when a drawn list cannot be fitted again, which happens
    ///   with few samples near the end of a family, and for fewer resamples.
    /// - Complexity: A fit of up to ``maximumTestedCount`` samples per resample.
    package init?(
        of fit: DistributionFit, samples: [Double], resampleCount: Int = 199, seed: UInt64
    ) {
        let sorted = samples.sorted()
        let tested = Self.thinned(sorted)
        guard resampleCount >= 19,
            let distance = Self.distance(sorted, fit.distribution),
            let own = try? DistributionFit(fit.family, to: tested),
            let observed = Self.statistics(tested, own), GSL.isQuiet,
            let generator = gsl_rng_alloc(cgsl_mt19937())
        else { return nil }
        defer { gsl_rng_free(generator) }
        gsl_rng_set(generator, UInt(truncatingIfNeeded: seed))
        var (farther, worse) = (0, 0)
        for _ in 0..<resampleCount {
            let drawn = (0..<tested.count).map { _ in own.draw(generator) }.sorted()
            guard let again = try? DistributionFit(fit.family, to: drawn),
                let statistics = Self.statistics(drawn, again)
            else { return nil }
            if statistics.distance >= observed.distance { farther += 1 }
            if let square = statistics.square, let limit = observed.square, square >= limit { worse += 1 }
        }
        kolmogorovSmirnovDistance = distance
        kolmogorovSmirnovPValue = Double(farther + 1) / Double(resampleCount + 1)
        andersonDarlingStatistic = observed.square
        andersonDarlingPValue = observed.square.map { _ in Double(worse + 1) / Double(resampleCount + 1) }
        testedCount = tested.count
        self.resampleCount = resampleCount
    }

    /// At most ``maximumTestedCount`` of the sorted samples.
    private static func thinned(_ sorted: [Double]) -> [Double] {
        guard sorted.count > maximumTestedCount else { return sorted }
        return (0..<maximumTestedCount).map { place in
            sorted[(2 * place + 1) * sorted.count / (2 * maximumTestedCount)]
        }
    }

    private static func statistics(
        _ sorted: [Double], _ fit: DistributionFit
    ) -> (distance: Double, square: Double?)? {
        guard let distance = distance(sorted, fit.distribution) else { return nil }
        guard !fit.family.isDiscrete else { return (distance, nil) }
        // The smallest sample is where a fitted Pareto distribution begins: no
        // sample of its own can be below, and ln 0 would hide all others.
        let used = fit.family == .pareto ? Array(sorted.dropFirst()) : sorted
        guard let test = AndersonDarling(samples: used, cdf: fit.distribution.cdf) else { return nil }
        return (distance, test.statistic)
    }

    /// Largest distance at the values that occur, which is right for repeated values too.
    private static func distance(_ sorted: [Double], _ distribution: ReferenceDistribution) -> Double? {
        let count = Double(sorted.count)
        var largest = 0.0
        var index = 0
        while index < sorted.count {
            let value = sorted[index]
            var end = index
            while end < sorted.count, sorted[end] == value { end += 1 }
            let level = distribution.cdf(value)
            let before = distribution.isDiscrete ? distribution.cdf(value - 1) : level
            guard (0...1).contains(level), (0...1).contains(before) else { return nil }
            largest = max(
                largest, (Double(end) / count - level).magnitude, (before - Double(index) / count).magnitude)
            index = end
        }
        return largest
    }
}

extension DistributionFit {
    /// One number of the fitted distribution.
    fileprivate func draw(_ generator: UnsafeMutablePointer<gsl_rng>) -> Double {
        let values = parameters.map(\.value)
        switch family {
        case .exponential: return gsl_ran_exponential(generator, values[0])
        case .gamma: return gsl_ran_gamma(generator, values[0], values[1])
        case .lognormal: return gsl_ran_lognormal(generator, values[0], values[1])
        case .weibull: return gsl_ran_weibull(generator, values[1], values[0])
        case .pareto: return gsl_ran_pareto(generator, values[0], values[1])
        // GSL counts the trial that succeeds too.
        case .geometric: return Double(gsl_ran_geometric(generator, values[0])) - 1
        case .negativeBinomial:
            let probability = values[0] / (values[0] + values[1])
            return Double(gsl_ran_negative_binomial(generator, probability, values[0]))
        }
    }
}
