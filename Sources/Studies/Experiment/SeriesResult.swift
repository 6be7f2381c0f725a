package import RunMetrics

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
