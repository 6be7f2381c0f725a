import Foundation

/// A distribution with known functions, to compare samples with.
///
/// It does not draw samples: that is the business of `RandomStreams`, and
/// tests of that module use this one as the independent truth.
///
///     let law = try ReferenceDistribution.exponential(mean: 0.05)
///     AndersonDarling(samples: samples, cdf: law.cdf)
package struct ReferenceDistribution: Hashable, Sendable {
    private enum Law: Hashable, Sendable {
        case normal(mean: Double, deviation: Double)
        case lognormal(mu: Double, sigma: Double)
        case gamma(shape: Double, scale: Double)
        case weibull(shape: Double, scale: Double)
        case pareto(shape: Double, minimum: Double)
        case student(freedom: Double)
        case binomial(trials: Int, probability: Double)
        case negativeBinomial(size: Double, mean: Double)
    }

    private let law: Law

    private init(_ law: Law) { self.law = law }

    package static func normal(
        mean: Double, standardDeviation: Double
    ) throws(ReferenceDistributionError) -> Self {
        guard mean.isFinite else { throw .notFinite(mean, parameter: "mean") }
        try checkPositive(standardDeviation, "standardDeviation")
        return Self(.normal(mean: mean, deviation: standardDeviation))
    }

    package static func exponential(mean: Double) throws(ReferenceDistributionError) -> Self {
        try checkPositive(mean, "mean")
        return Self(.weibull(shape: 1, scale: mean))
    }

    /// The logarithm is normal with mean `mu` and standard deviation `sigma`.
    package static func lognormal(mu: Double, sigma: Double) throws(ReferenceDistributionError) -> Self {
        guard mu.isFinite else { throw .notFinite(mu, parameter: "mu") }
        try checkPositive(sigma, "sigma")
        return Self(.lognormal(mu: mu, sigma: sigma))
    }

    /// Mean `shape * scale`. Erlang when the shape is a whole number.
    package static func gamma(shape: Double, scale: Double) throws(ReferenceDistributionError) -> Self {
        try checkPositive(shape, "shape")
        try checkPositive(scale, "scale")
        return Self(.gamma(shape: shape, scale: scale))
    }

    /// P(X > x) = exp(-(x / scale)^shape).
    package static func weibull(shape: Double, scale: Double) throws(ReferenceDistributionError) -> Self {
        try checkPositive(shape, "shape")
        try checkPositive(scale, "scale")
        return Self(.weibull(shape: shape, scale: scale))
    }

    /// P(X > x) = (minimum / x)^shape from `minimum` on.
    package static func pareto(shape: Double, minimum: Double) throws(ReferenceDistributionError) -> Self {
        try checkPositive(shape, "shape")
        try checkPositive(minimum, "minimum")
        return Self(.pareto(shape: shape, minimum: minimum))
    }

    package static func studentT(degreesOfFreedom: Double) throws(ReferenceDistributionError) -> Self {
        try checkPositive(degreesOfFreedom, "degreesOfFreedom")
        return Self(.student(freedom: degreesOfFreedom))
    }

    package static func chiSquare(degreesOfFreedom: Double) throws(ReferenceDistributionError) -> Self {
        try checkPositive(degreesOfFreedom, "degreesOfFreedom")
        return Self(.gamma(shape: degreesOfFreedom / 2, scale: 2))
    }

    package static func binomial(
        trials: Int, probability: Double
    ) throws(ReferenceDistributionError) -> Self {
        guard trials >= 0 else { throw .negativeTrials(trials) }
        guard (0...1).contains(probability) else { throw .notAProbability(probability) }
        return Self(.binomial(trials: trials, probability: probability))
    }

    /// Whole numbers from 0 on with this mean and variance `mean + mean² / size`:
    /// failures before the `size`-th success. Geometric for size 1.
    package static func negativeBinomial(
        size: Double, mean: Double
    ) throws(ReferenceDistributionError) -> Self {
        try checkPositive(size, "size")
        try checkPositive(mean, "mean")
        return Self(.negativeBinomial(size: size, mean: mean))
    }

    /// Only whole numbers occur.
    package var isDiscrete: Bool {
        switch law {
        case .binomial, .negativeBinomial: true
        case .normal, .lognormal, .gamma, .weibull, .pareto, .student: false
        }
    }

    private static func checkPositive(
        _ value: Double, _ parameter: String
    ) throws(ReferenceDistributionError) {
        guard value > 0, value.isFinite else { throw .notPositive(value, parameter: parameter) }
    }
}

