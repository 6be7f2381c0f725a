import FleetModel
package import RunMetrics

/// Metrics of one region, over the replications of a point.
package struct RegionResult: Codable, Equatable, Sendable {
    package var name: String
    /// Those of ``RegionMetrics``.
    package var metrics: [MetricResult]

    package subscript(metric: Metric) -> MetricResult? { metrics.first { $0.isOf(metric) } }
}

extension ResultBuilder {
    /// - Returns: `nil` where regions have no names.
    func regions(_ estimate: (Metric) -> MetricResult?) -> [RegionResult]? {
        let names = preparation.configuration.services.regions.compactMap(\.name)
        guard !names.isEmpty else { return nil }
        return names.map { name in
            RegionResult(name: name, metrics: RegionMetrics(name).all.compactMap(estimate))
        }
    }
}
