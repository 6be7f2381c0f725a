import FleetModel
import Foundation
import Statistics

/// From one number per replication to an estimate with its interval.
///
/// Which method a metric gets depends on the metric and on the number of replications, never on the numbers:
/// choosing the narrower of two intervals would make it too narrow.
struct MetricEstimator {
    struct Estimate {
        var value: Double
        /// `nil` when the spread cannot be told.
        var bounds: ClosedRange<Double>?
        var method: MetricResult.Method
        /// Replications or batches behind the interval.
        var samples: Int
        /// The interval's method in words.
        var words: String
        var varianceReduction: Double?

        /// Half width over size; `nil` when that says nothing.
        var relativePrecision: Double? {
            guard let bounds else { return nil }
            let halfWidth = (bounds.upperBound - bounds.lowerBound) / 2
            if halfWidth == 0 { return 0 }
            return value == 0 ? nil : halfWidth / value.magnitude
        }
    }

    let plan: ReplicationPlan
    /// Visits planned in each replication, and their expectation; `nil` when nothing browses by a profile.
    let plannedVisits: ControlledMean.Control?

    /// Replications below which no control is used: its degree of freedom costs too much.
    static let minimumForControl = 10

    /// - Parameters:
    ///   - perReplication: `nil` for a replication that has no value.
    ///   - trials: What the metric is a share of, over all replications; `nil` for other metrics.
    func estimate(_ metric: Metric, perReplication: [Double?], trials: Int? = nil) -> Estimate? {
        let samples = perReplication.compactMap(\.self)
        guard !samples.isEmpty else { return nil }
        let mean = samples.reduce(0, +) / Double(samples.count)
        if let rare = unseen(metric, samples: samples, trials: trials) { return rare }
        guard let student = MeanEstimate(replicationMeans: samples, confidence: plan.confidence) else {
            return Estimate(
                value: mean, bounds: nil, method: .noInterval, samples: samples.count,
                words: "one replication")
        }
        let words = "Student's t over \(samples.count) replications"
        if let controlled = controlled(metric, perReplication: perReplication, samples: samples) {
            let widened = controlled.estimate.widened(by: widening(samples.count))
            return Estimate(
                value: widened.mean, bounds: widened.bounds, method: .controlVariates, samples: samples.count,
                words: words + ", controlled by \(PlannedVisits.name)" + widenedWords(samples.count),
                varianceReduction: controlled.varianceReduction)
        }
        let widened = student.widened(by: widening(samples.count))
        return Estimate(
            value: student.mean, bounds: widened.bounds, method: .student, samples: samples.count,
            words: words + widenedWords(samples.count))
    }

    private func controlled(
        _ metric: Metric, perReplication: [Double?], samples: [Double]
    ) -> ControlledMean? {
        guard let plannedVisits, metric.growsWithTraffic,
            samples.count >= Self.minimumForControl, samples.count == perReplication.count
        else { return nil }
        return ControlledMean(samples: samples, controls: [plannedVisits], confidence: plan.confidence)
    }

    /// An interval for what was never seen: with all replications at 0, Student's would have no width.
    private func unseen(_ metric: Metric, samples: [Double], trials: Int?) -> Estimate? {
        guard samples.allSatisfy({ $0 == 0 }) else { return nil }
        if let trials,
            let share = ProportionEstimate(successes: 0, trials: trials, confidence: plan.confidence)
        {
            return Estimate(
                value: 0, bounds: share.bounds, method: .clopperPearson, samples: trials,
                words: "Clopper-Pearson, none of \(trials)")
        }
        guard metric.section == .harms,
            let rate = PoissonRateEstimate(
                eventCount: 0, exposure: Double(samples.count), confidence: plan.confidence)
        else { return nil }
        return Estimate(
            value: 0, bounds: rate.bounds, method: .poisson, samples: samples.count,
            words: "Poisson, none seen in \(samples.count) replications")
    }

    /// Sequential stopping prefers moments when the spread looks small.
    private func widening(_ count: Int) -> Double {
        guard plan.precision != nil, count > max(plan.minimum, 2) else { return 1 }
        return SequentialPrecision.widening(atCount: count)
    }

    private func widenedWords(_ count: Int) -> String {
        let widening = widening(count)
        guard widening > 1 else { return "" }
        return String(format: ", widened by %.1f %% for sequential stopping", 100 * (widening - 1))
    }
}

extension MetricEstimator {
    /// The interval of a single replication, from batches of its time series.
    ///
    /// - Returns: `nil` for metrics that have no series, and when the observed part has fewer than 20 intervals.
    func batches(
        _ metric: Metric, value: Double, of points: ArraySlice<FleetSeries.Point>
    ) -> (estimate: Estimate, areCorrelated: Bool)? {
        guard let series = metric.series else { return nil }
        let batches = BatchRatio(
            numerators: points.map(series.numerator), denominators: points.map(series.denominator),
            confidence: plan.confidence)
        guard let batches, batches.estimate.ratio > 0 else { return nil }
        // The series counts by the time of the event, the metric by that of the request: nearly the same.
        let halfWidth = batches.estimate.halfWidth / batches.estimate.ratio * value.magnitude
        return (
            Estimate(
                value: value, bounds: (value - halfWidth)...(value + halfWidth), method: .batchMeans,
                samples: batches.batchCount,
                words: "Student's t over \(batches.batchCount) batches of one replication"),
            batches.batchesAreCorrelated
        )
    }
}
