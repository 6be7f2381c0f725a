import Foundation

extension Distribution {
    /// The expected value, in the unit of the samples. Infinite for a Pareto
    /// distribution of shape 1 or less.
    package var mean: Double {
        switch self {
        case .constant(let value): value
        case .uniform(let lower, let upper): lower + (upper - lower) / 2
        case .exponential(let mean), .erlang(_, let mean): mean
        case .gamma(let shape, let scale): shape * scale
        case .lognormal(let mu, let sigma): exp(mu + sigma * sigma / 2)
        case .weibull(let shape, let scale): scale * exp(logGamma(1 + 1 / shape))
        case .pareto(let shape, let minimum): shape > 1 ? minimum * shape / (shape - 1) : .infinity
        case .truncated(let base, let lower, let upper): base.moment(1, from: lower, to: upper)
        case .empirical(let values): values.reduce(0, +) / Double(values.count)
        }
    }

    /// The variance, in the squared unit of the samples. Infinite for a Pareto
    /// distribution of shape 2 or less.
    package var variance: Double {
        switch self {
        case .constant:
            return 0
        case .uniform(let lower, let upper):
            return (upper - lower) * (upper - lower) / 12
        case .exponential(let mean):
            return mean * mean
        case .erlang(let stages, let mean):
            return mean * mean / Double(stages)
        case .gamma(let shape, let scale):
            return shape * scale * scale
        case .lognormal(let mu, let sigma):
            return expm1(sigma * sigma) * exp(2 * mu + sigma * sigma)
        case .weibull(let shape, let scale):
            return scale * scale * exp(logGamma(1 + 2 / shape)) - mean * mean
        case .pareto(let shape, _):
            return shape > 2 ? mean * mean / (shape * (shape - 2)) : .infinity
        case .truncated(let base, let lower, let upper):
            let mean = mean
            return max(0, base.moment(2, from: lower, to: upper) - mean * mean)
        case .empirical(let values):
            let mean = mean
            return values.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(values.count)
        }
    }

    /// Expected value of the first or second power under the condition that
    /// the value lies in `lower...upper`.
    private func moment(_ order: Int, from lower: Double, to upper: Double) -> Double {
        let power = Double(order)
        switch self {
        case .constant(let value):
            return pow(value, power)
        case .lognormal(let mu, 0):
            return exp(power * mu)
        case .uniform(let start, let end):
            let (first, last) = (max(start, lower), min(end, upper))
            return order == 1 ? (first + last) / 2 : (first * first + first * last + last * last) / 3
        case .exponential(let mean):
            return Distribution.gamma(shape: 1, scale: mean).moment(order, from: lower, to: upper)
        case .erlang(let stages, let mean):
            return Distribution.gamma(shape: Double(stages), scale: mean / Double(stages))
                .moment(order, from: lower, to: upper)
        case .gamma(let shape, let scale):
            // A density of this kind times a power of x is again one of this kind.
            let factor = order == 1 ? shape * scale : shape * (shape + 1) * scale * scale
            let tilted = Distribution.gamma(shape: shape + power, scale: scale)
            return factor * tilted.mass(from: lower, to: upper) / mass(from: lower, to: upper)
        case .lognormal(let mu, let sigma):
            let tilted = Distribution.lognormal(mu: mu + power * sigma * sigma, sigma: sigma)
            let factor = exp(power * mu + power * power * sigma * sigma / 2)
            return factor * tilted.mass(from: lower, to: upper) / mass(from: lower, to: upper)
        case .weibull(let shape, let scale):
            // (x / scale)^shape is exponential.
            let tilted = Distribution.gamma(shape: 1 + power / shape, scale: 1)
            let kept = tilted.mass(
                from: pow(max(lower, 0) / scale, shape), to: pow(max(upper, 0) / scale, shape))
            let factor = pow(scale, power) * exp(logGamma(1 + power / shape))
            return factor * kept / mass(from: lower, to: upper)
        case .pareto(let shape, let minimum):
            return Self.paretoIntegral(shape, minimum, order, from: max(lower, minimum), to: upper)
                / mass(from: lower, to: upper)
        case .truncated(let base, let start, let end):
            return base.moment(order, from: max(start, lower), to: min(end, upper))
        case .empirical(let values):
            let kept = values[Self.indices(of: values, from: lower, to: upper)]
            return kept.reduce(0) { $0 + pow($1, power) } / Double(kept.count)
        }
    }

    private static func paretoIntegral(
        _ shape: Double, _ minimum: Double, _ order: Int, from lower: Double, to upper: Double
    ) -> Double {
        let power = Double(order) - shape
        let scale = shape * pow(minimum, Double(order))
        let (first, last) = (lower / minimum, upper / minimum)
        guard power != 0 else { return scale * log(last / first) }
        return scale * (pow(last, power) - pow(first, power)) / power
    }
}
