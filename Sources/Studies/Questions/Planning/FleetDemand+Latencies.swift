import Experiment
import RunMetrics

/// Times of lookups, of all devices and of the groups that objectives are about.
extension FleetDemand {
    static func percentiles(of point: PointResult) -> [Latency] {
        guard let curve = point.latencyCurve else { return [] }
        let all = [0.5, 0.9, 0.95, 0.99, 0.999].compactMap { percentile in
            curve.shares.firstIndex(of: percentile).map {
                Latency(
                    percentile: percentile, seconds: curve.values[$0],
                    high: point[.latency(percentile: percentile * 100)]?.interval?.high)
            }
        }
        // Those of groups that objectives are about.
        return all
            + point.metrics.compactMap { found -> Latency? in
                guard let metric = Metric(found.name, found.statistic), let group = metric.group,
                    let rank = metric.rank
                else { return nil }
                return Latency(
                    percentile: rank, seconds: found.value, high: found.interval?.high, group: group)
            }
    }

    /// Without waits at servers.
    ///
    /// - Parameter group: Of devices; `nil` for all.
    package func latency(_ percentile: Double, of group: String? = nil) -> Double? {
        percentiles.latency(percentile, of: group)
    }
}

extension [FleetDemand.Latency] {
    func latency(_ percentile: Double, of group: String? = nil) -> Double? {
        first { $0.percentile == percentile && $0.group == group }?.seconds
    }
}
