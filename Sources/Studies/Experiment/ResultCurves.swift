/// The distribution of a quantity at many ranks: each value is the mean over replications of that replication's
/// quantile by nearest rank, exactly as ``MetricResult`` has it for a few ranks.
package struct PercentileCurve: Codable, Equatable, Sendable {
    /// Ranks in `0...1`, ascending.
    package var shares: [Double]
    /// In the unit of the quantity, one per share.
    package var values: [Double]
    /// Student's t over replications; absent with fewer than two of them.
    package var low: [Double]?
    package var high: [Double]?
    package var confidence: Double
    /// Values behind the curve, over all replications.
    package var samples: Int

    /// Ranks that are kept: every percent, then nine steps for each further nine.
    package static let ranks: [Double] =
        (1...99).map { Double($0) / 100 } + (991...999).map { Double($0) / 1_000 }
        + (9_991...9_999).map { Double($0) / 10_000 } + (99_991...99_999).map { Double($0) / 100_000 }
}

/// Time series of a point: per interval the mean over replications.
package struct SeriesResult: Codable, Equatable, Sendable {
    /// Width of an interval, seconds; the first one begins at 0 of the simulated clock.
    package var interval: Double
    package var columns: [Column]

    package struct Column: Codable, Equatable, Sendable {
        /// The metric's whose statistic per interval this is, or whose number of events it counts.
        package var name: String
        package var unit: Metric.Unit
        /// `null` where no replication has a value, such as a latency without lookups.
        package var values: [Double?]
        /// Student's t over replications; absent with fewer than two of them.
        package var low: [Double?]?
        package var high: [Double?]?
    }

    package subscript(metric: Metric) -> Column? { columns.first { $0.name == metric.name } }
}
