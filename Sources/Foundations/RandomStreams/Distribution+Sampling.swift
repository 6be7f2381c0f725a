import Foundation

extension Distribution {
    /// Draws one value.
    ///
    /// Takes one number of the stream for each value, except: Erlang one per
    /// stage up to 16 stages; gamma, and Erlang beyond, a varying number; a
    /// constant none; truncated gamma and Erlang a varying number.
    package func sample(using stream: inout RandomStream) -> Double {
        switch self {
        case .constant(let value):
            value
        case .uniform(let lower, let upper):
            lower + (upper - lower) * stream.uniform()
        case .exponential(let mean):
            stream.exponential(mean: mean)
        case .erlang(let stages, let mean):
            Self.erlang(stages: stages, mean: mean, using: &stream)
        case .gamma(let shape, let scale):
            scale * Self.gamma(shape: shape, using: &stream)
        case .lognormal(let mu, let sigma):
            exp(mu + sigma * stream.standardNormal())
        case .weibull(let shape, let scale):
            scale * pow(-log(stream.uniform()), 1 / shape)
        case .pareto(let shape, let minimum):
            minimum * exp(-log(stream.uniform()) / shape)
        case .truncated(let base, let lower, let upper):
            base.sample(between: lower, and: upper, using: &stream)
        case .empirical(let values):
            values.isEmpty ? .nan : values[Int(stream.uniform() * Double(values.count))]
        }
    }

    /// One logarithm for all stages; the product of 16 uniform numbers cannot underflow.
    private static func erlang(stages: Int, mean: Double, using stream: inout RandomStream) -> Double {
        guard stages >= 1 else { return .nan }
        guard stages <= 16 else {
            return mean / Double(stages) * gamma(shape: Double(stages), using: &stream)
        }
        var product = 1.0
        for _ in 0..<stages { product *= stream.uniform() }
        return -mean / Double(stages) * log(product)
    }

    /// Marsaglia and Tsang, doi:10.1145/358407.358414, for a scale of 1.
    private static func gamma(shape: Double, using stream: inout RandomStream) -> Double {
        guard shape > 0, shape < .infinity else { return .nan }
        guard shape >= 1 else {
            let boosted = gamma(shape: shape + 1, using: &stream)
            return boosted * exp(log(stream.uniform()) / shape)
        }
        let d = shape - 1 / 3.0
        let c = 1 / (9 * d).squareRoot()
        while true {
            let normal = stream.standardNormal()
            let root = 1 + c * normal
            guard root > 0 else { continue }
            let cube = root * root * root
            if log(stream.uniform()) < normal * normal / 2 + d * (1 - cube + log(cube)) { return d * cube }
        }
    }
}

extension Distribution {
    /// The value below which as much probability lies as below a standard normal number.
    ///
    /// So a sum of normal numbers that belong to a device, a moment and a message gives each message a delay of this
    /// distribution, and those of one device are alike.
    ///
    ///     Distribution.uniform(lower: 0, upper: 2).value(atScore: 0)   // 1
    package func value(atScore score: Double) -> Double {
        switch self {
        case .constant(let value): value
        case .lognormal(let mu, let sigma): exp(mu + sigma * score)
        case .uniform(let lower, let upper): lower + (upper - lower) * StandardNormal.cumulative(score)
        case .empirical(let values):
            values.isEmpty
                ? .nan
                : values[min(Int(StandardNormal.cumulative(score) * Double(values.count)), values.count - 1)]
        case .truncated(let base, let lower, let upper):
            base.invert(StandardNormal.cumulative(score), between: lower, and: upper)
        default: value(atHazard: -log(StandardNormal.cumulative(-score)))
        }
    }
}
