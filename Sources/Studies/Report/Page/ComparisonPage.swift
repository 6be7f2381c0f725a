import Experiment
package import Questions
import RunMetrics
import Wording

/// A comparison as one HTML file: the answer, the changes beside each other, and every metric of both sides.
package struct ComparisonPage {
    private let comparison: Comparison
    private let text: ComparisonSummaryText

    /// Limits of a chart of changes: all of it lost, and three times as much.
    private static let changes = -1.0...2

    /// - Parameter arguments: Of the command, to do it again.
    /// - Returns: HTML that is well-formed XML, too, and refers to nothing outside itself.
    package static func render(_ comparison: Comparison, arguments: [String]) -> String {
        let page = ComparisonPage(comparison: comparison, text: ComparisonSummaryText(comparison))
        let title = "\(comparison.baseline.name) → \(comparison.candidate.name)"
        let others = comparison.rows.filter { $0.verdict == nil }
        return PageFrame(title: title, facts: [page.text.samples]).page { body in
            Tile.write(page.tiles, to: &body)
            PageFrame.writeContents(["Answer", "What changed", "Method"], to: &body)
            page.writeAnswer(to: &body)
            PageFrame.writeSection("What changed", to: &body) { section in
                page.forest?.write(to: &section)
                page.table(page.text.rows, "What decides.", page.conditions, isOpen: true).write(to: &section)
                if !others.isEmpty {
                    page.table(
                        others, "Everything else.", "Without a verdict; these intervals are not adjusted.",
                        isOpen: false
                    ).write(to: &section)
                }
            }
            PageFrame.writeSection("Method", to: &body) { section in
                page.writeSettings(to: &section)
                MethodSection.write(command: arguments, to: &section)
            }
        }
    }

    private static func style(_ verdict: Comparison.Verdict?) -> String {
        switch verdict {
        case .worse: "fail"
        case .better: "pass"
        default: "open"
        }
    }

    private var tiles: [Tile] {
        text.rows.prefix(8).map { row in
            Tile(
                value: ComparisonTable.isNone(row) ? "none" : ComparisonTable.size(row),
                words: "\(Format.plainName(row)): \(ComparisonTable.verdict(row))",
                style: Self.style(row.verdict))
        }
    }

    private func writeAnswer(to page: inout Markup) {
        page.element("section", ["id": "answer"]) { section in
            let (worse, better) = (text.count(.worse) > 0, text.count(.better) > 0)
            section.element("p", ["class": worse == better ? "open" : worse ? "fail" : "pass"]) { line in
                line.element("span", ["class": "verdict"], text: text.verdict)
            }
            PageFrame.writeList([text.closing] + text.causes, style: "answers", to: &section)
            var warnings = comparison.workloadDiffers.map { "! the workloads differ: \($0)" }
            if !comparison.baseline.finished || !comparison.candidate.finished {
                warnings.append("! INTERRUPTED: not all replications are there")
            }
            PageFrame.writeList(warnings, style: "warnings", to: &section)
        }
        page.newLine()
    }

    private var conditions: String {
        "Intervals are \(Format.percent(comparison.confidence)) sure of all that contain 0 and all that do not (Holm);"
            + " changes inside ± \(Format.percent(comparison.noiseBand)) do not matter."
            + (ComparisonTable.note(comparison.rows).map { " \($0)." } ?? "")
    }

    /// Relative changes beside each other, each with its interval.
    private var forest: Figure? {
        let shown = text.rows.filter { $0.relative != nil }
        guard !shown.isEmpty else { return nil }
        let verdicts: [(words: String, holds: (Comparison.Verdict?) -> Bool)] = [
            ("neither", { $0 != .worse && $0 != .better }), ("worse", { $0 == .worse }),
            ("better", { $0 == .better }),
        ]
        let rows = shown.map { row in
            DotChart.Row(
                label: Format.plainName(row),
                dots: verdicts.map { verdict in
                    guard verdict.holds(row.verdict), let change = row.relativeChange else { return nil }
                    return DotChart.Dot(
                        value: change, low: row.hasSpread ? row.relative?.low : nil,
                        high: row.hasSpread ? row.relative?.high : nil, label: ComparisonTable.change(row))
                })
        }
        let band = comparison.noiseBand
        let chart = DotChart(
            seriesNames: verdicts.map(\.words), rows: rows, changes: Self.changes, calm: -band...band,
            title: "change, % of the baseline", format: Format.tick(.share))
        let absent = text.rows.count - shown.count
        return Figure(
            title: "Relative changes.",
            caption:
                "An interval that does not touch the line at 0 is a change that was seen; shaded is what does not"
                + " matter, ▸ lies beyond."
                + (absent > 0
                    ? " Without a baseline, or with values that were not reached, there is no share: see the table"
                        + " for \(absent) more." : ""),
            table: DataTable(
                header: ["metric"] + DataTable.titles(.share) + ["verdict"],
                rows: shown.map { row in
                    [.text(Format.plainName(row))]
                        + DataTable.cells(row.relativeChange, row.relative?.low, row.relative?.high, .share)
                        + [.text(ComparisonTable.verdict(row))]
                }), drawings: [chart.drawing])
    }

    private func table(
        _ rows: [Comparison.Row], _ title: String, _ caption: String, isOpen: Bool
    ) -> Figure {
        let hasVerdicts = rows.contains { $0.verdict != nil }
        return Figure(
            title: title, caption: caption,
            table: DataTable(
                header: ["metric"] + (hasVerdicts ? ["verdict"] : [])
                    + ["baseline", "candidate", "change", "from", "to", "p"],
                rows: rows.map { row in
                    let unit = row.unit == .number ? "" : ", " + Format.unitName(row.unit)
                    let name = (hasVerdicts ? Format.plainName(row) : row.words) + unit
                    return [.text(name)] + (hasVerdicts ? [.text(ComparisonTable.verdict(row))] : [])
                        + Self.cells(row)
                }), isOpen: isOpen)
    }

    /// Both means, the change with its ends, and how likely chance makes it.
    private static func cells(_ row: Comparison.Row) -> [DataTable.Cell] {
        let change: DataTable.Cell =
            row.change.map { .number($0, ComparisonTable.mark(row) + Format.bare($0, row.unit)) } ?? .none
        let bounds = row.hasSpread ? row.difference : nil
        let chance: DataTable.Cell =
            (row.adjustedPValue ?? row.pValue).map { .number($0, Format.number($0)) } ?? .none
        return [
            mean(row.baseline, row.baselineCut, row.unit), mean(row.candidate, row.candidateCut, row.unit),
            change,
        ] + DataTable.cells(nil, bounds?.low, bounds?.high, row.unit).dropFirst() + [chance]
    }

    private static func mean(_ value: Double, _ cut: Int?, _ unit: Metric.Unit) -> DataTable.Cell {
        .number(value, Format.leastMark(cut) + Format.bare(value, unit))
    }

    private func writeSettings(to page: inout Markup) {
        page.element(
            "p",
            text: comparison.settings.isEmpty ? "No setting differs." : "Settings that differ:")
        guard !comparison.settings.isEmpty else { return }
        DataTable(
            header: ["setting", "baseline", "candidate"],
            rows: comparison.settings.map {
                [.text($0.path), .text($0.baseline ?? "not set"), .text($0.candidate ?? "not set")]
            }
        ).write(to: &page)
    }
}