extension ReferenceDistribution {
    /// P(X ≤ x), in `0...1`. NaN for NaN, and where GSL cannot evaluate it,
    /// which was not seen for any finite x.
    package func cdf(_ x: Double) -> Double {
        guard !x.isNaN else { return .nan }
        if x == .infinity { return 1 }
        if x == -.infinity { return 0 }
        let value: Double? =
            switch law {
            case .normal(let mean, let deviation):
                SpecialFunctions.normalCDF((x - mean) / deviation)
            case .lognormal(let mu, let sigma):
                x <= 0 ? 0 : SpecialFunctions.normalCDF((log(x) - mu) / sigma)
            case .gamma(let shape, let scale):
                x <= 0 ? 0 : SpecialFunctions.gammaLowerTail(x / scale, shape: shape)
            case .weibull(let shape, let scale):
                x <= 0 ? 0 : -expm1(-pow(x / scale, shape))
            case .pareto(let shape, let minimum):
                x <= minimum ? 0 : -expm1(shape * log(minimum / x))
            case .student(let freedom):
                SpecialFunctions.studentCDF(x, degreesOfFreedom: freedom)
            case .binomial(let trials, let probability):
                if x < 0 {
                    0
                } else if x >= Double(trials) {
                    1
                } else {
                    SpecialFunctions.binomialCDF(Int(x), trials: trials, probability: probability)
                }
            case .negativeBinomial(let size, let mean):
                x < 0
                    ? 0
                    : SpecialFunctions.betaLowerTail(size / (size + mean), size, x.rounded(.down) + 1)
            }
        return value ?? .nan
    }

    /// The smallest x with P(X ≤ x) ≥ `probability`. The ends of the range of X
    /// at 0 and 1, infinite where it has none.
    ///
    /// - Returns: `nil` when `probability` is outside `0...1`.
    package func quantile(_ probability: Double) -> Double? {
        guard (0...1).contains(probability) else { return nil }
        switch law {
        case .normal(let mean, let deviation):
            return SpecialFunctions.normalQuantile(probability).map { mean + deviation * $0 }
        case .lognormal(let mu, let sigma):
            return SpecialFunctions.normalQuantile(probability).map { exp(mu + sigma * $0) }
        case .gamma(let shape, let scale):
            if probability == 1 { return .infinity }
            let unscaled =
                probability <= 0.5
                ? GammaQuantile.fromBelow(probability, shape: shape)
                : GammaQuantile.fromAbove(1 - probability, shape: shape)
            return unscaled.map { $0 * scale }
        case .weibull(let shape, let scale):
            return scale * pow(-log1p(-probability), 1 / shape)
        case .pareto(let shape, let minimum):
            return minimum * exp(-log1p(-probability) / shape)
        case .student(let freedom):
            return SpecialFunctions.studentQuantile(probability, degreesOfFreedom: freedom)
        case .binomial(let trials, let chance):
            return Inversion.first(in: 0...trials) { successes in
                SpecialFunctions.binomialCDF(successes, trials: trials, probability: chance)
                    .map { $0 >= probability }
            }.map(Double.init)
        case .negativeBinomial:
            if probability == 1 { return .infinity }
            return Inversion.first(in: 0...Int(1 << 53)) { cdf(Double($0)) >= probability }.map(Double.init)
        }
    }
}

/// Why parameters describe no distribution.
package enum ReferenceDistributionError: Error, Equatable {
    case notPositive(Double, parameter: String)
    case notFinite(Double, parameter: String)
    case negativeTrials(Int)
    case notAProbability(Double)
}

extension ReferenceDistributionError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .notPositive(let got, let parameter):
            "\(parameter) is \(got); it must be finite and more than 0"
        case .notFinite(let got, let parameter):
            "\(parameter) is \(got); it must be finite"
        case .negativeTrials(let got):
            "trials is \(got); it must be 0 or more"
        case .notAProbability(let got):
            "probability is \(got); it must be between 0 and 1"
        }
    }
}
