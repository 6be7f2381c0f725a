package import FleetModel

/// The metrics of one replication.
package struct ReplicationMetrics: Sendable {
    private let values: [Metric: Double]

    package init(_ record: ReplicationRecord, deviceCount: Int) {
        let metrics = Metric.all + record.regions.flatMap { RegionMetrics($0.name).all }
        values = Dictionary(
            uniqueKeysWithValues: metrics.compactMap { metric in
                metric.value(record, deviceCount: deviceCount).map { (metric, $0) }
            })
    }

    /// - Returns: `nil` where the replication has nothing to say.
    package subscript(metric: Metric) -> Double? { values[metric] }
}
