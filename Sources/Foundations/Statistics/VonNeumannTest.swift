/// Are the numbers of a series independent of their neighbours?
///
/// Von Neumann's ratio test in the form for simulation output (Fishman,
/// Grouping observations in digital simulation, Manag. Sci. 24, 1978): exact for
/// normal numbers only in the limit, and good from 8 numbers on.
package struct VonNeumannTest: Hashable, Sendable {
    /// Correlation of neighbours, in `-1...1`.
    package let lag1Autocorrelation: Double

    /// Chance of neighbours at least this alike if all numbers are independent,
    /// in `0...1`. One-sided: only likeness makes an interval too narrow.
    package let pValue: Double
    package let sampleCount: Int

    /// Fewest numbers accepted.
    package static let minimumSampleCount = 8

    /// The test rejects independence at the 5 % level. One in twenty
    /// independent series is accused wrongly.
    package var isPositivelyCorrelated: Bool { pValue < 0.05 }

    /// - Parameter series: In order of time, or of the replications' numbers.
    /// - Returns: `nil` for fewer than ``minimumSampleCount`` numbers, for equal
    ///   ones, and when one is not finite.
    package init?(series: [Double]) {
        guard series.count >= Self.minimumSampleCount, let moments = Moments(series),
            let lag1 = Autocorrelation.coefficients(of: series, maximumLag: 1)?.first
        else { return nil }
        // The first and the last number have one neighbour only; their terms repair that.
        let ends = [series[0], series[series.count - 1]].map { ($0 - moments.mean) * ($0 - moments.mean) }
        let corrected = lag1 + (ends[0] + ends[1]) / (2 * moments.squaredDistances)
        let count = Double(series.count)
        let score = corrected * ((count * count - 1) / (count - 2)).squareRoot()
        guard let tail = SpecialFunctions.normalCDF(-score) else { return nil }
        lag1Autocorrelation = lag1
        pValue = tail
        sampleCount = series.count
    }
}
