package import Experiment
import Foundation

/// The terminal summary of a run: the answer first, then its causes.
package struct RunText {
    private let result: RunResult
    private let point: PointResult
    private var lines: [String] = []

    /// - Returns: Text that ends with a newline; at most about 90 columns.
    package static func render(_ result: RunResult) -> String {
        guard let point = result.points.first else { return "no replication finished\n" }
        var text = RunText(result: result, point: point)
        text.addHeader()
        text.addObjectives()
        text.addURLs()
        text.addLookups()
        text.addLatency()
        text.addServices()
        text.addEndpoints()
        text.addAnalytic()
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
                "\(Format.count(scenario.devices)) devices",
                "\(Format.duration(scenario.duration)) simulated",
                scenario.warmUp > 0 ? "\(Format.duration(scenario.warmUp)) warm-up" : "no warm-up",
                "\(point.replications) replications", "seed \(scenario.seed)",
                "\(scenario.fidelity.rawValue)",
                scenario.failurePolicy,
            ].joined(separator: " · "))
        let filter = result.filter
        lines.append(
            "list \(Format.count(result.blocklist.entries)) entries · prefilter \(Format.bytes(Double(filter.byteCount)))"
                + " (bitCount \(filter.bitCount), hashCount \(filter.hashCount))"
                + " · stray hits \(Format.number(filter.predictedStringRate)) predicted,"
                + " [\(Format.number(filter.countedStringRate.low)), \(Format.number(filter.countedStringRate.high))] counted"
        )
        if !result.finished { lines.append("INTERRUPTED: only the replications above are in these numbers") }
        lines.append("")
    }

    private mutating func addObjectives() {
        guard !point.objectives.isEmpty else { return }
        lines.append("OBJECTIVES")
        for objective in point.objectives {
            let metric = point.metrics.first { objective.expression.hasPrefix("\($0.name) \($0.statistic) ") }
            let observed = metric.map(value) ?? "no sample"
            lines.append(
                "  " + Format.left(objective.expression, 40) + (objective.passed ? "pass  " : "FAIL  ")
                    + observed)
        }
        lines.append("")
    }

    private mutating func addURLs() {
        let counts = point.counts
        lines.append("URL CHECKS")
        row("checked", Format.count(counts.urlsChecked))
        row("hit the prefilter", metric("url.hit", "rate"))
        row("on the list", metric("url.listed", "rate"))
        row("allowed by prefilter", metric("url.allowedByPrefilter", "rate"))
        row("allowed by server", metric("url.allowedByServer", "rate"))
        row("blocked by server", metric("url.blockedByServer", "rate"))
        row("allowed by policy", metric("url.allowedByPolicy", "rate"))
        row("blocked by policy", metric("url.blockedByPolicy", "rate"))
        for (cause, count) in point.counts.policyCauses.sorted(by: { ($1.value, $0.key) < ($0.value, $1.key) }
        ) {
            row("  because of \(cause)", Format.count(count))
        }
        row("listed but allowed (leaked)", metric("url.leaked", "count") + " per replication")
        row("not listed but blocked", metric("url.falselyBlocked", "count") + " per replication")
        row("answered by a cache", Format.count(counts.answeredByCache))
        row("unfinished at the end", Format.count(counts.unfinished))
        if counts.urlsUnparseable > 0 { row("not a URL to check", Format.count(counts.urlsUnparseable)) }
        lines.append("")
    }

    private mutating func addLookups() {
        let counts = point.counts
        lines.append("LOOKUPS")
        row("sent", Format.count(counts.lookupsSent))
        row("per 1000 URLs", metric("lookup.per1000URLs", "rate"))
        row("per device and day", metric("lookup.perDeviceDay", "rate"))
        row("keywords per lookup", metric("lookup.keywords", "mean"))
        row("answered: listed", metric("lookup.listed", "rate"))
        row("answered: false hit", metric("lookup.falseHit", "rate"))
        row("failed", metric("lookup.failed", "rate"))
        for (cause, count) in counts.lookupFailures.sorted(by: { ($1.value, $0.key) < ($0.value, $1.key) }) {
            row("  because of \(cause)", Format.count(count))
        }
        row("answered too late", Format.count(counts.lookupsAnsweredLate))
        row("joined one under way", Format.count(counts.lookupsCoalesced))
        if result.scenario.fidelity == .real {
            lines.append(
                "real lookups checked: \(counts.realLookupsChecked), disagreements: \(counts.realLookupDisagreements)"
            )
        }
        lines.append("")
    }

    private mutating func addLatency() {
        let percentiles = MetricName.percentiles.map(\.label)
        guard point.metrics.contains(where: { $0.name == "lookup.latency" }) else { return }
        lines.append("VERDICT LATENCY of URLs that waited for a lookup, ms")
        for percentile in percentiles + ["mean", "max"] {
            row(percentile, metric("lookup.latency", percentile))
        }
        lines.append("  mean per stage of an answered lookup")
        for (stage, label) in [
            ("device", "device"), ("transmission", "sending the bytes"), ("propagation", "propagation"), ("gatewayWaiting", "gateway, waiting"),
            ("gatewayWorking", "gateway, working"), ("pirWaiting", "PIR server, waiting"),
            ("pirWorking", "PIR server, working"),
        ] { row("  \(label)", metric("lookup.\(stage)", "mean")) }
        lines.append("")
    }

    private mutating func addServices() {
        lines.append("SERVICES                       utilization            queue, mean      longest")
        for station in ["gateway", "issuer", "pir"] {
            lines.append(
                "  " + Format.left(station, 29) + Format.left(metric("\(station).utilization", "mean"), 23)
                    + Format.left(metric("\(station).queue", "mean"), 17)
                    + number("\(station).queue", "max"))
        }
        lines.append("")
    }

    private mutating func addEndpoints() {
        lines.append(
            "ENDPOINTS, per replication     requests    peak/s    request B: mean    max   response B: mean    max"
        )
        for endpoint in ["directory", "tokenKey", "issue", "config", "key", "queries"] {
            guard point.metrics.contains(where: { $0.name == "\(endpoint).request" }) else { continue }
            lines.append(
                "  " + Format.left(endpoint, 24) + Format.right(number("\(endpoint).requests", "count"), 13)
                    + Format.right(number("\(endpoint).requests", "peak"), 10)
                    + Format.right(number("\(endpoint).request", "mean"), 19)
                    + Format.right(number("\(endpoint).request", "max"), 8)
                    + Format.right(number("\(endpoint).response", "mean"), 17)
                    + Format.right(number("\(endpoint).response", "max"), 8))
        }
        lines.append(
            "  prefilter downloads " + number("prefilter.downloads", "count") + ", "
                + metric("prefilter.traffic", "total"))
        lines.append("")
    }

    private mutating func addAnalytic() {
        guard !point.analytic.isEmpty else { return }
        lines.append("CLOSED FORMS                   predicted    simulated")
        for form in point.analytic {
            lines.append(
                "  " + Format.left(form.name, 29) + Format.left(scaled(form.predicted, form.unit), 13)
                    + scaled(form.simulated, form.unit))
            lines.append("    " + form.formula)
        }
        lines.append("")
    }

    private mutating func addNotes() {
        for warning in point.warnings { lines.append("! " + warning.message) }
        if let profile = result.profile {
            lines.append(
                "cost profile: \(profile.rlweParameters), \(profile.shards) shards of about"
                    + " \(Format.count(profile.entriesPerShard)) entries, one response"
                    + " \(Format.duration(profile.responseSeconds)) of CPU on \(profile.machine)")
        }
        for note in result.modelled { lines.append("modelled: " + note) }
        if let confidence = point.metrics.first?.interval?.confidence {
            lines.append(
                "± is the half width of a \(Format.share(confidence)) interval, Student's t over"
                    + " \(point.replications) replications; percentiles by nearest rank")
        }
        let missed = point.objectives.count { !$0.passed }
        if missed > 0 { lines.append("FAIL: \(missed) of \(point.objectives.count) objectives missed") }
    }

    private mutating func row(_ label: String, _ text: String) {
        lines.append("  " + Format.left(label, 31) + text)
    }

    private func metric(_ name: String, _ statistic: String) -> String {
        point.metrics.first { $0.name == name && $0.statistic == statistic }.map(value) ?? "–"
    }

    private func number(_ name: String, _ statistic: String) -> String {
        point.metrics.first { $0.name == name && $0.statistic == statistic }.map { Format.number($0.value) }
            ?? "–"
    }

    private func value(_ metric: MetricResult) -> String {
        let isLatency = metric.unit == .seconds
        func text(_ value: Double) -> String {
            switch metric.unit {
            case .seconds: Format.milliseconds(value)
            case .share: Format.number(value * 100)
            case .bytes, .number: Format.number(value)
            }
        }
        var line = text(metric.value)
        if let interval = metric.interval { line += " ± " + text((interval.high - interval.low) / 2) }
        switch metric.unit {
        case .share: line += " %"
        case .bytes: line += " B"
        case .seconds, .number: break
        }
        return isLatency ? line + " ms" : line
    }

    private func scaled(_ value: Double, _ unit: MetricName.Unit) -> String {
        switch unit {
        case .seconds: Format.milliseconds(value) + " ms"
        case .share: Format.share(value)
        case .bytes: Format.bytes(value)
        case .number: Format.number(value)
        }
    }
}
