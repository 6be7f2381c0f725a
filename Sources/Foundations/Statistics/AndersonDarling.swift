import Foundation

/// The test of Anderson and Darling: do samples come from a distribution?
///
/// Unlike the test of Kolmogorov and Smirnov it looks hard at both tails, which is where
/// latencies decide.
package struct AndersonDarling: Hashable, Sendable {
    /// A², 0 or more; infinite when a sample is where the distribution has none.
    package let statistic: Double
    /// Chance of a statistic at least this large if the samples do come from
    /// the distribution, in `0...1`.
    package let pValue: Double
    package let sampleCount: Int

    /// Below this the published formula is wrong: by 0.004 at 3 samples, by
    /// 0.1 at 1.
    package static let minimumSampleCount = 5

    /// The distribution must be continuous and must not have been fitted to the
    /// same samples: then every p-value is too large.
    ///
    /// The p-value follows Marsaglia and Marsaglia, Evaluating the
    /// Anderson-Darling distribution (J. Statist. Software 9, 2004). Against
    /// 10⁶ simulated lists it was right to 0.001, the noise of that comparison,
    /// so a smaller p-value is only known to be small.
    ///
    /// - Parameter cdf: P(X ≤ x), in `0...1`, for the samples given.
    /// - Returns: `nil` for fewer than ``minimumSampleCount`` samples, a sample
    ///   that is not finite, or a cdf outside `0...1`.
    package init?(samples: [Double], cdf: (Double) -> Double) {
        guard samples.count >= Self.minimumSampleCount, samples.allSatisfy(\.isFinite) else { return nil }
        let levels = samples.sorted().map(cdf)
        guard levels.allSatisfy({ (0...1).contains($0) }) else { return nil }
        let count = levels.count
        let sum = levels.indices.reduce(0.0) { sum, index in
            sum + Double(2 * index + 1) * (log(levels[index]) + log1p(-levels[count - 1 - index]))
        }
        let statistic = max(0, -Double(count) - sum / Double(count))
        self.statistic = statistic
        pValue = statistic == .infinity ? 0 : max(0, min(1, 1 - Self.cdf(statistic, count: count)))
        sampleCount = count
    }

    private static func cdf(_ statistic: Double, count: Int) -> Double {
        guard statistic > 0 else { return 0 }
        let limit = limitCDF(statistic)
        return limit + correction(limit, count: Double(count))
    }

    /// The distribution for ever more samples.
    private static func limitCDF(_ z: Double) -> Double {
        if z < 2 {
            let series = polynomial(z, [2.00012, 0.247105, -0.0649821, 0.0347962, -0.0116720, 0.00168691])
            return exp(-1.2337141 / z) / z.squareRoot() * series
        }
        return exp(-exp(polynomial(z, [1.0776, -2.30695, 0.43424, -0.082433, 0.008056, -0.0003146])))
    }

    /// Correction for a finite number of samples.
    private static func correction(_ limit: Double, count: Double) -> Double {
        let middle = 0.01265 + 0.1757 / count
        if limit > 0.8 {
            let terms = [-130.2137, 745.2337, -1705.091, 1950.646, -1116.360, 255.7844]
            return polynomial(limit, terms) / count
        }
        if limit < middle {
            let t = limit / middle
            let size = 0.0037 / (count * count * count) + 0.00078 / (count * count) + 0.00006 / count
            return t.squareRoot() * (1 - t) * (49 * t - 102) * size
        }
        let t = (limit - middle) / (0.8 - middle)
        let terms = [-0.00022633, 6.54034, -14.6538, 14.458, -8.259, 1.91864]
        return polynomial(t, terms) * (0.04213 + 0.01365 / count) / count
    }

    /// Coefficients from the constant term upwards.
    private static func polynomial(_ x: Double, _ coefficients: [Double]) -> Double {
        coefficients.reversed().reduce(0) { $0 * x + $1 }
    }
}
