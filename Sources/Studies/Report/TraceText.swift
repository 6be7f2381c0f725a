import Decoding
import Experiment
package import Questions
import Scenarios
import Wording

/// Document that `urlfilter trace describe --json` prints.
package struct TraceDocument: Encodable, Sendable {
    package let trace: TraceDescription
    /// Lines of a scenario; `nil` when none were asked for.
    package let scenario: String?
    /// `nil` without `--verify`.
    package let calibration: CalibrationCheck?

    package init(trace: TraceDescription, scenario: String?, calibration: CalibrationCheck?) {
        self.trace = trace
        self.scenario = scenario
        self.calibration = calibration
    }
}

/// The terminal forms of what `trace` finds.
package enum TraceText {
    /// - Returns: Text that ends with a newline.
    package static func render(_ trace: TraceDescription) -> String {
        var lines =
            trace.files.count == 1 ? [trace.files[0].file] : ["\(trace.files.count) files as one trace"]
        let read = trace.files.reduce(0) { $0 + $1.read }
        let dropped = trace.files.reduce(0) { $0 + $1.dropped }
        lines.append(
            "\(Format.count(trace.requests, "request")) · \(Format.count(trace.clients, "client")) · "
                + "\(Format.duration(trace.seconds)) · \(Format.count(trace.pageViews)) page views")
        if dropped > 0 { lines.append("! \(Format.count(dropped)) of \(Format.count(read, "line")) dropped") }
        for note in trace.notes { lines += Format.wrapped("! \(note)", width: 96) }
        lines.append("")
        lines += Format.table(
            [["QUANTITIES", "mean", "p5", "p50", "p90", "p99", "max", "samples"]]
                + trace.quantities.map(row))
        lines.append("")
        lines.append("  third-party share of requests   \(Format.share(trace.thirdPartyShare))")
        lines.append("  URLs with a query               \(Format.share(trace.queryShare))")
        lines.append("  page views of a front page      \(Format.share(trace.frontPageShare))")
        lines.append("")
        lines += Format.table(
            [["POPULARITY", "different", "top 10", "Zipf exponent, 95 % interval", "ranks fitted"]]
                + trace.popularity.map(row))
        if let listed = trace.listed { lines += render(listed) }
        if let people = trace.people { lines += render(people) }
        if !trace.fits.isEmpty {
            lines.append("")
            lines.append("FITS by maximum likelihood, best first; 95 % intervals")
            lines += trace.fits.map(line)
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private static func row(_ quantity: TraceDescription.Quantity) -> [String] {
        let unit = quantity.unit == "s" ? ", s" : quantity.unit == "B" ? ", B" : ""
        return ["  \(quantity.name)\(unit)"]
            + [quantity.mean, quantity.p5, quantity.p50, quantity.p90, quantity.p99, quantity.max]
            .map(Format.number) + [Format.count(quantity.count)]
    }

    private static func row(_ popularity: TraceDescription.Popularity) -> [String] {
        var exponent = "too few to fit"
        var ranks = ""
        if let value = popularity.exponent, let low = popularity.low, let high = popularity.high {
            exponent = "\(Format.number(value)) [\(Format.number(low)), \(Format.number(high))]"
            ranks = "\(popularity.ranks ?? 0), from \(popularity.leastCount ?? 0) occurrences on"
        }
        return [
            "  \(popularity.things)", (popularity.isExact ? "" : ">") + Format.count(popularity.distinct),
            Format.share(popularity.top10Share), exponent, ranks,
        ]
    }

    private static func render(_ listed: ListedShares) -> [String] {
        ["", "ON THE LIST of \(Format.count(listed.entries, "entry")), by the rules of iOS 27"]
            + Format.table([
                ["  requests", Format.share(listed.requests)],
                ["  different URLs", Format.share(listed.urls)],
                ["  different hosts", Format.share(listed.hosts)],
                ["  page views", Format.share(listed.pages)],
                ["  other requests", Format.share(listed.objects)],
            ])
            + [
                "  for a synthetic web as listed as this: web: { listed: { visitShare: \(listed.pages),"
                    + " objectShare: \(listed.objects) } }"
            ]
    }

    private static func render(_ people: TraceDescription.People) -> [String] {
        func shares(_ values: [Double]) -> String {
            values.map { Format.right(Format.number($0 * 100), 5) }.joined(separator: " ")
        }
        var lines = ["", "PEOPLE"]
        lines += Format.table([
            ["  revisits, share of page views", "within 1 h", "1 day", "ever"],
            ["  of the site"] + people.siteRevisits.map(Format.share),
            ["  of the page"] + people.pageRevisits.map(Format.share),
        ])
        lines.append("  page views by hour, %      0-11  " + shares(Array(people.hours.prefix(12))))
        lines.append("                            12-23  " + shares(Array(people.hours.suffix(12))))
        lines.append("  by weekday from Monday, %        " + shares(people.weekdays))
        return lines
    }

    private static func line(_ fit: TraceDescription.Fit) -> String {
        let parameters = fit.parameters.map {
            "\($0.name) \(Format.number($0.value)) [\(Format.number($0.low)), \(Format.number($0.high))]"
        }
        var text = "  \(Format.left(fit.quantity, 17)) \(Format.left(fit.family, 16)) "
        text += parameters.joined(separator: ", ") + "; AIC \(Format.whole(fit.akaike.rounded()))"
        if let distance = fit.distance { text += "; KS distance \(Format.number(distance))" }
        if let p = fit.kolmogorovSmirnovPValue { text += ", p \(Format.number(p))" }
        if let p = fit.andersonDarlingPValue { text += "; AD p \(Format.number(p))" }
        return text
    }

    /// The table of errors: the trace beside synthetic ones made from the fitted scenario.
    package static func render(_ check: CalibrationCheck) -> String {
        var lines = [
            "CALIBRATION: the trace against the mean of \(check.twinCount) synthetic ones, new seeds"
        ]
        lines += Format.table(
            [["  figure", "trace", "synthetic", "± between", "error", "stated", ""]]
                + check.rows.map { row in
                    [
                        "  \(name(of: row.figure))", Format.number(row.trace), Format.number(row.synthetic),
                        row.deviation.map(Format.number) ?? "–", error(row),
                        "± " + stated(row, row.tolerance),
                        verdict(row) + (row.isFitted ? "" : "  not fitted"),
                    ]
                })
        func count(_ verdict: CalibrationCheck.Verdict) -> Int {
            check.rows.count { $0.verdict == verdict }
        }
        var summary = "\(count(.within)) of \(check.rows.count) figures are within the stated error"
        if count(.chance) > 0 {
            summary += ", \(count(.chance)) within what chance does to a trace of this size (95 %)"
        }
        if count(.outside) > 0 { summary += ", \(count(.outside)) outside" }
        return lines.joined(separator: "\n") + "\n\(summary)\n"
    }

    private static func verdict(_ row: CalibrationCheck.Row) -> String {
        switch row.verdict {
        case .within: "pass"
        case .chance: "chance, ± \(stated(row, row.chance ?? 0))"
        case .outside: "FAIL"
        }
    }

    private static func error(_ row: CalibrationCheck.Row) -> String {
        let sign = row.error < 0 ? "−" : "+"
        let size = row.error.magnitude
        return switch CalibrationCheck.kind(of: row.figure) {
        case .number, .count: "\(sign)\(Format.number(size * 100)) %"
        case .share: "\(sign)\(Format.number(size))"
        case .shape: "\(Format.number(size * 100)) % moved"
        }
    }

    private static func stated(_ row: CalibrationCheck.Row, _ error: Double) -> String {
        switch CalibrationCheck.kind(of: row.figure) {
        case .number, .count, .shape: Format.number(error * 100) + " %"
        case .share: Format.number(error)
        }
    }

    private static func name(of figure: TraceFigures.Name) -> String {
        switch figure {
        case .requestsPerPageMean: "requests per page, mean"
        case .requestsPerPageP50: "requests per page, p50"
        case .requestsPerPageP90: "requests per page, p90"
        case .hostsPerPageMean: "hosts per page, mean"
        case .hostsPerPageP50: "hosts per page, p50"
        case .hostsPerPageP90: "hosts per page, p90"
        case .thirdPartyShare: "third-party share"
        case .distinctShareInPage: "distinct URLs of a page"
        case .siteExponent: "Zipf exponent of sites"
        case .siteTop10Share: "share of the top 10 sites"
        case .pageExponent: "Zipf exponent of pages"
        case .hostExponent: "Zipf exponent of hosts"
        case .sites: "different sites"
        case .pages: "different pages"
        case .hosts: "different hosts"
        case .urls: "different URLs"
        case .siteRevisitsHour: "site revisits within 1 h"
        case .siteRevisitsEver: "site revisits ever"
        case .pageRevisitsHour: "page revisits within 1 h"
        case .pageRevisitsEver: "page revisits ever"
        case .urlLengthMean: "URL length, mean"
        case .urlLengthP50: "URL length, p50"
        case .urlLengthP90: "URL length, p90"
        case .queryShare: "URLs with a query"
        case .frontPageShare: "page views of front pages"
        case .lookupStringsMean: "lookup strings per URL"
        case .hours: "hour of the day"
        case .weekdays: "day of the week"
        case .thinkP50: "think time, p50"
        case .thinkP90: "think time, p90"
        case .visitsPerSession: "pages per session"
        case .sessionsPerDay: "sessions per active day"
        case .visitsPerDayMean: "pages per active day, mean"
        case .visitsPerDayP50: "pages per active day, p50"
        case .activeDayShare: "share of days active"
        }
    }
}
