package import Experiment
import FleetModel
import Foundation
import RunMetrics
import Scenarios
import URLFilter
import Wording

/// The terminal summary of a run: the answer first, then its causes.
package struct RunText {
    let result: RunResult
    let point: PointResult
    var lines: [String] = []

    /// - Returns: Text that ends with a newline; at most 100 columns, longer names and expressions aside.
    package static func render(_ result: RunResult) -> String {
        guard let point = result.points.first else {
            return "\(result.scenario.name)\nINTERRUPTED: no replication finished\n"
        }
        var text = RunText(result: result, point: point)
        text.addHeader()
        text.addObjectives()
        text.addURLs()
        text.addLookups()
        text.addLatency()
        text.addFaults()
        text.addFreshness()
        text.addServices()
        text.addRegions()
        text.addEndpoints()
        text.addPrivacy()
        text.addAnalytic()
        text.addIgnorance()
        text.addNotes()
        return text.lines.joined(separator: "\n") + "\n"
    }

    private init(result: RunResult, point: PointResult) {
        self.result = result
        self.point = point
    }

    private mutating func addHeader() {
        let scenario = result.scenario
        lines.append(scenario.name)
        lines.append(
            [
                "\(Format.count(scenario.devices, "device"))",
                "\(Format.duration(scenario.duration)) simulated",
                Format.warmUp(scenario.warmUp),
                "\(Format.count(point.replications, "replication"))", "seed \(scenario.seed)",
                "\(scenario.fidelity.rawValue)",
                scenario.failurePolicy,
            ].joined(separator: " · "))
        for trace in result.traces {
            lines.append(
                "trace of \(Format.count(trace.records, "record")), \(Format.count(trace.clients, "client")),"
                    + " \(Format.duration(trace.seconds)): \(trace.file)")
        }
        let filter = result.filter
        lines.append(
            "list \(Format.count(result.blocklist.entries, "entry")) ·"
                + " prefilter \(Format.bytes(Double(filter.byteCount)))"
                + " (bitCount \(filter.bitCount), hashCount \(filter.hashCount))")
        lines += Format.keys(result.blocklist)
        let counted = filter.countedStringRate
        lines.append(
            "stray hits per lookup string: \(Format.number(filter.predictedStringRate)) predicted,"
                + " \(Format.number(counted.low)) to \(Format.number(counted.high)) counted")
        if !result.finished { lines.append("INTERRUPTED: only the replications above are in these numbers") }
        lines.append("")
    }

    private mutating func addObjectives() {
        guard !point.objectives.isEmpty else { return }
        lines.append("OBJECTIVES")
        let width = max(40, (point.objectives.map(\.expression.count).max() ?? 0) + 2)
        for objective in point.objectives {
            lines.append(
                "  " + Format.left(objective.expression, width) + Format.left(objective.words, 13)
                    + (Format.observed(objective) ?? "no data") + Format.basis(of: objective))
        }
        lines.append("")
    }

    private mutating func addURLs() {
        let counts = point.counts
        lines.append("URL CHECKS, of all replications together")
        row("checked", Format.count(counts.urlsChecked))
        rows(.urls)
        rows(.verdicts)
        addCauses(counts.policyCauses)
        for metric in Metric.all(in: .harms) where point[metric] != nil {
            row(metric.label, rate(metric))
            for harm in Harm.allCases where harm.metric == metric {
                for clause in HarmText.clauses(harm, of: point) {
                    lines += Format.wrapped("    " + clause, indent: "      ")
                }
            }
        }
        if let count = counts.verdicts["notAsked"] {
            row("allowed, unseen by the filter", Format.count(count))
        }
        row("answered by a cache", Format.count(counts.answeredByCache))
        row("unfinished at the end", Format.count(counts.unfinished))
        if counts.urlsUnparseable > 0 { row("not a URL to check", Format.count(counts.urlsUnparseable)) }
        lines.append("")
    }

    /// The most frequent first.
    private mutating func addCauses(_ causes: [FailureCause: Int]) {
        let rows = causes.map { (name: $0.key.rawValue, count: $0.value) }
        for cause in rows.sorted(by: { ($1.count, $0.name) < ($0.count, $1.name) }) {
            row("  because of \(cause.name)", Format.count(cause.count))
        }
    }

    private mutating func addLookups() {
        let counts = point.counts
        lines.append("LOOKUPS, of all replications together")
        row("sent", Format.count(counts.lookupsSent))
        rows(.lookups)
        addCauses(counts.lookupFailures)
        row("answered too late", Format.count(counts.lookupsAnsweredLate))
        row("unfinished at the end", Format.count(counts.lookupsUnfinished))
        row("joined one under way", Format.count(counts.lookupsCoalesced))
        if result.scenario.fidelity == .real {
            lines.append(
                "real lookups checked: \(counts.realLookupsChecked), disagreements: \(counts.realLookupDisagreements)"
            )
        }
        lines.append("")
    }

    private mutating func addLatency() {
        let percentiles = point.latencyPercentiles
        guard !percentiles.isEmpty || point[.latencyMean] != nil || point[.latencyMax] != nil else { return }
        lines.append("VERDICT LATENCY of URLs that waited for a lookup")
        for percentile in percentiles { row(percentile.statistic, Format.estimate(percentile)) }
        for tail in point.thinTails { row(tail.statistic, Format.estimate(tail)) }
        for metric in [Metric.latencyMean, .latencyMax] { row(metric.label, estimate(metric)) }
        let next = percentiles.compactMap { percentile in
            Metric(percentile.name, percentile.statistic).flatMap { point[$0]?.next }.map {
                (percentile.statistic, Format.range($0, percentile.unit))
            }
        }
        if !next.isEmpty {
            lines.append("  where one more replication lies")
            for (statistic, range) in next { row("  " + statistic, range) }
        }
        lines.append("  mean per stage of an answered lookup")
        rows(.stages, indent: "  ")
        let waiting = StationMetrics(.pir).waiting
        if point[waiting] != nil {
            row(
                "    PIR waiting, everything", estimate(waiting) + ", also what was not answered in time"
            )
        }
        if let longest = result.longestStage(of: point) {
            lines += Format.wrapped("  " + Format.longestStage(longest))
        }
        lines.append("")
    }

    private mutating func addServices() {
        let stations = Metric.stations.filter { point[$0.utilization] != nil }
        guard !stations.isEmpty else { return }
        let hasInstances = stations.contains { point[$0.busiestInstance] != nil }
        var rows = [
            ["SERVICES", "utilization", "busiest interval"] + (hasInstances ? ["busiest instance"] : [])
                + ["queue, mean", "longest"]
        ]
        for station in stations {
            var row = ["  " + station.part.name, estimate(station.utilization), estimate(station.busiest)]
            if hasInstances {
                row.append(point[station.busiestInstance] == nil ? "–" : estimate(station.busiestInstance))
            }
            rows.append(row + [estimate(station.queue), number(station.longestQueue)])
        }
        lines += Format.table(rows)
        for station in stations where point[station.instances] != nil {
            lines.append(
                "  \(station.part.name) had \(estimate(station.instances)) instances on average, "
                    + "\(estimate(station.instanceHours)) instance-hours")
        }
        if point[.memory] != nil {
            lines.append(
                "  the fullest PIR server held \(estimate(.memory)) of database and keys; keys read from the store for "
                    + "\(estimate(.keyReads)) of the lookups")
        }
        lines.append("")
    }

    private mutating func addRegions() {
        guard let regions = point.regions, !regions.isEmpty else { return }
        let parts = URLFilterModel.stations.map(\.name)
        let isExtrapolated = point[.lookupsPerDeviceDay]?.extrapolatedFrom != nil
        var rows = [
            ["REGIONS", "requests a day\(isExtrapolated ? ", extrapolated" : "")", "from afar"]
                + parts.map { $0 + ", mean" } + ["pir, busiest"]
        ]
        for region in regions {
            let metrics = RegionMetrics(region.name)
            func text(_ metric: Metric) -> String {
                region[metric].map { Format.estimate($0.value, $0.interval, $0.unit) } ?? "–"
            }
            rows.append(
                ["  " + region.name, text(metrics.perDay), text(metrics.diverted)]
                    + metrics.stations.map { text($0.utilization) }
                    + metrics.stations.filter { $0.part == .pir }.map { text($0.busiest) })
        }
        lines += Format.table(rows)
        lines.append(
            "  utilization of each service; from afar are requests of devices nearer to another region")
        lines.append("")
    }

    private mutating func addEndpoints() {
        var rows = [
            ["ENDPOINTS", "requests", "peak/s", "request B", "max", "response B", "max"]
        ]
        for metrics in Metric.endpoints {
            guard let size = point[metrics.request.mean], size.value > 0 else { continue }
            rows.append([
                "  " + metrics.endpoint.rawValue,
                (point[metrics.requests]?.headline).map(Format.estimate) ?? "–", number(metrics.peak),
                number(metrics.request.mean), number(metrics.request.max),
                number(metrics.response.mean), number(metrics.response.max),
            ])
        }
        lines += Format.table(rows)
        for relay in Metric.relays where point[relay.refused] != nil {
            let place = relay.region == "all" ? "" : " from \(relay.region)"
            lines.append(
                "  the relay refused \(rate(relay.refused)) requests\(place) above its quotas"
            )
        }
        let unit = point[.prefilterDownloads]?.rate == nil ? "per replication" : DeviceDayRate.words
        lines += Format.wrapped(
            "  requests \(unit); the most in a second, mean of the replications; the largest sizes of all",
            indent: "  ")
        if let second = point.busiestSecond {
            lines += Format.wrapped(
                "  in the busiest second of all, \(Format.duration(Double(second.time))) after the begin of replication"
                    + " \(second.replication): \(BusiestSecondText.clause(second))", indent: "  ")
        }
        lines.append("  prefilter downloads " + rate(.prefilterDownloads))
        lines.append("  their bytes " + rate(.prefilterTraffic))
        lines.append("")
    }

    private mutating func addAnalytic() {
        guard !point.analytic.isEmpty else { return }
        var rows = [["CLOSED FORMS", "predicted", "simulated"]]
        var formulas: [(formula: String, names: [String])] = []
        var distances = [""]
        for form in point.analytic {
            rows.append([
                "  " + form.name, Format.estimate(form.predicted, nil, form.unit),
                Format.estimate(form.simulated, form.interval, form.unit),
            ])
            distances.append(Format.distance(form))
            if let index = formulas.firstIndex(where: { $0.formula == form.formula }) {
                formulas[index].names.append(form.name)
            } else {
                formulas.append((form.formula, [form.name]))
            }
        }
        for (row, distance) in zip(Format.table(rows), distances) {
            lines += Format.wrapped(
                distance.isEmpty ? row : row + "  " + distance, indent: String(repeating: " ", count: 28))
        }
        for (formula, names) in formulas {
            lines += Format.wrapped(names.joined(separator: ", ") + ": " + formula, width: 98).map {
                "  " + $0
            }
        }
        lines.append("")
    }

    private mutating func row(_ label: String, _ text: String) {
        lines.append("  " + Format.left(label, 31) + text)
    }

    /// A row per metric of a section that has a value: some are of networks and devices that a scenario may not have.
    private mutating func rows(_ section: Metric.Section, indent: String = "") {
        for metric in Metric.all(in: section) where point[metric] != nil {
            row(indent + metric.label, estimate(metric))
        }
    }

    /// Rate in the unit of headlines, named.
    private func rate(_ metric: Metric) -> String { point[metric].map { Format.rate($0) } ?? "–" }

    /// Estimate with interval and unit.
    private func estimate(_ metric: Metric) -> String { point[metric].map(Format.estimate) ?? "–" }

    /// Value without interval and unit.
    private func number(_ metric: Metric) -> String { point[metric].map { Format.whole($0.value) } ?? "–" }
}
