import EventSimulation
import FleetModel
import Foundation
import Statistics

extension ResultBuilder {
    /// What a reader should distrust, and what the run could not do.
    ///
    /// - Parameter correlated: Metrics whose batches remember each other.
    func warnings(
        _ objectives: [ObjectiveResult], _ results: [MetricResult], correlated: [String]
    ) -> [PointResult.Warning] {
        var warnings: [PointResult.Warning] = []
        func warn(_ code: String, _ message: String) { warnings.append(.init(code: code, message: message)) }
        if records.count == 1 {
            let batched = results.count { $0.method == .batchMeans }
            warn(
                "replications.one",
                batched == 0
                    ? "one replication shows no spread: the numbers have no interval; raise replications.min"
                    : "one replication: only \(batched) metrics have an interval, from batches of its time"
                        + " series; raise replications.min")
        }
        if !correlated.isEmpty {
            warn(
                "batches.correlated",
                "successive batches of \(correlated.joined(separator: ", ")) resemble each other: the intervals"
                    + " are too narrow; raise replications.min or the duration")
        }
        for name in correlatedReplications(results) {
            warn(
                "replications.correlated",
                "successive replications resemble each other in \(name) beyond chance: its interval is too narrow"
            )
        }
        if warmUp.method.hasPrefix("none") {
            warn("warmUp.notFound", "no warm-up was removed: \(warmUp.method)")
        }
        if let trend = trendAfterWarmUp() { warn("warmUp.trend", trend) }
        let plan = preparation.scenario.replications
        var rule = StoppingRule(plan, expectedVisits: preparation.plannedVisits.expectation)
        for (replication, record) in zip(metrics, records) {
            rule.add(
                replication,
                plannedVisits: preparation.plannedVisits.count(replication: record.replication))
        }
        if plan.precision != nil, !rule.isPrecise, records.count == plan.maximum {
            warn(
                "precision.notReached",
                "after \(plan.maximum) replications the intervals are still wider than replications.precision"
            )
        }
        let unhealed = records.count { $0.recoveries.contains(where: \.isCensored) }
        if unhealed > 0 {
            warn(
                "recovery.censored",
                "in \(unhealed) of \(records.count) replications the fleet was not healthy before the next fault or"
                    + " the end of the run: the seconds until it is are at least those shown; lengthen duration"
            )
        }
        let slow = records.count { record in
            record.freshness.map { $0.seconds(untilShare: 0.99) { min($0.blocks, $0.allows) } == nil }
                ?? false
        }
        if slow > 0 {
            warn(
                "freshness.censored",
                "in \(slow) of \(records.count) replications fewer than 99 % of the devices had followed the update at"
                    + " the end of the run: shares that were not reached count with the time watched; lengthen"
                    + " duration")
        }
        if let warning = memoryWarning() { warn("memory.short", warning) }
        for objective in objectives where objective.observed == nil {
            warn(
                "objective.noSample",
                "'\(objective.expression)' was not tested: no replication has a value for it")
        }
        return warnings
    }

    /// Before memory runs out, and when it has.
    private func memoryWarning() -> String? {
        let bounds = preparation.configuration.services.pirByRegion.compactMap(\.memory)
        guard let bound = bounds.min(),
            let peak = records.compactMap(\.memory?.peakBytes).max(), Double(peak) >= 0.9 * Double(bound)
        else { return nil }
        let evictions = records.reduce(0) { $0 + ($1.memory?.evictions ?? 0) }
        let share = Int((100 * Double(peak) / Double(bound)).rounded())
        return "a PIR server used \(share) % of services.pir.memory"
            + (evictions > 0 ? "; evaluation keys made room for others \(evictions) times" : "")
            + "; raise memory, add instances with balancing: stickyByUser, or take fewer devices per server"
    }

    /// Replications are independent by construction; a likeness of neighbours that chance makes once in
    /// ten thousand such tests is worth a look.
    private func correlatedReplications(_ results: [MetricResult]) -> [String] {
        StoppingRule.watched.compactMap { metric in
            guard let result = results.first(where: { $0.isOf(metric) }) else { return nil }
            let test = VonNeumannTest(series: result.perReplication.compactMap(\.self))
            guard let test, test.pValue < 1e-4 else { return nil }
            return metric.words
        }
    }

    /// Does MSER-5 want to delete more, in most replications? Asked only where a warm-up was removed:
    /// without one the start is part of the question.
    private func trendAfterWarmUp() -> String? {
        guard warmUp.length > .zero else { return nil }
        let count = Int(preparation.configuration.duration / preparation.configuration.seriesInterval)
        let first = Int((warmUp.length / preparation.configuration.seriesInterval).rounded(.up))
        var unsettled = 0
        for record in records {
            let latencies = record.series.meanLatencies(count: count).dropFirst(first)
            guard latencies.count >= WarmUp.minimumSampleCount else { return nil }
            let truncation = try? WarmUp.mser5(Array(latencies))
            if truncation.map({ 4 * $0 > latencies.count }) ?? true { unsettled += 1 }
        }
        guard 2 * unsettled > records.count else { return nil }
        return
            "\(unsettled) of \(records.count) replications still show a trend in the verdict latency after the"
            + " warm-up; lengthen warmUp, or the load changes by design"
    }
}

extension FleetSeries {
    /// Mean verdict latency per interval, seconds; an interval without a verdict repeats the one before it.
    ///
    /// - Parameter count: Intervals looked at; the drain after the end is no part of the observation.
    func meanLatencies(count: Int) -> [Double] {
        var last = 0.0
        return points.prefix(count).map { point in
            if point.decided > 0 { last = point.latencySum / Double(point.decided) }
            return last
        }
    }
}
