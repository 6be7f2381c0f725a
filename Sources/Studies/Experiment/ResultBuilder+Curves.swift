import Decoding
import EventSimulation
import FleetModel
import RunMetrics
import Scenarios
import Statistics

/// Data that the figures of a report need beyond the metrics.
extension ResultBuilder {
    private var confidence: Double { preparation.scenario.replications.confidence }

    /// Percentiles that too few lookups lie above.
    func thinTails() -> [ThinTail] {
        asked.compactMap { metric in
            guard let tail = metric.tail else { return nil }
            let latencies = latencies(of: metric)
            guard latencies.count > 0, tail.isThin(latencies.count) else { return nil }
            // The last value that has enough above it.
            let known = max(0, latencies.count - Metric.Tail.leastAbove)
            let atLeast =
                known > 0 ? latencies.quantile(Double(known) / Double(latencies.count)) : latencies.min
            return ThinTail(
                name: metric.name, statistic: metric.statistic, unit: metric.unit,
                atLeast: atLeast?.seconds ?? 0, observations: latencies.count, needed: tail.needed)
        }
    }

    /// Latencies of all replications that a metric is about.
    private func latencies(of metric: Metric) -> LatencyHistogram {
        metric.group == nil
            ? latencies : records.reduce(into: LatencyHistogram()) { $0.merge(metric.latencies($1)) }
    }

    /// The percentile of all lookups of all replications; `nil` for other metrics.
    func pooled(_ metric: Metric) -> Double? {
        metric.tail.flatMap { latencies(of: metric).quantile($0.rank)?.seconds }
    }

    /// Verdict latency at every rank that enough lookups lie above.
    func latencyCurve() -> PercentileCurve? {
        let histograms = records.map(\.verdictLatency).filter { $0.count > 0 }
        var curve = PercentileCurve(
            shares: [], values: [], confidence: confidence, samples: latencies.count)
        var (low, high): ([Double], [Double]) = ([], [])
        for share in PercentileCurve.ranks where !Metric.Tail(rank: share).isThin(latencies.count) {
            let samples = histograms.compactMap { $0.quantile(share)?.seconds }
            let estimate = MeanEstimate(replicationMeans: samples, confidence: confidence)
            curve.shares.append(share)
            curve.values.append(estimate?.mean ?? samples[0])
            guard let bounds = (estimate?.bounds).map(Metric.Support.amount.clip) else { continue }
            low.append(bounds.lowerBound)
            high.append(bounds.upperBound)
        }
        if histograms.count > 1, low.count == curve.shares.count { (curve.low, curve.high) = (low, high) }
        return curve.shares.isEmpty ? nil : curve
    }

    /// More intervals than the first number are joined until at most the second number is left: a day of five minutes
    /// stays as it is.
    private static let mostIntervals = 300
    private static let joinedIntervals = 150

    func seriesResult() -> SeriesResult? {
        let interval = preparation.configuration.seriesInterval
        let count = Int(saturating: (preparation.configuration.duration / interval).rounded(.up))
        guard count > 0, !records.isEmpty else { return nil }
        let step =
            count <= Self.mostIntervals ? 1 : (count + Self.joinedIntervals - 1) / Self.joinedIntervals
        let columns = SeriesColumns(records: records, count: count, step: step, confidence: confidence)
        return SeriesResult(
            interval: interval.seconds * Double(step),
            columns: fleetColumns(columns) + stationColumns(columns) + regionColumns(columns))
    }

    private func fleetColumns(_ columns: SeriesColumns) -> [SeriesResult.Column] {
        let latency = columns.column(.latencyMean, .seconds) { record, range in
            let points = record.series.points[clamped: range]
            let decided = points.reduce(0) { $0 + $1.decided }
            return decided > 0 ? points.reduce(0) { $0 + $1.latencySum } / Double(decided) : nil
        }
        return [
            columns.sum(.checked) { $0.urls }, columns.sum(.leaked) { $0.leaked },
            columns.sum(.falselyBlocked) { $0.falselyBlocked },
            columns.sum(.brokenPages) { $0.brokenPages }, columns.sum(.lookupsSent) { $0.lookups },
            columns.sum(.failedLookups) { $0.failures }, latency,
        ]
    }

    private func stationColumns(_ columns: SeriesColumns) -> [SeriesResult.Column] {
        URLFilterModel.stations.flatMap { part in
            [
                columns.column(StationMetrics(part).utilization, .share) { record, range in
                    mean(record.stations[part]?.intervalUtilizations, range)
                },
                columns.column(StationMetrics(part).queue, .number) { record, range in
                    mean(record.stations[part]?.intervalQueues, range)
                },
            ]
        }
    }

    private func regionColumns(_ columns: SeriesColumns) -> [SeriesResult.Column] {
        regionNames.flatMap { name in
            RegionMetrics(name).stations.map { station in
                columns.column(station.utilization, .share) { record, range in
                    let region = record.regions.first { $0.name == name }
                    return mean(region?.stations[station.part]?.intervalUtilizations, range)
                }
            }
        }
    }

    private var regionNames: [String] {
        preparation.configuration.services.regions.compactMap(\.name)
    }

    /// Mean over those intervals that lie in the observed period.
    ///
    /// - Parameter values: One per interval of the observed period.
    private func mean(_ values: [Double]?, _ range: Range<Int>) -> Double? {
        let first = Int(saturating: (warmUp.length / preparation.configuration.seriesInterval).rounded(.up))
        return (values ?? [])[clamped: (range.lowerBound - first)..<(range.upperBound - first)].mean
    }
}

/// Means over replications, interval by interval.
private struct SeriesColumns {
    var records: [ReplicationRecord]
    /// Intervals of the series, and so many that are joined to one.
    var count: Int
    var step: Int
    var confidence: Double

    func column(
        _ metric: Metric, _ unit: Metric.Unit, _ value: (ReplicationRecord, Range<Int>) -> Double?
    ) -> SeriesResult.Column {
        var column = SeriesResult.Column(name: metric.name, unit: unit, values: [])
        var (low, high): ([Double?], [Double?]) = ([], [])
        for start in stride(from: 0, to: count, by: step) {
            let samples = records.compactMap { value($0, start..<min(start + step, count)) }
            let estimate = MeanEstimate(replicationMeans: samples, confidence: confidence)
            let support = unit == .share ? Metric.Support.share : .amount
            let bounds = (estimate?.bounds).map(support.clip)
            column.values.append(estimate?.mean ?? samples.first)
            low.append(bounds?.lowerBound)
            high.append(bounds?.upperBound)
        }
        if records.count > 1 { (column.low, column.high) = (low, high) }
        return column
    }

    func sum(_ metric: Metric, _ part: @escaping (FleetSeries.Point) -> Int) -> SeriesResult.Column {
        column(metric, .number) { record, range in
            Double(record.series.points[clamped: range].reduce(0) { $0 + part($1) })
        }
    }
}

extension Array {
    /// The part of a range that exists.
    fileprivate subscript(clamped range: Range<Int>) -> ArraySlice<Element> {
        self[range.clamped(to: 0..<count)]
    }
}
