import Foundation

/// The exponent of Zipf's law, by maximum likelihood: how visits spread over
/// sites.
///
/// The share of the site with rank r is proportional to r to the power of
/// -``exponent``.
package struct ZipfFit: Hashable, Sendable {
    package let exponent: Double
    /// The interval by the observed information; for visits that choose a site independently of each other. Real
    /// visits come in runs, and then it is too narrow.
    package let bounds: ClosedRange<Double>
    package let confidence: Double
    /// Visits that were used.
    package let sampleCount: Int
    /// Ranks that were used, from 1 on.
    package let rankCount: Int
    /// Largest distance between the observed and the fitted cumulated shares of
    /// the ranks used, in `0...1`.
    package let distance: Double

    /// Exponents searched.
    package static let exponentRange = 0.01...10.0

    /// Fits the ranks 1 to `rankCount` only, given that a visit goes to one of
    /// them: what the tail does, and how many sites exist, need not be known.
    ///
    /// When the ranks were made by sorting these very counts, rare sites are out
    /// of order and seem steeper than they are. Use the ranks whose counts are
    /// well above 10; ``init(sortingCounts:leastCount:confidence:)`` does.
    ///
    /// - Parameter counts: Visits of rank 1, 2, 3 and so on.
    /// - Returns: `nil` for fewer than two ranks, a negative count, no visit, and
    ///   when the best exponent is outside ``exponentRange``.
    package init?(countsByRank counts: [Int], confidence: Double = 0.95) {
        requireConfidence(confidence)
        guard counts.count >= 2, counts.allSatisfy({ $0 >= 0 }) else { return nil }
        let logs = counts.indices.map { log(Double($0 + 1)) }
        let weights = counts.map(Double.init)
        let total = weights.reduce(0, +)
        guard total > 0, total < 0x1p53 else { return nil }
        let meanLog = zip(weights, logs).reduce(0) { $0 + $1.0 * $1.1 } / total
        func loss(_ exponent: Double) -> Double {
            exponent * meanLog + log(logs.reduce(0) { $0 + exp(-exponent * $1) })
        }
        guard let exponent = LineMinimum.find(in: Self.exponentRange, of: loss),
            let z = SpecialFunctions.normalQuantile(0.5 + confidence / 2)
        else { return nil }
        // The information of one visit is the variance of the rank's logarithm.
        var (mass, first, second) = (0.0, 0.0, 0.0)
        let shares = logs.map { exp(-exponent * $0) }
        for (share, value) in zip(shares, logs) {
            mass += share
            first += share * value
            second += share * value * value
        }
        let variance = second / mass - first / mass * (first / mass)
        guard variance > 0 else { return nil }
        let halfWidth = z / (total * variance).squareRoot()
        var (expected, observed, largest) = (0.0, 0.0, 0.0)
        for (share, weight) in zip(shares, weights) {
            expected += share / mass
            observed += weight / total
            largest = max(largest, (expected - observed).magnitude)
        }
        self.exponent = exponent
        bounds = (exponent - halfWidth)...(exponent + halfWidth)
        self.confidence = confidence
        sampleCount = Int(total)
        rankCount = counts.count
        distance = largest
    }

    /// Sorts the counts and fits the ranks that have at least `leastCount` visits.
    ///
    /// - Returns: `nil` also when fewer than two sites have that many.
    package init?(sortingCounts counts: [Int], leastCount: Int = 50, confidence: Double = 0.95) {
        let used = counts.filter { $0 >= max(leastCount, 1) }.sorted(by: >)
        self.init(countsByRank: used, confidence: confidence)
    }
}
