package import FleetModel

/// The metrics of one replication.
package struct ReplicationMetrics: Sendable {
    private let values: [Metric: Double]

    package init(_ record: ReplicationRecord, deviceCount: Int) {
        values = Dictionary(
            uniqueKeysWithValues: Metric.all.compactMap { metric in
                metric.value(record, deviceCount: deviceCount).map { (metric, $0) }
            })
    }

    /// - Returns: `nil` where the replication has nothing to say.
    package subscript(metric: Metric) -> Double? { values[metric] }
}
