import Foundation

extension Distribution {
    /// Probability of a value of at most `x`.
    package func cumulative(_ x: Double) -> Double {
        mass(from: -.infinity, to: x)
    }

    /// Whether the condition of a truncated distribution can ever be met.
    func hasValues(between lower: Double, and upper: Double) -> Bool {
        switch self {
        case .uniform(let start, let end): max(start, lower) <= min(end, upper)
        case .truncated(let base, let start, let end):
            base.hasValues(between: max(start, lower), and: min(end, upper))
        default: mass(from: lower, to: upper) > 0
        }
    }

    /// Probability of a value in `lower...upper`, accurate also far out in the tails.
    func mass(from lower: Double, to upper: Double) -> Double {
        guard lower <= upper else { return 0 }
        switch self {
        case .constant(let value):
            return lower <= value && value <= upper ? 1 : 0
        case .lognormal(let mu, 0):
            return Distribution.constant(exp(mu)).mass(from: lower, to: upper)
        case .uniform(let start, let end) where start == end:
            return Distribution.constant(start).mass(from: lower, to: upper)
        case .empirical(let values):
            return Double(Self.indices(of: values, from: lower, to: upper).count) / Double(values.count)
        case .truncated(let base, let start, let end):
            let kept = base.mass(from: max(start, lower), to: min(end, upper))
            return kept / base.mass(from: start, to: end)
        default:
            // A difference of two small numbers is exact, one of two numbers near 1 is not.
            let (below, above) = tails(at: lower)
            return below < 0.5 ? tails(at: upper).below - below : above - tails(at: upper).above
        }
    }

    /// Draws a value under the condition that it lies in `lower...upper`.
    func sample(between lower: Double, and upper: Double, using stream: inout RandomStream) -> Double {
        switch self {
        case .constant(let value):
            return value
        case .lognormal(let mu, 0):
            return exp(mu)
        case .uniform(let start, let end):
            let (first, last) = (max(start, lower), min(end, upper))
            return first + (last - first) * stream.uniform()
        case .empirical(let values):
            let kept = Self.indices(of: values, from: lower, to: upper)
            guard !kept.isEmpty else { return .nan }
            return values[kept.lowerBound + Int(stream.uniform() * Double(kept.count))]
        case .truncated(let base, let start, let end):
            return base.sample(between: max(start, lower), and: min(end, upper), using: &stream)
        case .gamma, .erlang:
            // Inversion needs a search here; trying is cheaper unless the bounds keep little.
            for _ in 0..<64 {
                let value = sample(using: &stream)
                if lower <= value && value <= upper { return value }
            }
        default:
            break
        }
        return invert(stream.uniform(), between: lower, and: upper)
    }

    /// The value that splits `lower...upper` so that the share `u` of its probability lies below.
    func invert(_ u: Double, between lower: Double, and upper: Double) -> Double {
        let (low, high) = (tails(at: lower), tails(at: upper))
        let value =
            low.below < 0.5
            ? quantile(below: min(low.below + u * (high.below - low.below), 1 - 0x1p-53))
            : quantile(above: high.above + (1 - u) * (low.above - high.above))
        return min(max(value, lower), upper)
    }

    /// Probabilities of a value below and above `x`, each accurate where it is tiny.
    private func tails(at x: Double) -> (below: Double, above: Double) {
        switch self {
        case .uniform(let lower, let upper):
            let share = min(max((x - lower) / (upper - lower), 0), 1)
            return (share, 1 - share)
        case .exponential(let mean):
            return Self.tails(hazard: x / mean)
        case .weibull(let shape, let scale):
            return Self.tails(hazard: pow(max(x, 0) / scale, shape))
        case .pareto(let shape, let minimum):
            return Self.tails(hazard: shape * log(max(x, minimum) / minimum))
        case .lognormal(let mu, let sigma):
            guard x > 0 else { return (0, 1) }
            let z = (log(x) - mu) / sigma
            return (StandardNormal.cumulative(z), StandardNormal.cumulative(-z))
        case .gamma(let shape, let scale):
            return (IncompleteGamma.lower(shape, x / scale), IncompleteGamma.upper(shape, x / scale))
        case .erlang(let stages, let mean):
            return Distribution.gamma(shape: Double(stages), scale: mean / Double(stages)).tails(at: x)
        case .constant, .empirical, .truncated:
            let below = cumulative(x)
            return (below, 1 - below)
        }
    }

    private static func tails(hazard: Double) -> (below: Double, above: Double) {
        hazard > 0 ? (-expm1(-hazard), exp(-hazard)) : (0, 1)
    }

    private func quantile(below p: Double) -> Double {
        guard case .lognormal(let mu, let sigma) = self else { return value(atHazard: -log1p(-p)) }
        return p > 0 ? exp(mu + sigma * StandardNormal.quantile(p)) : 0
    }

    private func quantile(above q: Double) -> Double {
        guard case .lognormal(let mu, let sigma) = self else { return value(atHazard: -log(q)) }
        return exp(mu - sigma * StandardNormal.quantile(q))
    }

    /// The value that is exceeded with probability `exp(-hazard)`.
    func value(atHazard hazard: Double) -> Double {
        switch self {
        case .exponential(let mean): mean * hazard
        case .weibull(let shape, let scale): scale * pow(hazard, 1 / shape)
        case .pareto(let shape, let minimum): minimum * exp(hazard / shape)
        default: search(hazard: hazard)
        }
    }

    /// Bisection for distributions without a closed inverse; values are positive.
    private func search(hazard: Double) -> Double {
        let target = (below: -expm1(-hazard), above: exp(-hazard))
        func isBeyond(_ x: Double) -> Bool {
            let (below, above) = tails(at: x)
            return target.below < 0.5 ? below >= target.below : above <= target.above
        }
        var high = max(mean, .leastNormalMagnitude)
        while high < 1e300, !isBeyond(high) { high *= 2 }
        var low = 0.0
        for _ in 0..<200 {
            let middle = low + (high - low) / 2
            guard low < middle, middle < high else { break }
            if isBeyond(middle) { high = middle } else { low = middle }
        }
        return high
    }

    /// Places of the values in `lower...upper` in a sorted list.
    static func indices(of values: [Double], from lower: Double, to upper: Double) -> Range<Int> {
        let start = firstIndex(in: values) { $0 >= lower }
        let end = firstIndex(in: values) { $0 > upper }
        return start..<max(start, end)
    }

    /// The first index for which `isLate` holds, if it holds for all later ones too.
    private static func firstIndex(in values: [Double], where isLate: (Double) -> Bool) -> Int {
        var (low, high) = (0, values.count)
        while low < high {
            let middle = low + (high - low) / 2
            if isLate(values[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
