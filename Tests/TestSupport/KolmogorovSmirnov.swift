/// The test of Kolmogorov and Smirnov: is the largest distance between two
/// distribution functions explained by chance?
package struct KolmogorovSmirnov: Hashable, Sendable {
    /// Largest distance, in `0...1`.
    package let statistic: Double
    /// Chance of a distance at least this large if the distributions agree, in `0...1`.
    package let pValue: Double
    /// Samples; of both lists together.
    package let sampleCount: Int

    /// Independent samples against a distribution.
    ///
    /// The distribution must be continuous and must not have been fitted to the
    /// same samples: then every p-value is too large. The p-value is exact up
    /// to 1 000 samples and in the far tail; beyond, its error is below 10⁻⁵.
    ///
    /// - Parameter cdf: P(X ≤ x), in `0...1`, for the samples given.
    /// - Returns: `nil` for no samples, a sample that is not finite, or a cdf
    ///   outside `0...1`.
    package init?(samples: [Double], cdf: (Double) -> Double) {
        guard !samples.isEmpty, samples.allSatisfy(\.isFinite) else { return nil }
        let count = Double(samples.count)
        var distance = 0.0
        for (index, sample) in samples.sorted().enumerated() {
            let expected = cdf(sample)
            guard (0...1).contains(expected) else { return nil }
            distance = max(distance, expected - Double(index) / count, Double(index + 1) / count - expected)
        }
        guard let tail = KolmogorovDistribution.tail(distance, count: samples.count) else { return nil }
        statistic = distance
        pValue = tail
        sampleCount = samples.count
    }

    /// Largest product of the two counts for which the p-value is exact.
    package static let exactProductLimit = 1_000_000

    /// Two lists of independent samples against each other.
    ///
    /// Exact for continuous distributions while the product of the counts is at
    /// most ``exactProductLimit``, asymptotic beyond. Values that repeat make
    /// the p-value too large, never too small.
    ///
    /// - Returns: `nil` when a list is empty or a sample is not finite.
    package init?(_ first: [Double], _ second: [Double]) {
        guard !first.isEmpty, !second.isEmpty,
            first.allSatisfy(\.isFinite), second.allSatisfy(\.isFinite)
        else { return nil }
        // In units of 1 / (both counts multiplied), where it is a whole number.
        let (product, overflow) = first.count.multipliedReportingOverflow(by: second.count)
        guard !overflow else { return nil }
        let distance = Self.scaledDistance(first.sorted(), second.sorted())
        statistic = Double(distance) / Double(product)
        sampleCount = first.count + second.count
        if product <= Self.exactProductLimit {
            pValue = Self.exactTail(distance, first.count, second.count)
        } else {
            let effective = Double(product) / Double(sampleCount)
            pValue = KolmogorovDistribution.limitTail(statistic * effective.squareRoot())
        }
    }

    private static func scaledDistance(_ first: [Double], _ second: [Double]) -> Int {
        var (i, j, largest) = (0, 0, 0)
        while i < first.count, j < second.count {
            let value = min(first[i], second[j])
            while i < first.count, first[i] == value { i += 1 }
            while j < second.count, second[j] == value { j += 1 }
            largest = max(largest, abs(i * second.count - j * first.count))
        }
        return largest
    }

    /// Share of the orders of both lists whose distance is at least `distance`.
    ///
    /// An order is a path from (0, 0) to (m, n); of the random paths through
    /// (i, j), the share i / (i + j) comes from (i - 1, j).
    private static func exactTail(_ distance: Int, _ m: Int, _ n: Int) -> Double {
        var row = [Double](repeating: 0, count: n + 1)
        for i in 0...m {
            for j in 0...n {
                if abs(i * n - j * m) >= distance {
                    row[j] = 1
                } else {
                    let fromAbove = i == 0 ? 0 : Double(i) * row[j]
                    let fromLeft = j == 0 ? 0 : Double(j) * row[j - 1]
                    row[j] = (fromAbove + fromLeft) / Double(max(1, i + j))
                }
            }
        }
        return min(1, row[n])
    }
}
