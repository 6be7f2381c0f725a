/// How strongly the numbers of a series resemble those a few steps later.
package enum Autocorrelation {
    /// Coefficients for the lags `1...maximumLag`, each in `-1...1`.
    ///
    /// The usual estimator: the sum of lagged products divided by the sum of
    /// squares, so that distant lags shrink towards 0. Without correlation
    /// each is about normal with variance 1 / (length of the series).
    ///
    /// - Complexity: O(length · `maximumLag`).
    /// - Returns: `nil` unless `1 <= maximumLag < series.count`, for a constant
    ///   series (there is nothing to correlate) and when a number is not finite.
    package static func coefficients(of series: [Double], maximumLag: Int) -> [Double]? {
        guard maximumLag >= 1, maximumLag < series.count,
            let moments = Moments(series), moments.squaredDistances > 0
        else { return nil }
        let distances = series.map { $0 - moments.mean }
        return (1...maximumLag).map { lag in
            zip(distances, distances.dropFirst(lag)).reduce(0) { $0 + $1.0 * $1.1 }
                / moments.squaredDistances
        }
    }
}
