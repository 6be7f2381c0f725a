import Experiment
package import Questions
import RunMetrics
import URLFilter
import Wording

/// The declaration to Apple as text.
package enum SheetText {
    /// - Parameter names: Of the sheets; for a table that has them side by side, if there are several.
    /// - Returns: Text that ends with a newline, one sheet after the other.
    package static func render(_ sheets: [DeclarationSheet], names: [String] = []) -> String {
        var blocks = sheets.map(lines)
        if sheets.count > 1, names.count == sheets.count {
            // The answer, before what it is made of.
            blocks.insert(RecommendationText.lines(of: sheets, names), at: 0)
            for first in stride(from: 0, to: sheets.count, by: columns) {
                let part = first..<min(first + columns, sheets.count)
                blocks.append(sideBySide(Array(sheets[part]), Array(names[part])))
            }
        }
        return blocks.map { $0.joined(separator: "\n") + "\n" }.joined(separator: "\n")
    }

    /// Sheets side by side.
    private static let columns = 3

    /// Table of what is declared, a column for each sheet.
    private static func sideBySide(_ sheets: [DeclarationSheet], _ names: [String]) -> [String] {
        var rows = [["SIDE BY SIDE"] + names]
        func row(_ title: String, _ value: (ObservedTraffic) -> Double?) {
            let cells = sheets.map { value($0.traffic).map(Format.whole) ?? "–" }
            if cells.contains(where: { $0 != "–" }) { rows.append(["  " + title] + cells) }
        }
        func plausible(_ metric: Metric) {
            let cells = sheets.map { sheet in
                sheet.ignorance?[metric].map { Format.plausibleRange($0.interval, $0.unit) } ?? "–"
            }
            if cells.contains(where: { $0 != "–" }) { rows.append(["    over what nobody knows"] + cells) }
        }
        let relay = Metric.relays[0]
        row("requests per day") { $0.regions.last?.perDay.value }
        plausible(relay.perDay)
        row("requests in the busiest second, most") { $0.regions.last?.peakSecond.largest }
        plausible(relay.peakSecond)
        row("requests in the busiest minute, most") { $0.regions.last?.peakMinute.largest }
        plausible(relay.peakMinute)
        for endpoint in Metric.endpoints.map(\.endpoint.rawValue) {
            func of(_ traffic: ObservedTraffic) -> ObservedTraffic.Endpoint? {
                traffic.endpoints.first { $0.name == endpoint }
            }
            row("/\(endpoint) per day") { of($0)?.requestsPerDay }
            row("/\(endpoint) request, largest, B") { of($0)?.request.max }
            row("/\(endpoint) response, largest, B") { of($0)?.response?.max }
        }
        return Format.table(rows)
    }

    private static func lines(of sheet: DeclarationSheet) -> [String] {
        let traffic = sheet.traffic
        var lines =
            ["DECLARATION for Apple's relay" + (sheet.day.map { ", \($0.rawValue)" } ?? "")]
            + Format.wrapped("from a " + traffic.source)
        lines.append(
            "\(Format.count(traffic.devices, "device")), \(Format.duration(traffic.observedSeconds)) observed"
        )
        lines.append("")
        lines += Format.table(
            [["REQUESTS", "per day", "busiest second", "most seen", "busiest minute", "most seen"]]
                + traffic.regions.map { region in
                    [
                        "  " + name(region.name), rate(region.perDay), rate(region.peakSecond),
                        Format.whole(region.peakSecond.largest), rate(region.peakMinute),
                        Format.whole(region.peakMinute.largest),
                    ]
                })
        if traffic.regions.contains(where: { $0.peakSecond.calculated != nil }) {
            lines.append(
                "  calculated: mean of a day and half its 95 % interval; in place of the most seen, what 19 of 20 days"
                    + " stay below")
        } else if traffic.regions.contains(where: { $0.peakSecond.interval != nil }) {
            lines.append(
                "  mean ± half an interval, or (from … to), over replications, and the most of any replication"
            )
        }
        if let second = traffic.busiestSecond {
            let clause = BusiestSecondText.clause(second)
            lines += Format.wrapped("  in the busiest second \(clause)", indent: "  ")
        }
        if let all = traffic.regions.last, traffic.devices > 0 {
            let daily = all.perDay.value / Double(traffic.devices) * 1_000
            lines.append("  which is \(Format.whole(daily.rounded())) requests \(DeviceDayRate.words)")
        }
        lines += doubts(sheet)
        lines.append("")
        lines += RecommendationText.lines(of: sheet)
        lines.append("")
        lines += Format.table(
            [["SIZES, bytes", "per day", "request p50", "p99", "max", "response p50", "p99", "max"]]
                + traffic.endpoints.map { endpoint in
                    ["  /" + endpoint.name, Format.number(endpoint.requestsPerDay)]
                        + sizes(endpoint.request) + sizes(endpoint.response)
                })
        lines.append("  encapsulated messages as they cross the relay; percentiles by nearest rank")
        lines += largest(traffic)
        if let bytes = traffic.evaluationKeyBytes {
            lines.append(
                "  evaluation keys to store: \(Format.bytes(Double(bytes) * Double(traffic.devices)))"
                    + " (\(Format.count(bytes)) B for each device)")
        }
        lines.append("")
        lines += caps(sheet)
        for warning in sheet.warnings { lines += Format.wrapped("! " + warning.message) }
        return lines
    }

    /// Ignorance about the requests: what makes most of it, and what would settle it.
    private static func doubts(_ sheet: DeclarationSheet) -> [String] {
        guard let known = sheet.ignorance else { return [] }
        let answer = IgnoranceAnswer(ignorance: known)
        let parts = known.metrics.map { metric in
            "\(IgnoranceAnswer.name(metric)) \(Format.mayBe(metric))"
        }
        let missing = known.refused.map { refusal in
            "no interval of \(Metric(refusal.name, refusal.statistic)?.plainName ?? refusal.name):"
                + " \(refusal.reason)"
        }
        let largest = known.metrics.first { $0.model != nil }.map { metric in
            [answer.largest(metric), answer.settling(metric)].compactMap(\.self)
        }
        let title = parts.isEmpty ? [] : ["what nobody knows: " + parts.joined(separator: "; ")]
        return (title + covered(sheet, known) + (largest ?? []) + missing).flatMap {
            Format.wrapped("  " + $0, indent: "  ")
        }
    }

    /// Shares of what is plausible that what is declared is enough for.
    private static func covered(_ sheet: DeclarationSheet, _ known: IgnoranceResult) -> [String] {
        guard let declared = sheet.recommendations.last else { return [] }
        let relay = Metric.relays[0]
        let shares = [
            ("requests", relay.perDay, declared.perDay),
            ("busiest second", relay.peakSecond, declared.peakSecond),
            ("busiest minute", relay.peakMinute, declared.peakMinute),
        ].compactMap { name, metric, declared -> String? in
            guard let found = known[metric], let most = declared.value, found.centre > 0,
                !found.points.isEmpty
            else { return nil }
            let below = found.points.count { found.value * $0 / found.centre <= most }
            return "\(name) \(Format.wholePercent(Double(below) / Double(found.points.count)))"
        }
        guard !shares.isEmpty else { return [] }
        return ["a mean day stays below what is declared in so much of it: " + shares.joined(separator: ", ")]
    }

    /// Largest sizes, which the relay holds against the declaration, as teams report that declared an average
    /// (article "Device").
    private static func largest(_ traffic: ObservedTraffic) -> [String] {
        guard let request = traffic.endpoints.max(by: { $0.request.max < $1.request.max }) else { return [] }
        let answers = traffic.endpoints.compactMap { endpoint in
            endpoint.response.map { (endpoint.name, $0.max) }
        }
        let answer = answers.max { $0.1 < $1.1 }
        let text =
            "declare the largest, not the average, for the largest decides: requests of"
            + " \(Format.whole(request.request.max)) B (/\(request.name))"
            + (answer.map { ", responses of \(Format.whole($0.1)) B (/\($0.0))" } ?? "")
        return Format.wrapped(text, width: 96).map { "  " + $0 }
    }

    private static func caps(_ sheet: DeclarationSheet) -> [String] {
        let caps = [
            sheet.requestCap.map { "requests of \(Format.count($0)) B" },
            sheet.responseCap.map { "responses of \(Format.count($0)) B" },
        ].compactMap(\.self)
        guard !caps.isEmpty else { return [] }
        let title = "A RELAY CAP for " + caps.joined(separator: " and for ")
        guard !sheet.refused.isEmpty else { return [title, "  refuses nothing that was seen", ""] }
        return [title]
            + sheet.refused.map { refusal in
                "  refuses /\(refusal.endpoint) \(refusal.direction.rawValue)s: \(refusal.share.rawValue)"
                    + " (the largest has \(Format.whole(refusal.largest)) B)"
            } + [""]
    }

    static func name(_ region: String) -> String { region == "all" ? "all continents" : region }

    private static func rate(_ rate: ObservedTraffic.Rate) -> String {
        Format.estimate(rate.value, rate.interval, .number)
    }

    private static func sizes(_ sizes: ObservedTraffic.Sizes?) -> [String] {
        guard let sizes else { return ["–", "–", "–"] }
        return [sizes.p50, sizes.p99, sizes.max].map(Format.whole)
    }
}

