package import DeviceFleet
import URLFilter
import Wording

/// The terminal form of a replay.
package enum ReplayText {
    /// At most so many seconds of each rate are shown; a longer run is shown in wider steps.
    private static let mostRows = 30

    package static func render(_ result: ReplayResult) -> String {
        var lines = heading(result)
        if result.points.count > 1 { lines += [""] + rateTable(result.points) }
        for point in result.points { lines += [""] + render(point) }
        if !result.finished { lines += ["", "interrupted: this is what was seen until then"] }
        return lines.joined(separator: "\n") + "\n"
    }

    private static func heading(_ result: ReplayResult) -> [String] {
        let (trace, devices) = (result.trace, result.devices)
        var lines = [
            "\(result.target), \(result.usecase), "
                + (result.route == "direct" ? "direct" : "sealed, by way of \(result.route)"),
            "\(trace.name): \(Format.count(trace.loads, "load")) of \(Format.count(trace.clients, "client")), "
                + "\(Format.count(trace.distinctURLs)) URLs"
                + (trace.misses > 0 ? "; \(Format.count(trace.misses)) prefilter misses left out" : "")
                + (trace.unusable > 0 ? "; \(Format.count(trace.unusable)) unusable URLs left out" : ""),
            "\(devices.ready) of \(devices.wanted) devices prepared in \(Format.duration(devices.seconds)), "
                + "\(Format.count(devices.exchanges)) exchanges",
        ]
        for (kind, count) in devices.failures.sorted(by: { $0.key < $1.key }) {
            lines.append("  \(count) failed: \(kind)")
        }
        return lines
    }

    private static func rateTable(_ points: [ReplayPoint]) -> [String] {
        let head = [
            "offered/s", "answered/s", "p50", "p95", "p99", "95 % of p99", "unanswered", "wrong",
            "server CPU/s",
        ]
        return Format.table(
            [head]
                + points.map { point in
                    let p99 = quantile(point, 0.99)
                    return [
                        Format.number(point.offeredRate), Format.number(point.answeredRate),
                        time(quantile(point, 0.5)), time(quantile(point, 0.95)), time(p99), interval(p99),
                        Format.share(point.policyShare), "\(point.wrongVerdicts)",
                        point.serverCPU.map { Format.number($0 / max(point.duration, 0.001)) } ?? "–",
                    ]
                }) + [
                "latency of loads that needed the server, from the intended start; unanswered: of these,"
                    + " the filter decided alone"
            ]
    }

    private static func render(_ point: ReplayPoint) -> [String] {
        let pace =
            point.rate.map { "\(Format.number($0)) loads/s" }
            ?? "the trace's pace × \(Format.number(point.speed ?? 1))"
        var lines = [
            "\(pace), \(Format.duration(point.duration)) measured"
                + (point.ramp + point.warmUp > 0
                    ? " after \(Format.duration(point.ramp + point.warmUp)) of ramp and warm-up" : "")
        ]
        func row(_ label: String, _ value: String) { lines.append("  " + Format.left(label, 32) + value) }
        row("loads", "\(Format.count(point.loads))  (\(Format.number(point.offeredRate))/s)")
        for verdict in Verdict.allCases {
            let count = point.verdicts[verdict.rawValue] ?? 0
            if count > 0 { row("  " + words(verdict), Format.count(count)) }
        }
        if point.answeredByCache > 0 { row("  of these from caches", Format.count(point.answeredByCache)) }
        for (cause, count) in point.policyCauses.sorted(by: { $0.value > $1.value }) {
            row("  no answer because of", "\(cause): \(Format.count(count))")
        }
        if point.leakedByPolicy + point.blockedByPolicyOnly > 0 {
            row(
                "  so let through / blocked",
                "\(point.leakedByPolicy) listed / \(point.blockedByPolicyOnly) not listed")
        }
        row("wrong verdicts", "\(point.wrongVerdicts)")
        for url in point.wrongExamples { lines.append("      " + Printable.text(Array(url.utf8))) }
        row("lookups", "\(Format.count(point.lookups))  (\(Format.number(point.answeredRate))/s answered)")
        for quantile in point.latency {
            row("  p\(Format.number(quantile.probability * 100))", time(quantile) + "  " + interval(quantile))
        }
        lines += endpointTable(point.endpoints)
        for (kind, count) in point.errors.sorted(by: { $0.value > $1.value }) {
            let sentence = point.errorSentences[kind].map {
                " (\(Printable.text(Array($0.utf8), limit: 160)))"
            }
            lines.append("  \(Format.count(count)) × \(kind)\(sentence ?? "")")
        }
        lines += machines(point)
        lines += secondsTable(point)
        return lines
    }

    private static func endpointTable(_ endpoints: [ReplayPoint.Endpoint]) -> [String] {
        guard !endpoints.isEmpty else { return [] }
        let head = [
            "  endpoint", "count", "failed", "p50", "p99", "sent p50/p99/max", "received p50/p99/max",
        ]
        return Format.table(
            [head]
                + endpoints.map { endpoint in
                    [
                        "  \(endpoint.name)", Format.count(endpoint.count), Format.count(endpoint.failed),
                        time(endpoint.latency.first { $0.probability == 0.5 }),
                        time(endpoint.latency.first { $0.probability == 0.99 }), sizes(endpoint.sent),
                        sizes(endpoint.received),
                    ]
                })
    }

    private static func machines(_ point: ReplayPoint) -> [String] {
        let span = max(point.duration, 0.001)
        var lines: [String] = []
        if let cpu = point.serverCPU {
            let answered = point.answeredRate * point.duration
            lines.append(
                "  servers: \(Format.number(cpu)) CPU s, \(Format.number(cpu / span)) cores"
                    + (answered > 0 ? ", \(Format.duration(cpu / answered)) per answered lookup" : ""))
            let parties = point.partyCPU.filter { $0.value > 0 }.sorted { $0.value > $1.value }
            if !parties.isEmpty {
                let shares = parties.map { "\($0.key) \(Format.number($0.value)) s" }
                lines.append("    own work of the parties: " + shares.joined(separator: ", "))
            }
        }
        lines.append(
            "  devices: \(Format.number(point.deviceCPU)) CPU s, \(Format.number(point.deviceCPU / span)) cores"
        )
        if let lateness = point.lateness, lateness.seconds > 0.02 {
            lines += Format.wrapped(
                "note: 1 % of the loads began more than \(Format.duration(lateness.seconds)) late, so the machine "
                    + "of the devices was busy; their latency counts from when they should have begun"
            ).map { "  " + $0 }
        }
        return lines
    }

    /// Table of what devices saw over time, in steps that fit a screen.
    private static func secondsTable(_ point: ReplayPoint) -> [String] {
        guard let last = point.seconds.last, point.seconds.count > 1 else { return [] }
        let step = (last.second + mostRows) / mostRows
        var rows = [
            [
                "  second", "loads", "local", "by server", "unanswered", "wrong", "exchanges", "failed",
                "slowest",
            ]
        ]
        for start in stride(from: 0, through: last.second, by: step) {
            let part = point.seconds.filter { (start..<start + step).contains($0.second) }
            func sum(_ path: KeyPath<ReplayPoint.Second, Int>) -> String {
                Format.count(part.map { $0[keyPath: path] }.reduce(0, +))
            }
            let slowest = part.map(\.slowest).max() ?? 0
            rows.append([
                "  \(start)", sum(\.loads), sum(\.local), sum(\.byServer), sum(\.byPolicy), sum(\.wrong),
                sum(\.exchanges), sum(\.failedExchanges), slowest > 0 ? Format.duration(slowest) : "–",
            ])
        }
        return Format.table(rows)
    }

    /// Every second of every rate, with a header.
    package static func secondsTable(_ result: ReplayResult) -> String {
        var text =
            "rate,second,loads,local,by_server,by_policy,wrong,exchanges,failed_exchanges,slowest_seconds\n"
        for point in result.points {
            for second in point.seconds {
                let cells = [
                    second.second, second.loads, second.local, second.byServer, second.byPolicy, second.wrong,
                    second.exchanges, second.failedExchanges,
                ]
                text += "\(point.rate.map { "\($0)" } ?? ""),"
                text += cells.map(String.init).joined(separator: ",") + ",\(second.slowest)\n"
            }
        }
        return text
    }

    private static func quantile(_ point: ReplayPoint, _ probability: Double) -> ReplayPoint.Quantile? {
        point.latency.first { $0.probability == probability }
    }

    private static func time(_ quantile: ReplayPoint.Quantile?) -> String {
        quantile.map { Format.duration($0.seconds) } ?? "–"
    }

    private static func interval(_ quantile: ReplayPoint.Quantile?) -> String {
        guard let low = quantile?.low, let high = quantile?.high else { return "too few for an interval" }
        return "\(Format.duration(low)) … \(Format.duration(high))"
    }

    private static func sizes(_ sizes: ReplayPoint.Sizes) -> String {
        [sizes.p50, sizes.p99, sizes.max].map { Format.bytes(Double($0)) }.joined(separator: " / ")
    }

    private static func words(_ verdict: Verdict) -> String {
        switch verdict {
        case .allowedByPrefilter: "allowed by prefilter"
        case .allowedByServer: "allowed by server"
        case .blockedByServer: "blocked by server"
        case .allowedByPolicy: "allowed without an answer"
        case .blockedByPolicy: "blocked without an answer"
        }
    }
}
