import Decoding
import Experiment
import Foundation
import Questions
import RunMetrics
import Scenarios
import Wording

/// Architectures beside each other, a row for each: the same cells in the terminal and on a page.
struct AlternativesTable {
    struct Column {
        /// Two lines.
        var head: [String]
        var isText = false
        var cell: (AlternativesResult.Row) -> DataTable.Cell
    }

    /// Named as a figure is.
    var title: String
    var caption: String
    var columns: [Column]
    var rows: [AlternativesResult.Row]

    /// For a terminal of a hundred columns.
    var lines: [String] {
        let cells = columns.map { column in column.head + rows.map { column.cell($0).text } }
        let widths = cells.map { $0.map(\.count).max() ?? 0 }
        return (0..<rows.count + 2).map { line in
            Format.withoutBlanksAtEnd(
                columns.indices.map { index in
                    let text = cells[index][line]
                    return columns[index].isText
                        ? Format.left(text, widths[index]) : Format.right(text, widths[index])
                }.joined(separator: "  "))
        }
    }

    /// For a page, open.
    var figure: Figure {
        Figure(
            title: title, caption: caption,
            table: DataTable(
                header: columns.map { Self.title($0.head) },
                rows: rows.map { row in columns.map { $0.cell(row) } }), isOpen: true)
    }

    /// Both lines as one, a parted word whole.
    private static func title(_ head: [String]) -> String {
        let title = head.filter { !$0.isEmpty }.joined(separator: " ").replacing("- ", with: "")
        return title == title.uppercased() ? title.lowercased() : title
    }

    private static var name: Column {
        Column(head: ["", "ARCHITECTURE"], isText: true) { .text($0.facts.name) }
    }

    /// The same loads through each: harms with and without faults, and time.
    static func effects(_ result: AlternativesResult) -> AlternativesTable {
        let days =
            Double(result.scenario.devices) * (result.scenario.duration - result.scenario.warmUp) / 86_400
        func figure(
            _ metric: Metric, scale: Double, suffix: String = ""
        ) -> (AlternativesResult.Row) -> DataTable.Cell {
            { row in
                guard let figure = row[metric] else { return .none }
                return .number(figure.value * scale, spread(figure, scale: scale) + suffix)
            }
        }
        func perDay(_ metric: Metric) -> (AlternativesResult.Row) -> DataTable.Cell {
            figure(metric, scale: 1 / max(days, 1e-9))
        }
        let hasFaults = result.hasFaults
        var columns = [name]
        columns.append(
            Column(
                head: ["let through", hasFaults ? "with faults" : "of listed"],
                cell: figure(.leakedShare, scale: 100, suffix: " %")))
        if hasFaults {
            columns.append(
                Column(
                    head: ["let through", "without²"],
                    cell: figure(.leakedOutsideFaults, scale: 100, suffix: " %")))
        }
        columns.append(Column(head: ["wrongly", "blocked¹"], cell: perDay(.falselyBlocked)))
        columns.append(
            Column(head: ["pages broken¹", hasFaults ? "with faults" : ""], cell: perDay(.brokenPages)))
        if hasFaults {
            columns.append(Column(head: ["broken¹", "without²"], cell: perDay(.brokenOutsideFaults)))
        }
        columns.append(
            Column(head: ["page", "p95 ms"], cell: figure(.pageTime(percentile: 95), scale: 1_000)))
        columns.append(
            Column(head: ["objec-", "tives"], isText: true) { .text(AlternativesText.mark($0.verdict)) })
        return AlternativesTable(
            title: "What each does.",
            caption: "The same loads, through each; the footnotes stand below.",
            columns: columns, rows: result.rows)
    }

    /// The price of each, and what one gets besides.
    static func conditions(_ result: AlternativesResult) -> AlternativesTable {
        func words(
            _ head: [String], _ text: @escaping (AlternativesResult.Row) -> String
        ) -> Column { Column(head: head, isText: true) { .text(text($0)) } }
        return AlternativesTable(
            title: "What each takes and gives.",
            caption: "Where each fact was read stands in the data of \"Who learns what\".",
            columns: [
                name,
                Column(head: ["money a", "month"]) { row in
                    guard let money = row.moneyPerMonth else { return .none }
                    return .number(money, Format.number(money))
                },
                words(["", "needs³"]) { ArchitectureWords.needs($0.facts) },
                words(["at", "home"]) { ArchitectureWords.yes($0.facts.isEverywhere.value) },
                words(["on", "Macs"]) { ArchitectureWords.macs($0.facts) },
                words(["", "browsers⁴"]) { ArchitectureWords.brief($0.facts.browsers.value) },
                words(["", "sees⁴"]) { ArchitectureWords.sees($0) },
                words(["block", "page"]) { ArchitectureWords.blockPage($0) },
                words(["read with", "address"]) { ArchitectureWords.datum($0.readWithAddress) },
            ], rows: result.rows)
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