/// The declaration as rows: one number each.
package enum SheetCSV {
    package static func render(_ sheets: [DeclarationSheet]) -> String {
        var text = ResultCSV.line([
            "sheet", "kind", "name", "quantity", "unit", "value", "low", "high", "largest",
        ])
        for (index, sheet) in sheets.enumerated() {
            // Kind, name, quantity and unit.
            func add(
                _ names: [String], _ value: Double, _ interval: Interval? = nil, largest: Double? = nil
            ) {
                text += ResultCSV.line(
                    ["\(index + 1)"] + names + ["\(value)"]
                        + [interval?.low, interval?.high, largest].map { $0.map { "\($0)" } ?? "" })
            }
            for region in sheet.traffic.regions {
                for (quantity, rate) in [
                    ("requests per day", region.perDay), ("busiest second", region.peakSecond),
                    ("busiest minute", region.peakMinute),
                ] {
                    add(
                        ["region", region.name, quantity, "requests"], rate.value, rate.interval,
                        largest: rate.largest)
                }
            }
            for region in sheet.recommendations {
                for (quantity, declared) in [
                    ("requests per day", region.perDay), ("busiest second", region.peakSecond),
                    ("busiest minute", region.peakMinute),
                ] {
                    guard let value = declared.value else { continue }
                    add(["declare", region.region, quantity, "requests"], value)
                }
            }
            for endpoint in sheet.traffic.endpoints {
                add(["endpoint", endpoint.name, "requests per day", "requests"], endpoint.requestsPerDay)
                for (direction, sizes) in [
                    ("request", Optional(endpoint.request)), ("response", endpoint.response),
                ] {
                    guard let sizes else { continue }
                    for (statistic, value) in [
                        ("mean", sizes.mean), ("p50", sizes.p50), ("p99", sizes.p99), ("max", sizes.max),
                    ] { add(["endpoint", endpoint.name, "\(direction) \(statistic)", "B"], value) }
                }
            }
            for refusal in sheet.refused {
                text += ResultCSV.line([
                    "\(index + 1)", "refused", refusal.endpoint, refusal.direction.rawValue,
                    refusal.share.rawValue,
                    "\(refusal.largest)", "", "", "",
                ])
            }
            for warning in sheet.warnings {
                text += ResultCSV.line([
                    "\(index + 1)", "warning", warning.code.rawValue, warning.message, "", "", "", "", "",
                ])
            }
        }
        return text
    }
}
