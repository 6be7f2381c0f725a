import Foundation

/// The maximum of the likelihood, family by family.
///
/// One parameter of each two-parameter family is known given the other, so
/// that a minimizer of one variable is enough. Shapes are searched on the scale
/// of logarithms.
struct Likelihood {
    struct Solution {
        var parameters: [DistributionFit.Parameter]
        var logLikelihood: Double
    }

    let samples: [Double]
    let moments: Moments
    let confidence: Double

    /// Logarithms of shapes that are searched: from 10⁻⁵ to 10⁷ and beyond.
    private static let logShapes = -12.0...17.0

    private var count: Double { Double(samples.count) }
    private var tail: Double { (1 - confidence) / 2 }

    func exponential() -> Solution? {
        guard let low = GammaQuantile.fromBelow(tail, shape: count),
            let high = GammaQuantile.fromAbove(tail, shape: count), low > 0
        else { return nil }
        let total = moments.mean * count
        return Solution(
            parameters: [parameter("mean", moments.mean, total / high, total / low)],
            logLikelihood: -count * (log(moments.mean) + 1))
    }

    func lognormal() -> Solution? {
        guard let logs = Moments(samples.lazy.map { log($0) }), logs.squaredDistances > 0,
            let mean = MeanEstimate(moments: logs, confidence: confidence),
            let low = GammaQuantile.fromBelow(tail, shape: (count - 1) / 2),
            let high = GammaQuantile.fromAbove(tail, shape: (count - 1) / 2), low > 0
        else { return nil }
        let variance = logs.squaredDistances / count
        let half = logs.squaredDistances / 2
        return Solution(
            parameters: [
                parameter("mu", logs.mean, mean.bounds.lowerBound, mean.bounds.upperBound),
                parameter(
                    "sigma", variance.squareRoot(), (half / high).squareRoot(),
                    (half / low).squareRoot()),
            ],
            logLikelihood: -count * (log(2 * .pi * variance) / 2 + 0.5 + logs.mean))
    }

    func gamma() -> Solution? {
        let meanLog = samples.reduce(0) { $0 + log($1) / count }
        let logMean = log(moments.mean)
        func loss(_ shape: Double) -> Double {
            guard let logGamma = SpecialFunctions.logGamma(shape) else { return .infinity }
            return logGamma - shape * (log(shape) - logMean) - (shape - 1) * meanLog + shape
        }
        guard let place = LineMinimum.find(in: Self.logShapes, of: { loss(exp($0)) }),
            let curvature = SpecialFunctions.trigamma(exp(place))
        else { return nil }
        let shape = exp(place)
        let scale = moments.mean / shape
        // Inverse of the information, of which observed and expected are equal in
        // this family; variances of the logarithms.
        let determinant = count * (shape * curvature - 1)
        guard determinant > 0 else { return nil }
        return Solution(
            parameters: [
                spread("shape", shape, variance: 1 / (shape * determinant)),
                spread("scale", scale, variance: curvature / determinant),
            ], logLikelihood: -count * loss(shape))
    }

    func weibull() -> Solution? {
        let logs = samples.map { log($0) }
        let meanLog = logs.reduce(0) { $0 + $1 / count }
        guard let largest = logs.max() else { return nil }
        /// Logarithm of the scale that is best for a shape.
        func logScale(_ shape: Double) -> Double {
            let mean = logs.reduce(0) { $0 + exp(shape * ($1 - largest)) / count }
            return largest + log(mean) / shape
        }
        func loss(_ shape: Double) -> Double {
            shape * logScale(shape) - log(shape) - (shape - 1) * meanLog + 1
        }
        guard let place = LineMinimum.find(in: Self.logShapes, of: { loss(exp($0)) }) else { return nil }
        let shape = exp(place)
        let scale = logScale(shape)
        // Observed information of the logarithms of shape and scale.
        var (both, shapes, scales) = (0.0, 0.0, 0.0)
        for sample in logs {
            let z = shape * (sample - scale)
            let power = exp(z)
            shapes += z * power + z * z * power - z
            scales += shape * shape * power
            both += shape * (1 - power - z * power)
        }
        let determinant = shapes * scales - both * both
        guard determinant > 0 else { return nil }
        return Solution(
            parameters: [
                spread("shape", shape, variance: scales / determinant),
                spread("scale", exp(scale), variance: shapes / determinant),
            ], logLikelihood: -count * loss(shape))
    }

