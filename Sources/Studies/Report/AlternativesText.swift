import Experiment
package import Questions
import RunMetrics
import Scenarios
import Wording

/// The terminal form of the architectures side by side: what each does, and what each takes.
package enum AlternativesText {
    /// - Parameter details: Also causes, differences, servers, and every fact with its source.
    /// - Returns: Text that ends with a newline.
    package static func render(_ result: AlternativesResult, details: Bool) -> String {
        let head = [result.scenario.name] + conditions(result)
        var lines = [head.joined(separator: " · ")]
        for table in [AlternativesTable.effects(result), .conditions(result)] { lines += [""] + table.lines }
        lines.append("")
        lines += verdict(result).flatMap { Format.wrapped($0, indent: "", width: 98) }
        lines += notes(result).flatMap { Format.wrapped($0, indent: "", width: 98) }
        if details {
            for (harm, title) in [
                (Harm.leaked, "LET THROUGH"), (.falselyBlocked, "WRONGLY BLOCKED"),
                (.brokenPages, "PAGES BROKEN"),
            ] { lines += [""] + causes(of: harm, title, result) }
            lines += [""] + changes(result)
            lines += [""] + spending(result) + [""] + servers(result) + [""] + facts(result)
            lines += [""] + differences(result)
        }
        return lines.joined(separator: "\n") + "\n"
    }

    static func conditions(_ result: AlternativesResult) -> [String] {
        let scenario = result.scenario
        return [
            Format.count(scenario.devices, "device"), Format.duration(scenario.duration),
            Format.count(result.rows.map(\.replications).max() ?? 0, "replication"), scenario.failurePolicy,
            "list of \(Format.count(result.blocklist.entries, "entry"))",
        ]
    }

    static func mark(_ verdict: AlternativesResult.Row.Verdict) -> String {
        switch verdict {
        case .meetsAll: "met"
        case .fails: "failed"
        case .cannotTell: "open"
        case .notJudged: "–"
        }
    }

    static func notes(_ result: AlternativesResult) -> [String] {
        let prices = result.prices
        var notes = [
            "¹ of a device in a day. ± is half of a 95 % interval over the replications, which share list, traffic and"
                + " random numbers; <: none was seen, 95 % sure."
        ]
        if result.hasFaults {
            notes.append(
                "² what is left without the loads that a fault of the scenario met, or that began before the fleet was"
                    + " healthy again: of the listed URLs of the other loads, and of a device in the whole day. Faults"
                    + " are what the scenario says, and no forecast of how often a server is down.")
        }
        notes += legend
        notes += [
            "Money, \(prices.currency): \(Format.number(prices.rates.coreHour)) an hour of a"
                + " core (\(Format.source(of: "coreHour", in: prices))),"
                + " \(Format.number(prices.rates.egressGigabyte)) a GB sent"
                + " (\(Format.source(of: "egressGigabyte", in: prices))), memory, storage and lists.",
            "It is what 'capacity' buys, for each alike: of each service whole machines, the smallest ones, at most"
                + " \(Format.percent(prices.targetUtilization)) busy in the busiest interval, at least one, and"
                + " \(prices.spareInstances) to spare (--details has them); or what the scenario puts there. Where the days"
                + " of a week are known, machines are those of the busiest weekday and bytes those of the mean day.",
            "Of all but the URL filter, whole list and hash prefixes times are drawn for pages of all sizes, and costs"
                + " are those of the mean page, by the facts of 'urlfilter help Architectures': no code runs.",
        ]
        if result.traces.isEmpty {
            notes.append(
                "Synthetic browsing visits a listed host only for what is listed: what is wrongly blocked with a host"
                    + " needs --trace.")
        }
        return notes
    }

    /// The short words of the second table.
    private static var legend: [String] {
        typealias Facts = ArchitectureFacts
        let needs = [("app", Facts.Need.app), ("approval", .approval), ("own network", .network)]
            .map { "\($0): \(ArchitectureWords.words($1))" }
        let browsers = [("that ask", Facts.Browsers.asking), ("most", .system), ("managed", .managed)]
            .map { "\($0): \(ArchitectureWords.words($1))" }
        let both = "both: \(ArchitectureWords.words(Facts.Sight.both))"
        return [
            "³ \(needs.joined(separator: "; ")); /: either is enough. --have says what there is.",
            "⁴ \((browsers + [both, "?: not published"]).joined(separator: "; ")).",
        ]
    }

    /// A column for each cause that an architecture has.
    private static func causes(of harm: Harm, _ title: String, _ result: AlternativesResult) -> [String] {
        let harms = result.rows.flatMap(\.harms).filter { $0.harm == harm }
        let seen = Set(harms.flatMap(\.causes).map(\.cause))
        let columns = HarmCause.allCases.filter(seen.contains)
        return Format.table(
            [["\(title), a replication"] + columns.map { HarmText.name($0) }]
                + result.rows.map { row in
                    [row.facts.name] + columns.map { Format.number(row.count(harm, $0)) }
                })
    }

    private static func changes(_ result: AlternativesResult) -> [String] {
        Format.table(
            [["AFTER A CHANGE (closed form)", "blocked after", "95 % after", "allowed after", "95 % after"]]
                + result.rows.map { row in
                    let times = row.delay.map { [$0.toBlock, $0.toAllow].flatMap { [$0.mean, $0.p95] } }
                    return [row.facts.name]
                        + (times?.map { $0 > 0 ? Format.duration($0) : "at once" }
                            ?? Array(repeating: "–", count: 4))
                })
            + Format.wrapped(
                "from the publication, mean over the devices; without cached answers and names, downloads and faults",
                indent: "  ")
    }

    private static func spending(_ result: AlternativesResult) -> [String] {
        Format.table(
            [
                [
                    "ARCHITECTURE", "page p50 ms", "after a move ms", "busy cores", "sent a day", "memory",
                    "device a day", "largest list",
                ]
            ]
                + result.rows.map { row in
                    [
                        row.facts.name, milliseconds(row[.pageTime(percentile: 50)]),
                        milliseconds(row[.handOver]),
                        row[.operatorPeakCores].map { Format.number($0.value) } ?? "–",
                        row[.operatorEgress].map { Format.bytes($0.value) } ?? "–",
                        row[.operatorMemory].map { Format.bytes($0.value) } ?? "–",
                        row[.deviceBytes].map { Format.bytes($0.value) } ?? "–",
                        row.facts.largestList.map(Format.count) ?? "–",
                    ]
                })
    }

    /// Machines of each architecture, and the parts of their bill.
    private static func servers(_ result: AlternativesResult) -> [String] {
        ["SERVERS in the money (instances × cores), and its parts"]
            + result.rows.flatMap { row in
                let machines = row.machines.map {
                    "\($0.service) \($0.instances) × \($0.coresPerInstance)"
                }
                let parts = row.cost.map { $0.rows.isEmpty ? "nothing" : Format.items($0) }
                return Format.wrapped(
                    "  \(row.facts.name): "
                        + (machines.isEmpty ? "none" : machines.joined(separator: ", "))
                        + (parts.map { "; \($0)" } ?? ""), indent: "    ")
            }
    }

    private static func facts(_ result: AlternativesResult) -> [String] {
        ["FACTS [where each was read]"]
            + result.rows.flatMap { row in
                ["  \(row.facts.name)"]
                    + ArchitectureWords.lines(row.facts).flatMap {
                        Format.wrapped("    \($0)", indent: "      ")
                    }
            }
    }

    private static func milliseconds(_ figure: MetricResult?) -> String {
        figure.map { Format.number($0.value * 1_000) } ?? "–"
    }

    /// Beside the first architecture, pair by pair.
    private static func differences(_ result: AlternativesResult) -> [String] {
        guard let first = result.rows.first else { return [] }
        let metrics: [Metric] = [.leaked, .falselyBlocked, .pageTime(percentile: 95), .operatorPeakCores]
        var rows = [["AGAINST \(first.facts.name.uppercased())"] + metrics.map(\.words)]
        for row in result.rows.dropFirst() {
            rows.append(
                [row.facts.name]
                    + metrics.map { metric in
                        row.differences.first { $0.metric == metric.name && $0.statistic == metric.statistic }
                            .map {
                                "\(Format.number($0.difference.low)) … \(Format.number($0.difference.high))"
                            }
                            ?? "–"
                    })
        }
        return Format.table(rows)
    }
}
