/// The one definition of a percentile in this program: nearest rank.
///
/// The p-quantile of n sorted values is the value with the rank ⌈p · n⌉. It is
/// always a value that occurred, and p99 means that at least 99 % of the
/// values are not larger. Nothing is interpolated.
package enum Percentile {
    /// Rank of a quantile, in `1...count`.
    ///
    /// A product that misses a whole number only by rounding counts as that
    /// number: the 0.07-quantile of 100 values has rank 7, although
    /// `0.07 * 100` is 7.000000000000001.
    ///
    /// - Returns: `nil` unless `count >= 1` and `probability` is in `0...1`.
    package static func rank(_ probability: Double, count: Int) -> Int? {
        guard count >= 1, probability >= 0, probability <= 1 else { return nil }
        let product = probability * Double(count)
        let rank = (product - 4 * product.ulp).rounded(.up)
        return rank >= Double(count) ? count : max(1, Int(rank))
    }

    /// The quantile of values in ascending order. The order is the caller's
    /// promise; ``QuantileEstimate`` checks it.
    ///
    /// - Returns: `nil` for no values or a probability outside `0...1`.
    /// - Complexity: O(1).
    package static func nearestRank(_ probability: Double, sorted values: [Double]) -> Double? {
        rank(probability, count: values.count).map { values[$0 - 1] }
    }
}
