/// A family of distributions that can be fitted to samples.
package enum DistributionFamily: String, CaseIterable, Sendable {
    case exponential, gamma, lognormal, weibull, pareto
    /// Whole numbers from 0 on; subtract 1 from counts that start at 1.
    case geometric, negativeBinomial

    package static let continuous: [DistributionFamily] = [
        .exponential, .gamma, .lognormal, .weibull, .pareto,
    ]
    package static let discrete: [DistributionFamily] = [.geometric, .negativeBinomial]

    package var isDiscrete: Bool { Self.discrete.contains(self) }

    /// Condition on a sample, for messages.
    var support: String { isDiscrete ? "a whole number from 0 on" : "finite and more than 0" }

    func contains(_ sample: Double) -> Bool {
        guard sample.isFinite else { return false }
        return isDiscrete
            ? sample >= 0 && sample == sample.rounded() && sample < 0x1p53 : sample > 0
    }
}

/// Why a family was not fitted.
package enum FitError: Error, Equatable {
    case tooFewSamples(Int, minimum: Int)
    case outsideSupport(Double, family: DistributionFamily)
    /// All samples are equal: no family has a spread of 0.
    case noSpread
    /// Counts that vary no more than by chance (variance at most the mean) have
    /// no negative binomial distribution.
    case notOverdispersed
    /// The likelihood has no maximum inside the range of parameters searched.
    case noMaximum(DistributionFamily)
}

extension FitError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .tooFewSamples(let count, let minimum):
            "there are \(count) samples; a fit needs at least \(minimum)"
        case .outsideSupport(let value, let family):
            "a sample is \(value); for the \(family.rawValue) family every one must be \(family.support)"
        case .noSpread: "all samples are equal; a fit needs some that differ"
        case .notOverdispersed:
            "the counts vary no more than their mean; the negativeBinomial family needs a larger variance"
        case .noMaximum(let family):
            "the likelihood of the \(family.rawValue) family has no maximum for these samples"
        }
    }
}
