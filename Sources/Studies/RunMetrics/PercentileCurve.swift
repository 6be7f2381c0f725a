import Decoding

/// The distribution of a quantity at many ranks: each value is the mean over replications of that replication's
/// quantile by nearest rank, exactly as ``MetricResult`` has it for a few ranks.
package struct PercentileCurve: Codable, Equatable, Sendable {
    /// Ranks in `0...1`, ascending.
    package var shares: [Double]
    /// Quantiles in the unit of the quantity, one per share.
    package var values: [Double]
    /// Student's t over replications; absent with fewer than two of them.
    package var low: [Double]?
    package var high: [Double]?
    package var confidence: Double
    /// Values behind the curve, over all replications.
    package var samples: Int

    /// Without bounds.
    package init(shares: [Double], values: [Double], confidence: Double, samples: Int) {
        self.shares = shares
        self.values = values
        self.confidence = confidence
        self.samples = samples
    }

    /// Ranks that are kept: every percent, then nine steps for each further nine.
    package static let ranks: [Double] =
        (1...99).map { Double($0) / 100 } + (991...999).map { Double($0) / 1_000 }
        + (9_991...9_999).map { Double($0) / 10_000 } + (99_991...99_999).map { Double($0) / 100_000 }

    /// `99.9` and not `99.90`, `50` and not `50.0`.
    package static func label(_ percentile: Double) -> String {
        percentile == percentile.rounded() ? "\(Int(saturating: percentile))" : "\(percentile)"
    }
}
