import Decoding
import EventSimulation
import FleetModel
import Foundation
import RunMetrics
import Scenarios
import Statistics
import Workload

extension ResultBuilder {
    /// Warns of what a reader should distrust, and of what the run could not do.
    ///
    /// - Parameter correlated: Metrics whose batches remember each other.
    func warnings(
        _ objectives: [ObjectiveResult], _ results: [MetricResult], tails: [ThinTail], correlated: [String]
    ) -> [PointResult.Warning] {
        inputWarnings(results) + traceWarnings() + intervalWarnings(objectives, results, correlated)
            + censoringWarnings() + objectiveWarnings(objectives, tails)
    }

    /// Warnings of list, traces and costs, and of a single replication.
    private func inputWarnings(_ results: [MetricResult]) -> [PointResult.Warning] {
        var warnings: [PointResult.Warning] = []
        func warn(_ code: WarningCode, _ message: String) {
            warnings.append(.init(code: code, message: message))
        }
        if records.count == 1 {
            let batched = results.count { $0.method == .batchMeans }
            warn(
                .replicationsOne,
                batched == 0
                    ? "one replication shows no spread: the numbers have no interval; raise replications.min"
                        + (preparation.scenario.followsTheDay
                            ? " (the load follows the hours, so that only whole days can stand for replications)"
                            : "")
                    : "one replication: only \(batched) metrics have an interval, from batches of its time"
                        + " series; raise replications.min")
        }
        if let profile = preparation.costProfile, profile.isNoisy, let noise = profile.noise {
            let percent = Int(saturating: (100 * noise).rounded())
            warn(
                .costProfileNoisy,
                "the cost profile was measured beside other work: an answer of the PIR server differs by"
                    + " ± \(percent) %; its samples vary in the intervals; measure again on an idle machine"
                    + " ('urlfilter measure')")
        }
        if let excess = preparation.inputs.prefilter.summary.excess { warn(.prefilterSmall, excess) }
        if let life = ConfigurationLife(preparation.scenario), life.goneShare > 0 {
            warn(.configurationGone, life.sentence)
        }
        for sentence in unmatchable() { warn(.blocklistUnmatchable, sentence) }
        return warnings
    }

    /// Warnings of replications that resemble each other, of a trend, and of intervals that are too wide.
    private func intervalWarnings(
        _ objectives: [ObjectiveResult], _ results: [MetricResult], _ correlated: [String]
    ) -> [PointResult.Warning] {
        var warnings: [PointResult.Warning] = []
        func warn(_ code: WarningCode, _ message: String) {
            warnings.append(.init(code: code, message: message))
        }
        if !correlated.isEmpty {
            warn(
                .batchesCorrelated,
                "successive batches of \(correlated.joined(separator: ", ")) resemble each other: the intervals"
                    + " are too narrow; raise replications.min or the duration")
        }
        for name in correlatedReplications(results) {
            warn(
                .replicationsCorrelated,
                "successive replications resemble each other in \(name) beyond chance: its interval is too narrow"
            )
        }
        if warmUp.method.hasPrefix("none") {
            warn(.warmUpNotFound, "no warm-up was removed: \(warmUp.method)")
        }
        if let trend = trendAfterWarmUp() { warn(.warmUpTrend, trend) }
        if let sentence = wideIntervals(objectives) { warn(.precisionNotReached, sentence) }
        return warnings
    }

    /// Warnings of what a run was too short to see the end of, and of what its servers could not bear.
    private func censoringWarnings() -> [PointResult.Warning] {
        var warnings: [PointResult.Warning] = []
        func warn(_ code: WarningCode, _ message: String) {
            warnings.append(.init(code: code, message: message))
        }
        let unhealed = records.count { $0.recoveries.contains(where: \.isCensored) }
        if unhealed > 0 {
            warn(
                .recoveryCensored,
                "in \(unhealed) of \(records.count) replications the fleet was not healthy before the next fault or"
                    + " the end of the run: the seconds until it is are at least those shown; lengthen duration"
            )
        }
        let slow = records.count { record in
            record.urlFilter.freshness.map {
                $0.seconds(untilShare: 0.99) { min($0.blocks, $0.allows) } == nil
            }
                ?? false
        }
        if slow > 0 {
            warn(
                .freshnessCensored,
                "in \(slow) of \(records.count) replications fewer than 99 % of the devices had followed the update at"
                    + " the end of the run: shares that were not reached count with the time watched; lengthen"
                    + " duration")
        }
        if let warning = memoryWarning() { warn(.memoryShort, warning) }
        if let warning = overloadWarning() { warn(.mechanismOverloaded, warning) }
        return warnings
    }

    /// Objectives that no replication has a value for.
    private func objectiveWarnings(
        _ objectives: [ObjectiveResult], _ tails: [ThinTail]
    ) -> [PointResult.Warning] {
        let architecture = preparation.scenario.architecture
        let lack = architecture == .urlFilter ? "" : "; \(architecture.rawValue) may have none"
        return objectives.filter { $0.observed == nil }.map { objective in
            let tail = tails.first { objective.metric == $0.name && objective.statistic == $0.statistic }
            return .init(
                code: .objectiveNoSample,
                message: "'\(objective.expression)' was not tested: "
                    + (tail.map {
                        "\($0.statistic) needs \($0.needed) lookups and there were \($0.observations)"
                    }
                        ?? "no replication has a value for it" + lack))
        }
    }

