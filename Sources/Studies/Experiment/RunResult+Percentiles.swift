import Decoding
import RunMetrics

extension RunResult {
    /// The same result with another list of latency percentiles.
    ///
    /// - Parameter percentiles: In percent, for example 99.9; each must be one of ``PercentileCurve/ranks``.
    /// - Throws: ``PercentileError`` when a percentile was not stored or the replications have too few lookups.
    package func replacingPercentiles(_ percentiles: [Double]) throws(PercentileError) -> RunResult {
        var result = self
        for index in points.indices { try result.points[index].replacePercentiles(percentiles) }
        return result
    }
}

extension PointResult {
    /// Percentiles of the verdict latency that this point has.
    package var latencyPercentiles: [MetricResult] { metrics.filter(\.isLatencyPercentile) }

    fileprivate mutating func replacePercentiles(_ percentiles: [Double]) throws(PercentileError) {
        guard let place = metrics.firstIndex(where: \.isLatencyPercentile) else { return }
        var found: [MetricResult] = []
        for percentile in percentiles {
            let metric = Metric.latency(percentile: percentile)
            let label = metric.statistic
            if let known = self[metric] {
                found.append(known)
                continue
            }
            guard let curve = latencyCurve else {
                throw .noCurve(label, known: latencyPercentiles.map(\.statistic))
            }
            guard PercentileCurve.ranks.contains(where: { abs($0 * 100 - percentile) < 1e-9 }) else {
                throw .notKept(label)
            }
            guard let rank = curve.shares.firstIndex(where: { abs($0 * 100 - percentile) < 1e-9 }) else {
                throw .tooFewLookups(label, samples: curve.samples)
            }
            found.append(curve.result(metric, rank, replications: replications))
        }
        metrics.removeAll(where: \.isLatencyPercentile)
        thinTails = []
        metrics.insert(contentsOf: found, at: place)
    }
}

extension MetricResult {
    fileprivate var isLatencyPercentile: Bool {
        Metric.latencyPercentile(name, statistic) != nil
    }
}

extension Metric {
    /// The percentile that a metric of a document is of, as text; `nil` for another metric.
    package static func latencyPercentile(_ name: String, _ statistic: String) -> Substring? {
        let percent = statistic.dropFirst()
        return name == latencyMean.name && statistic.hasPrefix("p") && Double(percent) != nil ? percent : nil
    }
}

extension PercentileCurve {
    fileprivate func result(_ metric: Metric, _ rank: Int, replications: Int) -> MetricResult {
        var interval: Interval?
        if let low, let high, low[rank] < high[rank] {
            interval = Interval(
                low: low[rank], high: high[rank], confidence: confidence,
                method: "Student's t over \(replications) replications")
        }
        let method: MetricResult.Method =
            interval != nil ? .student : replications > 1 ? .noSpread : .noInterval
        return MetricResult(
            metric, value: values[rank], interval: interval, method: method,
            samples: replications, perReplication: [])
    }
}

/// Why a percentile cannot be shown.
package enum PercentileError: InputFault, Equatable, CustomStringConvertible {
    case notKept(String)
    case tooFewLookups(String, samples: Int)
    case noCurve(String, known: [String])

    package var description: String {
        switch self {
        case .notKept(let label):
            "percentile \(label) is not stored; a result keeps whole percents, then steps of 0.1 above 99,"
                + " 0.01 above 99.9 and 0.001 above 99.99"
        case .tooFewLookups(let label, let samples):
            "percentile \(label) needs more than the \(samples) lookups of this result: ten have to be slower"
        case .noCurve(let label, let known):
            "percentile \(label) is not in this result, as too few lookups have a verdict; it has"
                + " \(known.joined(separator: ", "))"
        }
    }
}
