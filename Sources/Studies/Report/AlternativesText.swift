import Decoding
package import Experiment
import FleetModel
import Foundation

/// The terminal form of the architectures side by side: one table on one screen.
package enum AlternativesText {
    /// - Parameter details: Also causes, differences and needs.
    /// - Returns: Text that ends with a newline.
    package static func render(_ result: AlternativesResult, details: Bool) -> String {
        let head = [result.scenario.name] + conditions(result)
        var lines = [head.joined(separator: " · "), ""] + table(result)
        lines.append("")
        lines += verdict(result).flatMap { Format.wrapped($0, indent: "", width: 98) }
        lines += notes(result).flatMap { Format.wrapped($0, indent: "", width: 98) }
        if details {
            for (harm, title) in [
                (Harm.leaked, "LET THROUGH"), (.falselyBlocked, "WRONGLY BLOCKED"),
                (.brokenPages, "PAGES BROKEN"),
            ] { lines += [""] + causes(of: harm, title, result) }
            lines += [""] + changes(result)
            lines += [""] + facts(result) + [""] + differences(result)
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

    private static func table(_ result: AlternativesResult) -> [String] {
        let days =
            Double(result.scenario.devices) * (result.scenario.duration - result.scenario.warmUp)
            / 86_400
        var rows = [
            [
                "", "let through", "wrongly", "broken", "page", "busiest", "money a", "read with", "objec-",
            ],
            [
                "ARCHITECTURE", "of listed", "blocked¹", "pages¹", "p95 ms", "cores", "month", "address",
                "tives",
            ],
        ]
        for row in result.rows {
            func perDay(_ metric: Metric) -> String {
                row[metric].map { spread($0, scale: 1 / max(days, 1e-9)) } ?? "–"
            }
            rows.append([
                row.facts.name,
                row[.leakedShare].map { spread($0, scale: 100) + " %" } ?? "no data",
                perDay(.falselyBlocked), perDay(.brokenPages),
                row[.pageTime(percentile: 95)].map { spread($0, scale: 1_000) } ?? "–",
                row[.operatorPeakCores].map { spread($0, scale: 1) } ?? "–",
                row.moneyPerMonth.map(Format.number) ?? "–", word(row.readWithAddress),
                mark(row.verdict),
            ])
        }
        let widths = rows[0].indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
        return rows.map { row in
            Format.withoutBlanksAtEnd(
                row.enumerated().map { column, cell in
                    column == 0 || column >= 7
                        ? Format.left(cell, widths[column]) : Format.right(cell, widths[column])
                }.joined(separator: "  "))
        }
    }

    /// The mean with half of its interval.
    private static func spread(_ figure: MetricResult, scale: Double) -> String {
        guard figure.value != 0 || figure.interval != nil else { return "0" }
        let text = short(figure.value * scale)
        guard let interval = figure.interval, interval.high > interval.low else { return text }
        guard figure.value > 0 else { return "< " + short(interval.high * scale) }
        return text + " ±" + short((interval.high - interval.low) / 2 * scale, digits: 1)
    }

    /// Two digits are enough beside an interval.
    private static func short(_ value: Double, digits: Int = 2) -> String {
        guard value != 0, value.magnitude < 1e4 else { return Format.number(value) }
        let behind = max(0, digits - 1 - Int(saturating: log10(value.magnitude * (1 + 1e-9)).rounded(.down)))
        return String(format: "%.*f", min(behind, 6), value)
    }

    static func word(_ datum: Datum?) -> String {
        switch datum {
        case .url: "URLs"
        case .host: "hosts"
        case .hashPrefix: "prefixes"
        default: "nothing"
        }
    }

    static func mark(_ verdict: AlternativesResult.Row.Verdict) -> String {
        switch verdict {
        case .meetsAll: "met"
        case .fails: "failed"
        case .cannotTell: "open"
        case .notJudged: "–"
        }
    }

    /// What follows from the objectives, in words.
    static func verdict(_ result: AlternativesResult) -> [String] {
        if result.rows.allSatisfy({ $0.verdict == .notJudged }) {
            return ["Nothing is judged: the scenario states no objectives."]
        }
        let met = result.names(.meetsAll)
        var sentences: [String] = []
        if met.isEmpty {
            sentences.append("None meets all objectives.")
        } else {
            let money = result.rows.filter { $0.verdict == .meetsAll && !$0.facts.isYardstick }
            let cheapest = money.min { ($0.moneyPerMonth ?? .infinity) < ($1.moneyPerMonth ?? .infinity) }
            sentences.append("Meet all objectives: \(met.joined(separator: ", ")).")
            if let cheapest, money.count > 1, let price = cheapest.moneyPerMonth {
                sentences.append(
                    "Of those that the platform has, \(cheapest.facts.name) has the smallest bill of servers and traffic:"
                        + " \(result.prices.currency) \(Format.number(price)) a month. No bill has what each needs beside them"
                        + " (\(cheapest.facts.name): \(cheapest.facts.needs))."
                )
            }
        }
        for row in result.rows where row.verdict == .fails || row.verdict == .cannotTell {
            let missed = row.objectives.filter { $0.verdict == (row.verdict == .fails ? .fail : .cannotTell) }
            let texts = missed.map { objective in
                let observed = objective.observed.map {
                    "is \(Format.estimate($0, objective.interval, objective.unit))"
                }
                let why = Reason.words(objective, row.harms).map { ", \($0)" } ?? ""
                return "\(objective.expression) (\(observed ?? "no data")\(why))"
            }
            sentences.append(
                "\(row.facts.name) \(row.verdict == .fails ? "fails" : "cannot be told"): "
                    + texts.joined(separator: "; ") + ".")
        }
        return sentences
    }

    static func notes(_ result: AlternativesResult) -> [String] {
        let prices = result.prices
        var notes = [
            "¹ of a device in a day. ± is half of a 95 % interval over the replications, which share list, traffic and"
                + " random numbers; <: none was seen, 95 % sure. Money, \(prices.currency): \(Format.number(prices.rates.coreHour)) an hour of a"
                + " core (\(Format.source(of: "coreHour", in: prices))), servers of"
                + " \(Format.count(result.coresPerInstance, "core")) busy to \(Format.percent(prices.targetUtilization))"
                + " at the peak and \(prices.spareInstances) to spare,"
                + " \(Format.number(prices.rates.egressGigabyte)) a GB sent"
                + " (\(Format.source(of: "egressGigabyte", in: prices))).",
            "Times and costs of all but the URL filter, whole list and hash prefixes are those of a mean page by the"
                + " facts of 'urlfilter help Architectures', not executed code.",
        ]
        if result.traces.isEmpty {
            notes.append(
                "Synthetic browsing visits a listed host only for what is listed: what is wrongly blocked with a host"
                    + " needs --trace.")
        }
        return notes
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

    private static func facts(_ result: AlternativesResult) -> [String] {
        Format.table(
            [
                [
                    "ARCHITECTURE", "page p50 ms", "after a move ms", "sent a day", "memory", "device a day",
                    "largest list",
                ]
            ]
                + result.rows.map { row in
                    [
                        row.facts.name, milliseconds(row[.pageTime(percentile: 50)]),
                        milliseconds(row[.handOver]),
                        row[.operatorEgress].map { Format.bytes($0.value) } ?? "–",
                        row[.operatorMemory].map { Format.bytes($0.value) } ?? "–",
                        row[.deviceBytes].map { Format.bytes($0.value) } ?? "–",
                        row.facts.largestList.map(Format.count) ?? "–",
                    ]
                })
            + [""]
            + result.rows.flatMap { row in
                Format.wrapped("\(row.facts.name): sees \(row.facts.sees); needs \(row.facts.needs)")
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
