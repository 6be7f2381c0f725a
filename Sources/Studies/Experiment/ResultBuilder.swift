import Decoding
import EventSimulation
package import FleetModel
import Foundation
import RunMetrics
import Scenarios
import Statistics
import URLFilter

/// Sums up the records of one point.
package struct ResultBuilder {
    let preparation: Preparation
    let warmUp: WarmUpChoice
    let records: [ReplicationRecord]
    let metrics: [ReplicationMetrics]
    /// Verdict latencies of all replications.
    let latencies: LatencyHistogram

    package init(_ preparation: Preparation, warmUp: WarmUpChoice, records: [ReplicationRecord]) {
        self.preparation = preparation
        self.warmUp = warmUp
        self.records = records
        let devices = preparation.configuration.deviceCount
        metrics = records.map { ReplicationMetrics($0, deviceCount: devices) }
        latencies = records.reduce(into: LatencyHistogram()) { $0.merge($1.verdictLatency) }
    }

    package func result(finished: Bool) -> RunResult {
        let scenario = preparation.scenario
        return RunResult(
            finished: finished,
            scenario: .init(
                name: scenario.name, seed: scenario.seed,
                architecture: scenario.architecture, fidelity: scenario.fidelity,
                devices: preparation.configuration.deviceCount,
                duration: preparation.configuration.duration.seconds, warmUp: warmUp.length.seconds,
                warmUpMethod: warmUp.method, drain: scenario.drain.seconds,
                failurePolicy: scenario.filter.policy == .failClosed ? "fail closed" : "fail open",
                varied: preparation.varied, heldFixed: preparation.heldFixed,
                week: preparation.plannedVisits.week,
                settings: scenario.settings),
            blocklist: preparation.blocklistSummary, traces: preparation.traceSummaries,
            filter: preparation.inputs.prefilter.summary,
            profile: preparation.profileSummary, modelled: preparation.modelled,
            points: records.isEmpty ? [] : [point()])
    }

    private func point() -> PointResult {
        let plannedVisits = preparation.plannedVisits.control(records)
        let estimator = MetricEstimator(preparation.scenario, plannedVisits: plannedVisits)
        let tails = thinTails()
        var correlated: [String] = []
        let results = asked.filter { metric in !tails.contains { $0.isOf(metric) } }
            .compactMap { estimate($0, estimator, &correlated) }
        let objectives = preparation.scenario.objectives.map { objective in
            ObjectiveResult(
                objective, results.first { $0.isOf(objective.metric) },
                tail: tails.first { $0.isOf(objective.metric) }, replications: records.count,
                repeatsWorkload: preparation.scenario.repeatsWorkload,
                confidence: preparation.scenario.replications.confidence)
        }
        let checks = IdentityChecks(records)
        let controls = plannedVisits.map {
            [
                ControlResult(
                    name: PlannedVisits.name, expectation: $0.expectation, perReplication: $0.samples)
            ]
        }
        let regions = regions { estimate($0, estimator, &correlated) }
        return PointResult(
            settings: [:], replications: records.count,
            fingerprints: records.map { String(format: "%016lx", $0.fingerprint) },
            events: records.reduce(0) { $0 + $1.eventCount }, metrics: results,
            thinTails: tails, counts: totals(), harms: harms(results),
            busiestSecond: busiestSecond(),
            controls: controls ?? [], recoveries: recoveries(),
            freshness: freshness(), regions: regions,
            disclosures: disclosures(), privacy: privacy(), analytic: analytic(results, regions ?? []),
            identities: checks.results,
            objectives: objectives,
            warnings: checks.warnings + warnings(objectives, results, tails: tails, correlated: correlated),
            latencyCurve: latencyCurve(), series: seriesResult(),
            arrivals: ArrivalResult(records, preparation.configuration, warmUp: warmUp.length))
    }

    /// Metrics of a result: those of all devices, and those of a group that an objective names.
    var asked: [Metric] {
        Metric.all + preparation.scenario.objectives.map(\.metric).filter { $0.group != nil }.uniqued()
    }

    /// Devices that a metric is about.
    private func devices(of metric: Metric) -> Int {
        preparation.configuration.groups.reduce(0) {
            $0 + (metric.group == nil || metric.group == $1.name ? $1.count : 0)
        }
    }

    /// - Parameter correlated: Gets the names of metrics whose batches remember each other.
    private func estimate(
        _ metric: Metric, _ estimator: MetricEstimator, _ correlated: inout [String]
    ) -> MetricResult? {
        guard var estimate = estimator.estimate(metric, over: metrics) else { return nil }
        if records.count == 1, estimate.bounds == nil, estimate.method != .exact,
            let batches = estimator.batches(
                metric, value: estimate.value, of: observedSeries(),
                perDay: .hours(24) / preparation.configuration.seriesInterval)
        {
            estimate = batches.estimate
            if batches.areCorrelated { correlated.append(metric.words) }
        }
        let pooled = pooled(metric).flatMap { pooled in
            estimate.bounds.map { !$0.contains(pooled) } == true || isRankedRoughly(metric) ? pooled : nil
        }
        let observed = (preparation.configuration.duration - warmUp.length).seconds
        let isNumber = metric.countsEvents || metric == .prefilterTraffic
        let cut = records.count(where: metric.isCut)
        return MetricResult(
            metric, value: estimate.value, cut: cut > 0 ? cut : nil,
            interval: estimate.bounds.map {
                Interval(
                    low: $0.lowerBound, high: $0.upperBound,
                    confidence: preparation.scenario.replications.confidence, method: estimate.words)
            },
            method: estimate.method, samples: estimate.samples, unseen: estimate.unseen,
            otherSeeds: metric == .hits && estimate.method == .exact ? otherSeeds() : nil, pooled: pooled,
            extrapolatedFrom: metric.extrapolated(from: observed),
            perThousandDeviceDays: isNumber
                ? DeviceDayRate(
                    estimate.value, estimate.bounds, of: devices(of: metric), in: observed)
                : nil,
            varianceReduction: estimate.varianceReduction, perReplication: metrics.map { $0[metric] },
            confidence: preparation.scenario.replications.confidence)
    }

    /// Whether so few lookups lie above the rank in a replication that its percentile is too low in the mean: the
    /// highest of 95 is on average the 98.96th percentile, not the 99th.
    private func isRankedRoughly(_ metric: Metric) -> Bool {
        guard let tail = metric.tail, records.count > 1 else { return false }
        return records.map { metric.latencies($0).count }.contains { $0 > 0 && tail.isThin($0) }
    }

    /// Share of a trace's requests that a run may lack.
    private static let missed = 0.005

    /// Share that hits with other hash seeds; `nil` where not every request of the traces was checked.
    private func otherSeeds() -> Interval? {
        let found = try? TraceHits(
            preparation.scenario, index: preparation.inputs.list.index,
            chance: preparation.inputs.prefilter.summary.predictedStringRate,
            summaries: preparation.traceSummaries)
        // A request at the very end of the run is not checked any more.
        guard let found, let record = records.first,
            abs(Double(record.urls.checked) - found.requests) <= Self.missed * found.requests
        else { return nil }
        return Interval(
            low: found.shares.bounds.lowerBound, high: found.shares.bounds.upperBound,
            confidence: found.shares.confidence,
            method: "hits of whole strings drawn anew, mean \(found.shares.mean)")
    }

    /// - Returns: `nil` where regions have no names.
    private func regions(_ estimate: (Metric) -> MetricResult?) -> [RegionResult]? {
        let names = preparation.configuration.services.regions.compactMap(\.name)
        guard !names.isEmpty else { return nil }
        return names.map { name in
            RegionResult(name: name, metrics: RegionMetrics(name).all.compactMap(estimate))
        }
    }

    /// How long the faults of the scenario were felt.
    private func recoveries() -> [RecoveryResult] {
        let configuration = preparation.configuration
        let confidence = preparation.scenario.replications.confidence
        return configuration.faults.enumerated().map { index, fault in
            let found = records.compactMap {
                $0.recoveries.indices.contains(index) ? $0.recoveries[index] : nil
            }
            let samples = found.map(\.seconds)
            return RecoveryResult(
                fault: "\(fault)", begin: fault.begin.seconds, end: fault.end.seconds,
                failureShare: configuration.health.failureShare,
                windowSeconds: configuration.health.window.seconds,
                value: samples.mean ?? 0,
                interval: Interval(samples, in: .amount, confidence: confidence),
                perReplication: samples, censored: found.count(where: \.isCensored))
        }
    }

    /// The intervals of the first replication between warm-up and end.
    func observedSeries() -> ArraySlice<FleetSeries.Point> {
        guard let series = records.first?.series else { return [] }
        let first = Int(saturating: (warmUp.length / series.interval).rounded(.up))
        let end = min(Int(preparation.configuration.duration / series.interval), series.points.count)
        return first < end ? series.points[first..<end] : []
    }

    private func totals() -> Totals {
        var totals = Totals()
        for record in records {
            let urls = record.urls
            totals.urlsChecked += urls.checked
            totals.urlsUnparseable += urls.unparseable
            totals.stringsTested += urls.strings
            totals.urlsHit += urls.hit
            totals.urlsListed += urls.listed
            for (name, count) in [
                ("allowedByPrefilter", urls.allowedByPrefilter), ("allowedByServer", urls.allowedByServer),
                ("blockedByServer", urls.blockedByServer), ("allowedByPolicy", urls.allowedByPolicy),
                ("blockedByPolicy", urls.blockedByPolicy),
            ] { totals.verdicts[name, default: 0] += count }
            if let count = urls.blockedByDevice { totals.verdicts["blockedByDevice", default: 0] += count }
            if let notAsked = urls.notAsked { totals.verdicts["notAsked", default: 0] += notAsked.count }
            totals.answeredByCache += urls.answeredByCache
            for (cause, count) in urls.policyCauses {
                totals.policyCauses[cause, default: 0] += count
            }
            totals.leaked += urls.leaked
            totals.falselyBlocked += urls.falselyBlocked
            totals.unfinished += urls.unfinished
            totals.lookupsSent += record.urlFilter.lookups.sent
            totals.lookupsAnswered += record.urlFilter.lookups.answered
            totals.lookupsAnsweredLate += record.urlFilter.lookups.late
            totals.lookupsCoalesced += record.urlFilter.lookups.coalesced
            totals.lookupsUnfinished += record.urlFilter.lookups.unfinished
            for (cause, count) in record.urlFilter.lookups.failed {
                totals.lookupFailures[cause, default: 0] += count
            }
            if preparation.scenario.fidelity == .real {
                totals.realLookupsChecked += record.urlFilter.lookups.checkedAgainstList
                totals.realLookupDisagreements += record.urlFilter.lookups.disagreements
            }
        }
        return totals
    }
}

extension PlannedVisits {
    /// Planned visits as a control variate of these replications.
    func control(_ records: [ReplicationRecord]) -> ControlledMean.Control? {
        let samples = records.compactMap { count(replication: $0.replication) }
        guard !samples.isEmpty, samples.count == records.count else { return nil }
        return ControlledMean.Control(samples: samples, expectation: expectation)
    }
}
