import Decoding

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
    /// Percentiles of the verdict latency that this point has, as statistics of a metric.
    package var latencyPercentiles: [String] {
        metrics.filter { $0.name == Self.latency && $0.isPercentile }.map(\.statistic)
    }

    private static let latency = "lookup.latency"

    fileprivate mutating func replacePercentiles(_ percentiles: [Double]) throws(PercentileError) {
        guard let place = metrics.firstIndex(where: { $0.name == Self.latency }) else { return }
        guard let template = metrics.first(where: { $0.name == Self.latency && $0.isPercentile }) else {
            return
        }
        var found: [MetricResult] = []
        for percentile in percentiles {
            let label = "p" + PercentileCurve.label(percentile)
            if let known = metrics.first(where: { $0.name == Self.latency && $0.statistic == label }) {
                found.append(known)
                continue
            }
            guard let curve = latencyCurve else { throw .noCurve(label, known: latencyPercentiles) }
            guard PercentileCurve.ranks.contains(where: { abs($0 * 100 - percentile) < 1e-9 }) else {
                throw .notKept(label)
            }
            guard let rank = curve.shares.firstIndex(where: { abs($0 * 100 - percentile) < 1e-9 }) else {
                throw .tooFewLookups(label, samples: curve.samples)
            }
            found.append(curve.metric(rank, label: label, like: template, replications: replications))
        }
        metrics.removeAll { $0.name == Self.latency && $0.isPercentile }
        metrics.insert(contentsOf: found, at: place)
    }
}

extension MetricResult {
    fileprivate var isPercentile: Bool {
        statistic.hasPrefix("p") && Double(statistic.dropFirst()) != nil
    }
}

extension PercentileCurve {
    /// `99.9` and not `99.90`, `50` and not `50.0`.
    package static func label(_ percentile: Double) -> String {
        percentile == percentile.rounded() ? "\(Int(percentile))" : "\(percentile)"
    }

    fileprivate func metric(
        _ rank: Int, label: String, like template: MetricResult, replications: Int
    ) -> MetricResult {
        var metric = template
        metric.statistic = label
        metric.value = values[rank]
        metric.interval = nil
        metric.method = .noInterval
        metric.samples = replications
        metric.varianceReduction = nil
        metric.perReplication = []
        if let low, let high {
            metric.interval = Interval(
                low: low[rank], high: high[rank], confidence: confidence,
                method: "Student's t over \(replications) replications")
            metric.method = .student
        }
        return metric
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
            "percentile \(label) needs more than the \(samples) lookups of this result in each replication"
        case .noCurve(let label, let known):
            "percentile \(label) is not in this result of an earlier version; it has \(known.joined(separator: ", "))"
        }
    }
}
