import Decoding
import Foundation
package import RunMetrics
package import Scenarios
import Statistics

/// Whether the replications meet an objective, as far as they can tell.
package struct ObjectiveResult: Codable, Equatable, Sendable {
    package enum Verdict: String, Codable, Sendable {
        /// The whole interval meets the limit.
        case pass
        /// The whole interval misses it.
        case fail
        /// The interval contains the limit, or there is none.
        case cannotTell = "cannot tell"
    }

    package var expression: String
    package var metric: String
    package var statistic: String
    package var unit: Metric.Unit
    /// Limit in the unit, like `observed`.
    package var limit: Double
    /// The metric's value; absent when no replication has one, and then nobody can tell.
    package var observed: Double?
    /// Replications that ended before the value was reached, so that it is at least what was observed. Absent without
    /// any.
    package var cut: Int?
    package var interval: Interval?
    package var verdict: Verdict
    /// Further replications, about so many, that would decide a verdict that stayed open. Absent where nobody
    /// knows, or where no number of them is enough.
    package var moreReplications: Int?
    /// Replications whose own value meets the limit, of those that have one: the verdict is about the mean over them.
    /// Absent for a single replication, and where all repeat the same loads.
    package var met: ReplicationsMet?
    /// The verdict is ``Verdict/pass``.
    package var passed: Bool

    package func isOn(_ other: Metric) -> Bool { metric == other.name && statistic == other.statistic }
}

/// How many replications meet an objective by themselves.
package struct ReplicationsMet: Codable, Equatable, Sendable {
    package var count: Int
    package var of: Int
    /// The share of all replications that do, exact (Clopper and Pearson).
    package var interval: Interval

    package var missedShare: Double { Double(of - count) / Double(of) }
}

extension ReplicationsMet {
    /// - Returns: `nil` for fewer than two values.
    fileprivate init?(_ values: [Double], of objective: Objective, confidence: Double) {
        let met = values.count { objective.relation.holds($0, objective.limit) }
        guard values.count > 1,
            let share = ProportionEstimate(successes: met, trials: values.count, confidence: confidence)
        else { return nil }
        self.init(
            count: met, of: values.count,
            interval: Interval(
                low: share.bounds.lowerBound, high: share.bounds.upperBound, confidence: confidence,
                method: "Clopper-Pearson over \(values.count) replications"))
    }
}

extension ObjectiveResult {
    /// - Parameters:
    ///   - found: The metric over the replications; `nil` when none has a value.
    ///   - tail: Why a percentile is no metric of the result.
    ///   - replications: Of the point.
    ///   - repeatsWorkload: All replications have the same loads, so that more of them see nothing rarer.
    package init(
        _ objective: Objective, _ found: MetricResult?, tail: ThinTail? = nil, replications: Int,
        repeatsWorkload: Bool = false, confidence: Double
    ) {
        let judge = Judge(
            objective: objective, found: found, tail: tail, replications: replications,
            repeatsWorkload: repeatsWorkload, confidence: confidence)
        let verdict = judge.verdict
        self.init(
            expression: objective.expression, metric: objective.metric.name,
            statistic: objective.metric.statistic, unit: objective.metric.unit, limit: objective.limit,
            observed: found?.value, cut: found?.cut, interval: found?.interval, verdict: verdict,
            moreReplications: verdict == .cannotTell ? judge.moreReplications : nil,
            met: repeatsWorkload
                ? nil
                : ReplicationsMet(
                    found?.perReplication.compactMap(\.self) ?? [], of: objective, confidence: confidence),
            passed: verdict == .pass)
    }

    /// The verdict as the first word of an answer.
    package var words: String {
        switch verdict {
        case .pass: "pass"
        case .fail: "FAIL"
        case .cannotTell: "cannot tell"
        }
    }
}

/// Holds an interval against a limit.
private struct Judge {
    let objective: Objective
    let found: MetricResult?
    let tail: ThinTail?
    let replications: Int
    let repeatsWorkload: Bool
    let confidence: Double

    var verdict: ObjectiveResult.Verdict {
        guard let found else { return .cannotTell }
        let byInterval = verdict(by: found)
        guard found.cut != nil else { return byInterval }
        // The value may be any larger one: only what holds for all of these is known.
        return byInterval == (holds(.infinity) ? .pass : .fail) ? byInterval : .cannotTell
    }

    private func verdict(by found: MetricResult) -> ObjectiveResult.Verdict {
        let byValue: ObjectiveResult.Verdict = holds(found.value) ? .pass : .fail
        // No interval lies within a single value, so what must be equal is judged by what was seen.
        if objective.relation == .equal { return byValue }
        if let interval = found.interval {
            let ends = [interval.low, found.value, interval.high].map(holds)
            return ends.allSatisfy(\.self) ? .pass : ends.contains(true) ? .cannotTell : .fail
        }
        switch found.method {
        case .impossible, .exact: return byValue
        case .noSpread: return found.samples >= fewestAgreeing ? byValue : .cannotTell
        // What was seen once is exceeded; what was never seen may be in the next replication.
        case .largest: return byValue == .fail || found.samples >= fewestAgreeing ? byValue : .cannotTell
        default: return .cannotTell
        }
    }

    /// Replications that would settle a verdict which stayed open.
    var moreReplications: Int? {
        guard let found else {
            return tail.flatMap { tail in
                tail.observations > 0 ? more(Double(tail.needed) / Double(tail.observations)) : nil
            }
        }
        // None of them lasts longer.
        guard found.cut == nil else { return nil }
        guard let interval = found.interval else {
            return [.noSpread, .largest].contains(found.method) ? fewestAgreeing - found.samples : 1
        }
        let distance = (found.value - objective.limit).magnitude
        let halfWidth =
            objective.limit > found.value ? interval.high - found.value : found.value - interval.low
        guard distance > 0, halfWidth > 0 else { return nil }
        switch found.method {
        case .clopperPearson, .poisson:
            // The bound of what was never seen falls with the number of trials.
            return repeatsWorkload ? nil : more(halfWidth / distance)
        case .batchMeans: return more(halfWidth * halfWidth / (distance * distance))
        default:
            let needed = MeanEstimate.replications(
                toNarrow: halfWidth, of: max(2, replications), to: distance, confidence: confidence)
            return needed.map { max(1, $0 - replications) }
        }
    }

    /// Replications that agree in their value before that is more than chance.
    private var fewestAgreeing: Int { ExactTest.fewestPairs(confidence: confidence) }

    private func holds(_ value: Double) -> Bool { objective.relation.holds(value, objective.limit) }

    private func more(_ factor: Double) -> Int {
        max(1, Int(saturating: (Double(replications) * min(factor, 1e9)).rounded(.up)) - replications)
    }
}
