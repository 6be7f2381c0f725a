import EventSimulation
package import FleetModel
import Foundation
import Statistics
import Synchronization
import URLFilter

/// Sums up the records of one point.
package struct ResultBuilder {
    private let preparation: Preparation
    private let records: [ReplicationRecord]
    private let metrics: [ReplicationMetrics]

    package init(_ preparation: Preparation, records: [ReplicationRecord]) {
        self.preparation = preparation
        self.records = records
        let devices = preparation.configuration.deviceCount
        metrics = records.map { ReplicationMetrics($0, deviceCount: devices) }
    }

    package func result(finished: Bool) -> RunResult {
        let scenario = preparation.scenario
        let (warmUp, method) = preparation.resolvedWarmUp.withLock { $0 }
        return RunResult(
            finished: finished,
            scenario: .init(
                name: scenario.name, seed: scenario.seed, fidelity: scenario.fidelity,
                devices: preparation.configuration.deviceCount,
                duration: preparation.configuration.duration.seconds, warmUp: warmUp.seconds,
                warmUpMethod: method, drain: scenario.drain.seconds,
                failurePolicy: scenario.filter.policy == .failClosed ? "fail closed" : "fail open",
                settings: scenario.settings),
            blocklist: preparation.blocklistSummary, traces: preparation.traceSummaries,
            filter: preparation.filterSummary,
            profile: preparation.profileSummary, modelled: preparation.modelled,
            points: records.isEmpty ? [] : [point()])
    }

    private func point() -> PointResult {
        let results = MetricName.all.compactMap(metric)
        let objectives = preparation.scenario.objectives.map { objective($0, results) }
        return PointResult(
            settings: [:], replications: records.count,
            fingerprints: records.map { String(format: "%016lx", $0.fingerprint) },
            events: records.reduce(0) { $0 + $1.eventCount }, metrics: results, counts: totals(),
            analytic: [waitingTime()].compactMap(\.self), objectives: objectives,
            warnings: warnings(objectives))
    }

    private func metric(_ name: MetricName) -> MetricResult? {
        let perReplication = metrics.map { $0.values[name] }
        let samples = perReplication.compactMap(\.self)
        guard !samples.isEmpty else { return nil }
        let confidence = preparation.scenario.replications.confidence
        let estimate = MeanEstimate(replicationMeans: samples, confidence: confidence)
        return MetricResult(
            name: name.name, statistic: name.statistic, unit: name.unit, better: name.better,
            value: estimate?.mean ?? samples.reduce(0, +) / Double(samples.count),
            interval: estimate.map {
                Interval(
                    low: $0.mean - $0.halfWidth, high: $0.mean + $0.halfWidth, confidence: confidence,
                    method: "Student's t over \(samples.count) replications")
            }, perReplication: perReplication)
    }

    private func objective(_ objective: Objective, _ results: [MetricResult]) -> ObjectiveResult {
        let metric = objective.metric
        let found = results.first { $0.name == metric.name && $0.statistic == metric.statistic }
        // Without a sample there is nothing that could have missed the limit; a warning says so.
        let passed = found.map { objective.relation.holds($0.value, objective.limit) } ?? true
        return ObjectiveResult(
            expression: objective.expression, metric: metric.name, statistic: metric.statistic,
            unit: metric.unit, limit: objective.limit, observed: found?.value, interval: found?.interval,
            passed: passed)
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
            totals.answeredByCache += urls.answeredByCache
            for (cause, count) in urls.policyCauses {
                totals.policyCauses[cause.rawValue, default: 0] += count
            }
            totals.leaked += urls.leaked
            totals.falselyBlocked += urls.falselyBlocked
            totals.unfinished += urls.unfinished
            totals.lookupsSent += record.lookups.sent
            totals.lookupsAnswered += record.lookups.answered
            totals.lookupsAnsweredLate += record.lookups.late
            totals.lookupsCoalesced += record.lookups.coalesced
            totals.lookupsUnfinished += record.lookups.unfinished
            for (cause, count) in record.lookups.failed {
                totals.lookupFailures[cause.rawValue, default: 0] += count
            }
            if preparation.scenario.fidelity == .real {
                totals.realLookupsChecked += record.lookups.checkedAgainstList
                totals.realLookupDisagreements += record.lookups.disagreements
            }
        }
        return totals
    }

    /// Mean wait for a PIR core: Allen-Cunneen with the measured arrival rate and service times. Meant for a
    /// constant rate; a daily profile makes the simulated wait larger.
    private func waitingTime() -> AnalyticResult? {
        let seconds = records.reduce(0.0) { $0 + $1.observedSeconds }
        let arrivals = records.reduce(0) { $0 + ($1.stations[.pir]?.completions ?? 0) }
        let servers = preparation.configuration.services.pir.serverCount
        let busy = records.reduce(0.0) {
            $0 + ($1.stations[.pir]?.utilization ?? 0) * Double(servers) * $1.observedSeconds
        }
        guard arrivals > 0, seconds > 0, busy > 0,
            let waits = mean("lookup.pirWaiting", "mean"),
            let predicted = try? QueueingTheory.allenCunneenMeanWait(
                arrivalRate: Double(arrivals) / seconds, meanService: busy / Double(arrivals),
                servers: servers,
                arrivalVariability: 1, serviceVariability: 0)
        else { return nil }
        return AnalyticResult(
            name: "lookup.pirWaiting mean",
            formula: "Allen-Cunneen, Poisson arrivals at the mean rate, constant service",
            unit: .seconds, predicted: predicted, simulated: waits)
    }

    private func mean(_ name: String, _ statistic: String) -> Double? {
        let samples = metrics.compactMap { $0[name, statistic] }
        return samples.isEmpty ? nil : samples.reduce(0, +) / Double(samples.count)
    }

    private func warnings(_ objectives: [ObjectiveResult]) -> [PointResult.Warning] {
        var warnings: [PointResult.Warning] = []
        func warn(_ code: String, _ message: String) { warnings.append(.init(code: code, message: message)) }
        func conserve(_ what: String, _ record: ReplicationRecord, _ begun: Int, _ ended: Int) {
            guard begun != ended else { return }
            warn(
                "\(what).notConserved",
                "replication \(record.replication): \(begun) \(what) began but \(ended) ended; this is a bug of"
                    + " the simulator")
        }
        if records.count == 1 {
            warn(
                "replications.one",
                "one replication shows no spread: the numbers have no interval; raise replications.min")
        }
        for record in records {
            let urls = record.urls
            let ended =
                urls.allowedByPrefilter + urls.allowedByServer + urls.blockedByServer + urls.allowedByPolicy
                + urls.blockedByPolicy + urls.unfinished
            conserve("urls", record, urls.checked, ended)
            let lookups = record.lookups
            let failed = lookups.failed.values.reduce(0, +)
            conserve("lookups", record, lookups.sent, lookups.answered + failed + lookups.unfinished)
        }
        let method = preparation.resolvedWarmUp.withLock { $0.method }
        if method.hasPrefix("none") { warn("warmUp.notFound", "no warm-up was removed: \(method)") }
        let plan = preparation.scenario.replications
        var rule = StoppingRule(plan)
        for replication in metrics { rule.add(replication) }
        if plan.precision != nil, !rule.isPrecise, records.count == plan.maximum {
            warn(
                "precision.notReached",
                "after \(plan.maximum) replications the intervals are still wider than replications.precision"
            )
        }
        for objective in objectives where objective.observed == nil {
            warn(
                "objective.noSample",
                "'\(objective.expression)' was not tested: no replication has a value for it")
        }
        return warnings
    }
}
