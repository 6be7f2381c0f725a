package import Experiment
import FleetModel
package import RunMetrics
import Statistics

extension Comparison {
    /// Metrics that nobody wants more of: listed URLs let through, unlisted ones blocked, pages that do not load.
    private static let harms: [Metric] = [.leaked, .falselyBlocked, .brokenPages]

    /// Metrics that a change is decided on: those that the scenario's objectives name, and what it may not cost.
    /// Without objectives: the wait of half and of 99 of 100 lookups, or of the highest percentile that both sides
    /// have enough lookups for, the lookups of a device, and the load of the PIR servers.
    ///
    /// Few on purpose: each metric more makes every other one harder to tell (Holm's method).
    package static func primaryMetrics(of points: [PointResult]) -> [Metric] {
        let stated = points.flatMap(\.objectives).compactMap { Metric($0.metric, $0.statistic) }
        let tail = [99.0, 95, 90].map(Metric.latency).first { metric in
            points.allSatisfy { $0[metric] != nil }
        }
        let usual = [.latency(percentile: 50), tail].compactMap(\.self)
        let load = [Metric.lookupsPerDeviceDay, StationMetrics(.pir).utilization]
        // Where the list changes.
        let late = [Metric.exposed, .overblocked].filter { metric in points.allSatisfy { $0[metric] != nil } }
        let metrics = stated.isEmpty ? usual + harms + late + load : stated + harms + late
        return metrics.reduce(into: []) { found, metric in
            if !found.contains(metric) { found.append(metric) }
        }
    }

    /// Rows that are read together, with verdicts. A change that nothing is known of is no part of the family.
    static func judged(_ rows: [Row], confidence: Double, noiseBand: Double) -> [Row] {
        var rows = rows
        let known = rows.indices.compactMap { index in rows[index].pValue.map { (index: index, pValue: $0) } }
        let adjusted = MultipleComparisons.holm(known.map(\.pValue)) ?? []
        for (place, pValue) in zip(known, adjusted) { rows[place.index].adjustedPValue = pValue }
        let ascending = known.sorted { $0.pValue < $1.pValue }.map(\.index)
        let seen = ascending.count { rows[$0].adjustedPValue ?? 1 < 1 - confidence }
        for (place, index) in ascending.enumerated() {
            // What Holm's method compares with: the n-th smallest p-value with the error over those not yet seen.
            let rest = max(1, known.count - min(place, seen))
            rows[index].set(confidence: 1 - (1 - confidence) / Double(rest))
        }
        for index in rows.indices { rows[index].judge(confidence: confidence, noiseBand: noiseBand) }
        return rows
    }
}

extension Comparison.Row {
    /// Gives the intervals another confidence.
    fileprivate mutating func set(confidence: Double) {
        guard let degreesOfFreedom, let halfWidth, let difference,
            let factor = MultipleComparisons.widening(
                from: difference.confidence, to: confidence, degreesOfFreedom: degreesOfFreedom)
        else { return }
        setIntervals(halfWidth: factor * halfWidth, confidence: confidence, method: difference.method)
    }

    /// - Parameter confidence: Of all verdicts that are read together.
    fileprivate mutating func judge(confidence: Double, noiseBand: Double) {
        moreReplications = nil
        guard let change, let pValue else {
            verdict = .notReached
            return
        }
        let isSeen = adjustedPValue ?? pValue < 1 - confidence
        // A bound does not say that the change is no larger than the band.
        let noiseBand = bound == nil ? noiseBand : 0
        if let relative, hasSpread, relative.low > -noiseBand, relative.high < noiseBand {
            verdict = isSeen ? .withinNoiseBand : .noDifference
        } else if !isSeen {
            // A p-value of 1 is that of equal sides.
            let isSuspect = hasSpread ? pValue < 1 - confidence : pValue < 1
            verdict = isSuspect ? .tooFewReplications : bound == nil ? .noDifferenceSeen : .notReached
            moreReplications = isSuspect ? replicationsLacking : nil
        } else if !hasSpread, let relativeChange, relativeChange.magnitude < noiseBand {
            verdict = .withinNoiseBand
        } else {
            verdict =
                switch better {
                case .lower: change < 0 ? .better : .worse
                case .higher: change > 0 ? .better : .worse
                case .neither: .different
                }
        }
    }

    /// If the spread stays as it is, and of pairs only: the two sides of Welch's test have a spread each.
    private var replicationsLacking: Int? {
        guard let pairs, let halfWidth, let change, let difference else { return nil }
        let needed =
            hasSpread
            ? MeanEstimate.replications(
                toNarrow: halfWidth, of: pairs, to: change.magnitude,
                confidence: difference.confidence)
            : ExactTest.fewestPairs(confidence: difference.confidence)
        return needed.map { max(1, $0 - pairs) }
    }
}
