import Decoding
import Foundation

/// A probability distribution of times, sizes or counts, as a scenario names it.
///
/// A case carries what the file said; ``validate()`` tells whether it can be
/// used. Times are in seconds by convention. Sampling a distribution that does
/// not pass ``validate()`` gives numbers without meaning, but never traps.
package enum Distribution: Hashable, Sendable {
    case constant(Double)
    case uniform(lower: Double, upper: Double)
    case exponential(mean: Double)
    /// The sum of `stages` exponential times of equal mean; `mean` is that of the sum.
    case erlang(stages: Int, mean: Double)
    /// Mean `shape * scale`.
    case gamma(shape: Double, scale: Double)
    /// The logarithm is normal with mean `mu` and deviation `sigma`; the median is `exp(mu)`.
    case lognormal(mu: Double, sigma: Double)
    /// A `shape` below 1 has a heavier tail than the exponential distribution.
    case weibull(shape: Double, scale: Double)
    /// Values from `minimum` on, beyond `x` with probability `(minimum / x)^shape`.
    case pareto(shape: Double, minimum: Double)
    /// The values of the inner distribution under the condition that they lie
    /// in `lower...upper`. Bounds may be infinite.
    indirect case truncated(Distribution, lower: Double, upper: Double)
    /// One of these measured values, each equally likely, without interpolation. In ascending order.
    case empirical([Double])

    /// Log-normal with this median and 95th percentile.
    ///
    /// ``validate()`` refuses the result unless `0 < median <= p95`.
    package static func lognormal(median: Double, p95: Double) -> Distribution {
        .lognormal(mu: log(median), sigma: log(p95 / median) / StandardNormal.quantile95)
    }

    /// Log-normal with this median and 99th percentile.
    ///
    /// ``validate()`` refuses the result unless `0 < median <= p99`.
    package static func lognormal(median: Double, p99: Double) -> Distribution {
        .lognormal(mu: log(median), sigma: log(p99 / median) / StandardNormal.quantile99)
    }

    /// Log-normal with this mean, and this variance divided by the squared mean.
    ///
    /// ``validate()`` refuses the result unless the mean is positive and the variability at least 0.
    package static func lognormal(mean: Double, variability: Double) -> Distribution {
        let square = log1p(variability)
        return .lognormal(mu: log(mean) - square / 2, sigma: square.squareRoot())
    }
}

extension Distribution {
    /// Checks every parameter.
    package func validate() throws(DistributionError) {
        switch self {
        case .constant(let value):
            try Self.require(value, "value", true, "finite")
        case .uniform(let lower, let upper):
            try Self.require(lower, "lower", true, "finite")
            try Self.require(upper, "upper", true, "finite")
            guard lower <= upper else { throw .boundsReversed(lower: lower, upper: upper) }
        case .exponential(let mean):
            try Self.require(mean, "mean", mean > 0, "positive")
        case .erlang(let stages, let mean):
            try Self.require(Double(stages), "stages", stages >= 1, "at least 1")
            try Self.require(mean, "mean", mean > 0, "positive")
        case .gamma(let shape, let scale), .weibull(let shape, let scale):
            try Self.require(shape, "shape", shape > 0, "positive")
            try Self.require(scale, "scale", scale > 0, "positive")
        case .lognormal(let mu, let sigma):
            try Self.require(mu, "mu", true, "finite")
            try Self.require(sigma, "sigma", sigma >= 0, "at least 0")
        case .pareto(let shape, let minimum):
            try Self.require(shape, "shape", shape > 0, "positive")
            try Self.require(minimum, "minimum", minimum > 0, "positive")
        case .truncated(let base, let lower, let upper):
            try base.validate()
            try Self.validate(base, lower: lower, upper: upper)
        case .empirical(let values):
            try Self.validate(empirical: values)
        }
    }

    /// Also refuses what is not finite, which no comparison would find.
    static func require(
        _ value: Double, _ parameter: String, _ condition: Bool, _ allowed: String
    ) throws(DistributionError) {
        guard condition, value.isFinite else {
            throw .outOfRange(parameter: parameter, value: value, allowed: allowed)
        }
    }

    private static func validate(empirical values: [Double]) throws(DistributionError) {
        guard !values.isEmpty else { throw .noValues }
        for index in values.indices {
            try require(values[index], "values[\(index)]", true, "finite")
            guard index == 0 || values[index - 1] <= values[index] else { throw .notSorted(index: index) }
        }
    }

    private static func validate(
        _ base: Distribution, lower: Double, upper: Double
    ) throws(DistributionError) {
        guard !lower.isNaN else { throw .outOfRange(parameter: "lower", value: lower, allowed: "a number") }
        guard !upper.isNaN else { throw .outOfRange(parameter: "upper", value: upper, allowed: "a number") }
        guard lower <= upper else { throw .boundsReversed(lower: lower, upper: upper) }
        guard base.hasValues(between: lower, and: upper) else {
            throw .nothingBetween(lower: lower, upper: upper)
        }
    }
}

/// Why a distribution, or a sampler built from numbers of a scenario, cannot be used.
package enum DistributionError: InputFault, Equatable {
    /// A parameter is not finite or outside its range.
    case outOfRange(parameter: String, value: Double, allowed: String)
    /// The upper bound lies below the lower one.
    case boundsReversed(lower: Double, upper: Double)
    /// No value of the distribution lies between the bounds.
    case nothingBetween(lower: Double, upper: Double)
    case noValues
    /// Values must be in ascending order; the one at this index is smaller than the one before it.
    case notSorted(index: Int)
}

extension DistributionError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .outOfRange(let parameter, let value, let allowed):
            "\(parameter) is \(value); it must be \(allowed)"
        case .boundsReversed(let lower, let upper):
            "the bounds are \(lower) and \(upper); the upper one must not be below the lower one"
        case .nothingBetween(let lower, let upper):
            "the distribution has no values between \(lower) and \(upper); widen the bounds"
        case .noValues:
            "the list is empty; it needs at least 1 value"
        case .notSorted(let index):
            "the value at index \(index) is smaller than the one before it; sort the values"
        }
    }
}
