import Decoding
import Experiment
import Foundation
import Questions
import RunMetrics
import Scenarios
import Wording

/// The two tables of the architectures, with heads of two lines.
extension AlternativesAnswer {
    private typealias Column = (head: Table.Column, cell: (AlternativesResult.Row) -> Table.Cell)

    private func table(_ title: String, _ caption: String, _ columns: [Column]) -> Table {
        Table(
            title: title, caption: caption,
            columns: [Table.Column("ARCHITECTURE")] + columns.map(\.head),
            rows: result.rows.map { row in [.words(row.facts.name)] + columns.map { $0.cell(row) } },
            isOpen: true)
    }

    /// The same loads through each: harms with and without faults, and time.
    var effects: Table {
        let days =
            Double(result.scenario.devices) * (result.scenario.duration - result.scenario.warmUp) / 86_400
        func column(_ head: String, _ metric: Metric, scale: Double, suffix: String = "") -> Column {
            (
                Table.Column(head),
                { row in
                    guard let figure = row[metric] else { return .none }
                    let words = Self.spread(figure, scale: scale) + suffix
                    return .value(Quantity(figure.value * scale, .number, words: words))
                }
            )
        }
        func share(_ head: String, _ metric: Metric) -> Column {
            column(head, metric, scale: 100, suffix: " %")
        }
        func perDay(_ head: String, _ metric: Metric) -> Column {
            column(head, metric, scale: 1 / max(days, 1e-9))
        }
        let hasFaults = result.hasFaults
        return table(
            "What each does.", "The same loads, through each; the footnotes stand below.",
            [share("let through\n" + (hasFaults ? "with faults" : "of listed"), .leakedShare)]
                + (hasFaults ? [share("let through\nwithout²", .leakedOutsideFaults)] : []) + [
                    perDay("wrongly\nblocked¹", .falselyBlocked),
                    perDay("pages broken¹\n" + (hasFaults ? "with faults" : ""), .brokenPages),
                ] + (hasFaults ? [perDay("broken¹\nwithout²", .brokenOutsideFaults)] : []) + [
                    column("page\np95 ms", .pageTime(percentile: 95), scale: 1_000),
                    (
                        Table.Column("objec-\ntives", isWords: true),
                        { .words(AlternativesAnswer.mark($0.verdict)) }
                    ),
                ])
    }

    /// The price of each, and what one gets besides.
    var takes: Table {
        func words(_ head: String, _ text: @escaping (AlternativesResult.Row) -> String) -> Column {
            (Table.Column(head, isWords: true), { .words(text($0)) })
        }
        return table(
            "What each takes and gives.",
            "Where each fact was read stands in the data of \"Who learns what\".",
            [
                (Table.Column("money a\nmonth"), { .number($0.moneyPerMonth) }),
                words("needs³") { ArchitectureWords.needs($0.facts) },
                words("at\nhome") { ArchitectureWords.yes($0.facts.isEverywhere.value) },
                words("on\nMacs") { ArchitectureWords.macs($0.facts) },
                words("browsers⁴") { ArchitectureWords.brief($0.facts.browsers.value) },
                words("sees⁴") { ArchitectureWords.sees($0) },
                words("block\npage") { ArchitectureWords.blockPage($0) },
                words("read with\naddress") { ArchitectureWords.datum($0.readWithAddress) },
            ])
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
}

extension AlternativesResult {
    /// Something fails in the scenario, so that there is a time without.
    var hasFaults: Bool { rows.contains { $0[.brokenOutsideFaults] != nil } }
}
