import Foundation

/// A distribution fitted to samples by maximum likelihood.
///
///     let fit = try DistributionFit(.gamma, to: seconds)
///     fit.parameters          // shape 2.03 (1.97 to 2.09), scale …
///     fit.akaikeCriterion     // smaller is better
///
/// The samples must be independent; think times of one person are not quite,
/// and then the intervals are too narrow.
package struct DistributionFit: Hashable, Sendable {
    /// One fitted number with its interval.
    package struct Parameter: Hashable, Sendable {
        /// Name in a scenario: `mean`, `shape`, `scale`, `mu`, `sigma`, `minimum`, `probability`, `size`.
        package let name: String
        package let value: Double
        /// Exact where the family has such an interval (exponential, lognormal,
        /// the shape of pareto, geometric), else from the observed information on
        /// the scale of logarithms.
        package let bounds: ClosedRange<Double>
    }

    package let family: DistributionFamily
    package let parameters: [Parameter]
    /// Coverage of the intervals, for example 0.95.
    package let confidence: Double
    /// Natural logarithm of the likelihood at its maximum.
    package let logLikelihood: Double
    package let sampleCount: Int
    package let distribution: ReferenceDistribution

    /// Fewest samples accepted.
    package static let minimumSampleCount = 5

    /// Akaike's criterion: differences above 10 leave the worse family no
    /// support (Burnham and Anderson, Model Selection and Multimodel Inference).
    package var akaikeCriterion: Double { 2 * Double(parameters.count) - 2 * logLikelihood }

    package subscript(name: String) -> Parameter? { parameters.first { $0.name == name } }

    /// - Complexity: O(`samples.count`) for each of about 100 evaluations
    ///   (weibull, negativeBinomial), else for one or two passes.
    package init(
        _ family: DistributionFamily, to samples: [Double], confidence: Double = 0.95
    ) throws(FitError) {
        requireConfidence(confidence)
        guard samples.count >= Self.minimumSampleCount else {
            throw .tooFewSamples(samples.count, minimum: Self.minimumSampleCount)
        }
        if let sample = samples.first(where: { !family.contains($0) }) {
            throw .outsideSupport(sample, family: family)
        }
        guard let first = samples.first, samples.contains(where: { $0 != first }),
            let moments = Moments(samples), moments.squaredDistances > 0
        else { throw .noSpread }
        let likelihood = Likelihood(samples: samples, moments: moments, confidence: confidence)
        let solution: Likelihood.Solution? =
            switch family {
            case .exponential: likelihood.exponential()
            case .gamma: likelihood.gamma()
            case .lognormal: likelihood.lognormal()
            case .weibull: likelihood.weibull()
            case .pareto: likelihood.pareto()
            case .geometric: likelihood.geometric()
            case .negativeBinomial: try likelihood.negativeBinomial()
            }
        guard let solution, solution.logLikelihood.isFinite,
            let distribution = try? Self.distribution(family, solution.parameters.map(\.value))
        else { throw .noMaximum(family) }
        self.family = family
        parameters = solution.parameters
        logLikelihood = solution.logLikelihood
        self.distribution = distribution
        self.confidence = confidence
        sampleCount = samples.count
    }

    /// Fits several families; the best by ``akaikeCriterion`` is first. Families
    /// that do not fit these samples at all are left out.
    package static func ranked(
        _ families: [DistributionFamily] = DistributionFamily.continuous, samples: [Double],
        confidence: Double = 0.95
    ) -> [DistributionFit] {
        families.compactMap { try? DistributionFit($0, to: samples, confidence: confidence) }
            .sorted { $0.akaikeCriterion < $1.akaikeCriterion }
    }

    static func distribution(
        _ family: DistributionFamily, _ values: [Double]
    ) throws(ReferenceDistributionError) -> ReferenceDistribution {
        switch family {
        case .exponential: try .exponential(mean: values[0])
        case .gamma: try .gamma(shape: values[0], scale: values[1])
        case .lognormal: try .lognormal(mu: values[0], sigma: values[1])
        case .weibull: try .weibull(shape: values[0], scale: values[1])
        case .pareto: try .pareto(shape: values[0], minimum: values[1])
        case .geometric: try .negativeBinomial(size: 1, mean: (1 - values[0]) / values[0])
        case .negativeBinomial: try .negativeBinomial(size: values[0], mean: values[1])
        }
    }
}
