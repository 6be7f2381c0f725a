import FleetModel
import Foundation
import RunMetrics
import Scenarios
import Statistics
import URLFilter

/// Maker of an estimate with its interval, of one number per replication.
///
/// Which method a metric gets depends on the metric and on the number of replications, not on the numbers, or it is the
/// wider of two: choosing the narrower would make it too narrow. No interval leaves the values that the metric can
/// have, and where all replications agree there is none: that says nothing of the next one.
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
        var unseen: UnseenReplications?
        var varianceReduction: Double?

        /// Half width over size; `nil` when that says nothing.
        var relativePrecision: Double? {
            // There is nothing to make more precise.
            if [.noSpread, .impossible, .exact, .largest].contains(method) { return 0 }
            guard let bounds, value != 0 else { return nil }
            return (bounds.upperBound - bounds.lowerBound) / 2 / value.magnitude
        }
    }

    private let plan: ReplicationPlan
    /// Visits planned in each replication, and their expectation; `nil` when nothing browses by a profile.
    private let plannedVisits: ControlledMean.Control?
    /// Devices replay a trace, the same one in every replication.
    private let repeatsWorkload: Bool
    private let followsTheDay: Bool
    /// Metrics that are 0 whatever chance brings.
    private let impossible: Set<Metric>
    /// Metrics that list, hash seed and traces decide, with nothing left to chance.
    private let decided: Set<Metric>

    /// Replications below which no control is used: its degree of freedom costs too much.
    static let minimumForControl = 10

    init(_ scenario: Scenario, plannedVisits: ControlledMean.Control?) {
        plan = scenario.replications
        self.plannedVisits = plannedVisits
        repeatsWorkload = scenario.repeatsWorkload
        followsTheDay = scenario.followsTheDay
        impossible = Metric.impossible(in: scenario)
        decided = scenario.decidesHits ? [.hits, .listedURLs] : []
    }

    /// - Returns: `nil` when no replication has a value.
    func estimate(_ metric: Metric, over replications: [ReplicationMetrics]) -> Estimate? {
        let perReplication = replications.map { $0[metric] }
        let samples = perReplication.compactMap(\.self)
        guard !samples.isEmpty else { return nil }
        let isUnseen = samples.allSatisfy { $0 == 0 }
        if isUnseen, impossible.contains(metric.ofAllDevices) {
            return Estimate(
                value: 0, bounds: nil, method: .impossible, samples: samples.count, words: "cannot happen")
        }
        if metric.isLargest, let largest = samples.max() {
            return Estimate(
                value: largest, bounds: nil, method: .largest, samples: samples.count,
                words: "the largest of \(samples.count) replications")
        }
        if decided.contains(metric), Set(samples).count == 1 {
            return Estimate(
                value: samples[0], bounds: nil, method: .exact, samples: samples.count,
                words: "exact for this list, this hash seed and these traces")
        }
        if repeatsWorkload { return repeated(metric, samples, isUnseen: isUnseen) }
        if let controlled = controlled(metric, perReplication: perReplication, samples: samples) {
            return controlled
        }
        let trials = replications.compactMap { $0.trials(metric) }
        if trials.count == samples.count {
            if let share = share(samples, of: trials, isUnseen: isUnseen) { return share }
        } else if metric.countsEvents, let count = count(samples, isUnseen: isUnseen) {
            return count
        }
        return amount(metric, samples)
    }

    private func share(_ samples: [Double], of trials: [Int], isUnseen: Bool) -> Estimate? {
        let share = ReplicatedShare(
            samples, of: trials, independentCount: samples.count, confidence: plan.confidence)
        guard let share else { return nil }
        let trialWords = "\(share.trials) independent trials"
        return isUnseen
            ? Estimate(
                value: 0, bounds: share.bounds, method: .clopperPearson, samples: share.trials,
                words: "Clopper-Pearson, none of \(trialWords), given a good replication",
                unseen: unseen(samples))
            : Estimate(
                value: share.mean,
                bounds: widened(share.bounds, around: share.mean, samples.count, in: .share),
                method: .replicatedShare, samples: samples.count,
                words:
                    "widest of Student's t and skewed intervals over \(samples.count) replications and"
                    + " Clopper-Pearson over \(trialWords)" + widenedWords(samples.count))
    }

    private func count(_ samples: [Double], isUnseen: Bool) -> Estimate? {
        let count = ReplicatedCount(samples, independentCount: samples.count, confidence: plan.confidence)
        guard let count else { return nil }
        let places = "\(samples.count) independent replication" + (samples.count == 1 ? "" : "s")
        return isUnseen
            ? Estimate(
                value: 0, bounds: count.bounds, method: .poisson, samples: samples.count,
                words: "Poisson, none seen in \(places)", unseen: unseen(samples))
            : Estimate(
                value: count.mean,
                bounds: widened(count.bounds, around: count.mean, samples.count, in: .count),
                method: .replicatedCount, samples: samples.count,
                words:
                    "widest of Student's t and skewed intervals over \(samples.count) replications and Garwood's over"
                    + " \(places)"
                    + widenedWords(samples.count))
    }

    /// Requests of the same traces are no trials: only what differs from replication to replication is chance.
    private func repeated(_ metric: Metric, _ samples: [Double], isUnseen: Bool) -> Estimate? {
        guard var estimate = amount(metric, samples) else { return nil }
        if let bounds = estimate.bounds, metric.trialsOrEvents,
            let skewed = SkewedMean(samples, confidence: plan.confidence).map({
                widened($0.bounds, around: estimate.value, samples.count, in: metric.support)
            })
        {
            estimate.bounds =
                min(bounds.lowerBound, skewed.lowerBound)...max(bounds.upperBound, skewed.upperBound)
            estimate.words =
                "widest of Student's t and skewed intervals over \(samples.count) replications"
                + widenedWords(samples.count)
        }
        if isUnseen, samples.count > 1, metric.trialsOrEvents {
            estimate.unseen = UnseenReplications(samples.count, confidence: plan.confidence)
        }
        return estimate
    }

    private func amount(_ metric: Metric, _ samples: [Double]) -> Estimate? {
        guard let student = MeanEstimate(replicationMeans: samples, confidence: plan.confidence) else {
            return Estimate(
                value: samples[0], bounds: nil, method: .noInterval, samples: samples.count,
                words: "one replication")
        }
        guard MeanEstimate.haveSpread(samples, quantum: metric.quantum(at: student.mean)) else {
            return Estimate(
                value: student.mean, bounds: nil, method: .noSpread, samples: samples.count,
                words: "the same in \(samples.count) replications")
        }
        return Estimate(
            value: student.mean,
            bounds: widened(student.bounds, around: student.mean, samples.count, in: metric.support),
            method: .student, samples: samples.count,
            words: "Student's t over \(samples.count) replications" + widenedWords(samples.count))
    }

    private func controlled(
        _ metric: Metric, perReplication: [Double?], samples: [Double]
    ) -> Estimate? {
        guard let plannedVisits, metric.followsVisits,
            samples.count >= Self.minimumForControl, samples.count == perReplication.count,
            let mean = ControlledMean(
                samples: samples, controls: [plannedVisits], confidence: plan.confidence)
        else { return nil }
        // The correction may leave the range of the values by a rounding.
        let value = max(0, mean.estimate.mean)
        return Estimate(
            value: value,
            bounds: widened(
                mean.estimate.bounds, around: mean.estimate.mean, samples.count, in: metric.support),
            method: .controlVariates, samples: samples.count,
            words: "Student's t over \(samples.count) replications, controlled by \(PlannedVisits.name)"
                + widenedWords(samples.count),
            varianceReduction: mean.varianceReduction)
    }

    /// `nil` for a single one, which says nothing of others.
    private func unseen(_ samples: [Double]) -> UnseenReplications? {
        samples.count > 1 ? UnseenReplications(samples.count, confidence: plan.confidence) : nil
    }

    private func widened(
        _ bounds: ClosedRange<Double>, around mean: Double, _ count: Int, in support: Metric.Support
    ) -> ClosedRange<Double> {
        let factor = widening(count)
        let low = mean - factor * (mean - bounds.lowerBound)
        return support.clip(low...max(low, mean + factor * (bounds.upperBound - mean)))
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

extension Metric {
    /// A share of trials or a number of events, which may be skewed.
    fileprivate var trialsOrEvents: Bool { countsEvents || support == .share }

    /// Metrics that a scenario rules out.
    fileprivate static func impossible(in scenario: Scenario) -> Set<Metric> {
        if let mechanism = scenario.mechanism?.configuration {
            // What is in nobody's way.
            let isInTheWay = mechanism.question != nil || mechanism.path.addsTime || mechanism.servers != nil
            return isInTheWay ? [] : [50, 95, 99].reduce(into: []) { $0.insert(pageTime(percentile: $1)) }
        }
        return switch scenario.filter.policy {
        case .failClosed: [.allowedByPolicy]
        // A server that knows the list blocks nothing else, unless the list has changed since.
        case .failOpen where !scenario.prefilter.updates.changesEntries:
            [.blockedByPolicy, .falselyBlocked, .falselyBlockedShare, .falselyBlockedOutsideFaults]
        case .failOpen: [.blockedByPolicy]
        }
    }
}

extension MetricEstimator {
    /// The interval of a single replication, from batches of its time series: whole days if the load follows the hours,
    /// since mornings and nights are no samples of the same.
    ///
    /// - Parameter perDay: Intervals of the series in a day.
    /// - Returns: `nil` for metrics that have no series, when the observed part has fewer than 20 intervals, and fewer
    ///   than two days of a load that follows them.
    func batches(
        _ metric: Metric, value: Double, of points: ArraySlice<FleetSeries.Point>, perDay: Double
    ) -> (estimate: Estimate, areCorrelated: Bool)? {
        guard let series = metric.series else { return nil }
        if followsTheDay {
            return days(metric, series, value: value, of: points, perDay: perDay).map { ($0, false) }
        }
        let batches = BatchRatio(
            numerators: points.map(series.numerator), denominators: points.map(series.denominator),
            confidence: plan.confidence)
        guard let batches, batches.estimate.ratio > 0 else { return nil }
        // The series counts by the time of the event, the metric by that of the request: nearly the same.
        let halfWidth = batches.estimate.halfWidth / batches.estimate.ratio * value.magnitude
        return (
            Estimate(
                value: value, bounds: metric.support.clip((value - halfWidth)...(value + halfWidth)),
                method: .batchMeans,
                samples: batches.batchCount,
                words: "Student's t over \(batches.batchCount) batches of one replication"),
            batches.batchesAreCorrelated
        )
    }

    private func days(
        _ metric: Metric, _ series: Metric.Series, value: Double, of points: ArraySlice<FleetSeries.Point>,
        perDay: Double
    ) -> Estimate? {
        guard let length = Int(exactly: perDay), length > 0 else { return nil }
        let starts = stride(from: points.startIndex, through: points.endIndex - length, by: length)
        func totals(_ part: (FleetSeries.Point) -> Double) -> [Double] {
            starts.map { points[$0..<($0 + length)].reduce(0) { $0 + part($1) } }
        }
        let ratio = RatioEstimate(
            numerators: totals(series.numerator), denominators: totals(series.denominator),
            confidence: plan.confidence)
        guard let ratio, ratio.ratio > 0, ratio.halfWidth > 0 else { return nil }
        let halfWidth = ratio.halfWidth / ratio.ratio * value.magnitude
        return Estimate(
            value: value, bounds: metric.support.clip((value - halfWidth)...(value + halfWidth)),
            method: .batchMeans, samples: ratio.sampleCount,
            words: "Student's t over \(ratio.sampleCount) days of one replication")
    }
}