    /// Pareto, from the smallest sample on. The interval of the minimum takes the shape as known.
    func pareto() -> Solution? {
        guard let minimum = samples.min() else { return nil }
        let excess = samples.reduce(0) { $0 + log($1 / minimum) }
        guard excess > 0, excess.isFinite,
            let low = GammaQuantile.fromBelow(tail, shape: count - 1),
            let high = GammaQuantile.fromAbove(tail, shape: count - 1)
        else { return nil }
        let shape = count / excess
        return Solution(
            parameters: [
                parameter("shape", shape, low / excess, high / excess),
                parameter(
                    "minimum", minimum, minimum * pow(1 - confidence, 1 / (count * shape)), minimum),
            ],
            logLikelihood: count * (log(shape) - log(minimum)) - (shape + 1) * excess)
    }

    /// Failures before the first success.
    func geometric() -> Solution? {
        let failures = (moments.mean * count).rounded()
        let probability = count / (count + failures)
        let low = Inversion.firstDouble(in: 0...1) { value in
            SpecialFunctions.betaLowerTail(value, count, failures + 1).map { $0 >= tail }
        }
        let high = Inversion.firstDouble(in: 0...1) { value in
            SpecialFunctions.betaUpperTail(value, count, failures).map { $0 <= tail }
        }
        guard let low, let high else { return nil }
        return Solution(
            parameters: [parameter("probability", probability, low, high)],
            logLikelihood: count * log(probability) + failures * log1p(-probability))
    }

    func negativeBinomial() throws(FitError) -> Solution? {
        let mean = moments.mean
        guard moments.squaredDistances / count > mean else { throw .notOverdispersed }
        var table: [Double: Int] = [:]
        for sample in samples { table[sample, default: 0] += 1 }
        // In a fixed order, because sums of doubles depend on it.
        let counts = table.sorted { $0.key < $1.key }
        let constant = counts.reduce(0.0) { sum, cell in
            sum + Double(cell.value) * (SpecialFunctions.logGamma(cell.key + 1) ?? .nan)
        }
        func logLikelihood(_ size: Double) -> Double {
            guard let base = SpecialFunctions.logGamma(size) else { return -.infinity }
            let terms = counts.reduce(0.0) { sum, cell in
                sum + Double(cell.value) * ((SpecialFunctions.logGamma(cell.key + size) ?? .nan) - base)
            }
            let powers = size * log(size / (size + mean)) + mean * log(mean / (size + mean))
            return terms - constant + count * powers
        }
        let place = LineMinimum.find(in: Self.logShapes) { -logLikelihood(exp($0)) / count }
        guard let place, let base = SpecialFunctions.trigamma(exp(place)) else { return nil }
        let size = exp(place)
        let curvature = counts.reduce(0.0) { sum, cell in
            sum + Double(cell.value) * (base - (SpecialFunctions.trigamma(cell.key + size) ?? .nan))
        }
        let information = size * size * (curvature - count * mean / (size * (size + mean)))
        guard information > 0 else { return nil }
        let ofMean = (mean + mean * mean / size) / (count * mean * mean)
        return Solution(
            parameters: [
                spread("size", size, variance: 1 / information),
                spread("mean", mean, variance: ofMean),
            ], logLikelihood: logLikelihood(size))
    }

    private func parameter(
        _ name: String, _ value: Double, _ low: Double, _ high: Double
    ) -> DistributionFit.Parameter {
        DistributionFit.Parameter(name: name, value: value, bounds: min(low, value)...max(high, value))
    }

    /// A normal interval of the logarithm.
    private func spread(_ name: String, _ value: Double, variance: Double) -> DistributionFit.Parameter {
        let z = SpecialFunctions.normalQuantile(0.5 + confidence / 2) ?? 0
        let factor = exp(z * variance.squareRoot())
        return parameter(name, value, value / factor, value * factor)
    }
}