    /// Sentences on each system that devices of the scenario have and some entries cannot match on.
    private func unmatchable() -> [String] {
        let settings = preparation.scenario.blocklist
        let systems = Set(
            preparation.scenario.devices.flatMap(\.systems).compactMap {
                RulesGeneration($0.matching)?.system
            })
        return preparation.unmatchable.filter { systems.contains($0.rules) }
            .compactMap(\.sentence).map { sentence in
                sentence + "; what they mean is allowed, and counts as leaked;"
                    + " 'urlfilter lint \(settings.file)' says how to mend them"
                    + (settings.policy == .asWritten ? ", blocklist.keys: normalized mends most" : "")
            }
    }

    /// Warnings of each trace, with all devices that replay it.
    private func traceWarnings() -> [PointResult.Warning] {
        preparation.traceSummaries.flatMap { trace -> [PointResult.Warning] in
            var (devices, compression) = (0, 1.0)
            for group in preparation.scenario.devices {
                guard case .trace(let settings) = group.browsing, settings.file == trace.file else {
                    continue
                }
                devices += group.count
                compression = settings.compression
            }
            return TraceWarnings(
                trace, devices: devices,
                seconds: (trace.seconds / compression, preparation.configuration.duration.seconds)
            ).all
        }
    }

    /// Before memory runs out, and when it has.
    private func memoryWarning() -> String? {
        let bounds = preparation.configuration.services.byRegion(.pir).compactMap(\.memory)
        guard let bound = bounds.min(),
            let peak = records.compactMap(\.urlFilter.memory?.peakBytes).max(),
            Double(peak) >= 0.9 * Double(bound)
        else { return nil }
        let evictions = records.reduce(0) { $0 + ($1.urlFilter.memory?.evictions ?? 0) }
        let share = Int(saturating: (100 * Double(peak) / Double(bound)).rounded())
        return "a PIR server used \(share) % of services.pir.memory"
            + (evictions > 0 ? "; evaluation keys made room for others \(evictions) times" : "")
            + "; raise memory, add instances with balancing: stickyByUser, or take fewer devices per server"
    }

    /// Warns of servers of a mechanism that cannot do what arrives.
    private func overloadWarning() -> String? {
        let loads = records.compactMap(\.servers?.peakLoad).filter { $0 > 1 }
        guard let largest = loads.max() else { return nil }
        let architecture = preparation.scenario.architecture.rawValue
        return "in \(loads.count) of \(records.count) replications the busiest interval brings the servers of"
            + " \(architecture) more than they can do, up to \(Int(saturating: (100 * largest).rounded())) %: pages"
            + " wait for the backlog, and who would wait longer than mechanisms.\(architecture).patience gets no"
            + " page; raise mechanisms.\(architecture).instances"
    }

    /// Replications are independent by construction; a likeness of neighbours that chance makes once in
    /// ten thousand such tests is worth a look.
    private func correlatedReplications(_ results: [MetricResult]) -> [String] {
        preparation.scenario.watchedMetrics.compactMap { metric in
            guard let result = results.first(where: { $0.isOf(metric) }) else { return nil }
            let test = VonNeumannTest(series: result.perReplication.compactMap(\.self))
            guard let test, test.pValue < 1e-4 else { return nil }
            return metric.words
        }
    }

    /// Does the latency of the first half differ from that of the second, in most replications and by more than a
    /// reader would overlook? Asked only where a warm-up was removed, since without one the start is part of the
    /// question, and where neither the hours nor a fault change the load, which is no trend.
    ///
    /// MSER-5 is no test for that: in a series without any trend its minimum lies anywhere by chance, so that one run
    /// in two would be warned of.
    private func trendAfterWarmUp() -> String? {
        guard warmUp.length > .zero, !preparation.scenario.followsTheDay,
            preparation.configuration.faults.isEmpty
        else { return nil }
        let count = Int(preparation.configuration.duration / preparation.configuration.seriesInterval)
        let first = Int(saturating: (warmUp.length / preparation.configuration.seriesInterval).rounded(.up))
        var halves: [(early: Double, late: Double)] = []
        for record in records {
            let latencies = record.series.values(of: .latencyMean, in: first..<count).map(\.value)
            guard latencies.count >= WarmUp.minimumSampleCount else { return nil }
            let middle = latencies.count / 2
            guard let early = latencies[..<middle].mean, let late = latencies[middle...].mean else {
                return nil
            }
            halves.append((early, late))
        }
        guard
            let drift = PairedDifference(
                baseline: halves.map(\.early), candidate: halves.map(\.late), confidence: 0.99),
            drift.pValue < 0.01
        else { return nil }
        let share = drift.difference.mean * Double(halves.count) / halves.reduce(0) { $0 + $1.early }
        guard share.magnitude >= 0.05 else { return nil }
        let percent = Int(saturating: (100 * share.magnitude).rounded())
        return
            "after the warm-up the verdict latency still \(share > 0 ? "rises" : "falls"): it is \(percent) %"
            + " \(share > 0 ? "higher" : "lower") in the second half than in the first; lengthen warmUp, or the load"
            + " changes by design"
    }
}

extension FleetSeries {
    /// A metric per interval, where it has a value: a night without a lookup has no latency.
    ///
    /// - Parameter range: Intervals looked at; the drain after the end is no part of the observation.
    func values(of metric: Metric, in range: Range<Int>) -> [(interval: Int, value: Double)] {
        guard let series = metric.series else { return [] }
        return range.clamped(to: points.indices).compactMap { index in
            let denominator = series.denominator(points[index])
            return denominator > 0 ? (index, series.numerator(points[index]) / denominator) : nil
        }
    }
}
