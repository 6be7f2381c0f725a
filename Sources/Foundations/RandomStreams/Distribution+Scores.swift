import Foundation

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
