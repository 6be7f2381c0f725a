import Experiment
package import Questions
import RunMetrics
import Wording

/// A study as one HTML file: the same change of several scenarios, what it saves and what it costs in each.
package struct StudyPage {
    private let study: StudyComparison

    /// - Parameter arguments: Of the command, to do it again.
    /// - Returns: HTML that is well-formed XML, too, and refers to nothing outside itself.
    package static func render(_ study: StudyComparison, arguments: [String]) -> String {
        let page = StudyPage(study: study)
        let title =
            study.decision == nil
            ? "\(Format.count(study.entries.count, "scenario")) with \(study.changes.joined(separator: " "))"
            : "\(Format.count(study.entries.count, "fault")): \(study.sides.baseline), \(study.sides.candidate)"
        return PageFrame(title: title, facts: [StudyText.conditions(study)]).page { body in
            Tile.write(page.tiles, to: &body)
            PageFrame.writeContents(["Answer", "Side by side", "Method"], to: &body)
            body.element("section", ["id": "answer"]) { section in
                PageFrame.writeList(page.answer, style: "answers", to: &section)
            }
            body.newLine()
            PageFrame.writeSection("Side by side", to: &body) { section in
                for figure in [page.decision].compactMap(\.self) + page.figures { figure.write(to: &section) }
            }
            PageFrame.writeSection("Method", to: &body) {
                MethodSection.write(command: arguments, to: &$0)
            }
        }
    }

    private var answer: [String] {
        (study.isInterrupted ? [StudyText.interruption(study)] : [])
            + (study.decision.map { FaultDecisionText($0).sentences } ?? []) + [StudyText.closing(study)]
    }

    private var decision: Figure? {
        study.decision.map { decision in
            let text = FaultDecisionText(decision)
            return Figure(
                title: "Open or closed.", caption: text.caption,
                table: DataTable(
                    header: text.rows[0], rows: text.rows.dropFirst().map { row in row.map { .text($0) } }),
                isOpen: true)
        }
    }

    private var tiles: [Tile] {
        let rows = study.entries.flatMap { $0.figures.map(\.row) }
        let counts: [(Comparison.Verdict, String)] = [(.better, "pass"), (.worse, "fail")]
        return counts.map { verdict, style in
            let count = rows.count { $0.verdict == verdict }
            return Tile(
                value: "\(count) of \(rows.count)", words: "figures are \(verdict.rawValue)",
                style: count > 0 ? style : "open")
        }
    }

    private var figures: [Figure] {
        [overview] + zip(StudyText.titles, StudyComparison.metrics).compactMap { figure($0, $1) }
    }

    /// Changes are too long for a legend.
    private var shortCandidate: String { study.decision == nil ? "changed" : study.sides.candidate }

    private func figure(_ metric: Metric, of entry: StudyComparison.Entry) -> StudyComparison.Figure? {
        entry.figures.first { $0.row.isOf(metric) }
    }

    private var overview: Figure {
        Figure(
            title: "What the change does.",
            caption: "Means as they stand → changed, and what that is; the intervals are below.",
            table: DataTable(
                header: ["scenario"] + StudyText.titles,
                rows: study.entries.map { entry in
                    [.text(entry.name)]
                        + StudyComparison.metrics.map { metric in
                            guard let figure = figure(metric, of: entry) else { return .none }
                            let row = figure.row
                            return .text(
                                "\(Self.mean(row.baseline, row.baselineCut)) →"
                                    + " \(Self.mean(row.candidate, row.candidateCut)): "
                                    + ComparisonTable.verdict(row))
                        }
                }), isOpen: true)
    }

    private static func mean(_ value: Double, _ cut: Int?) -> String {
        Format.leastMark(cut) + Format.number(value)
    }

    private func figure(_ title: String, _ metric: Metric) -> Figure? {
        let found = study.entries.compactMap { entry in figure(metric, of: entry).map { (entry.name, $0) } }
        guard !found.isEmpty else { return nil }
        let chart = DotChart(
            seriesNames: [study.sides.baseline, shortCandidate],
            rows: found.map { name, figure in DotChart.Row(label: name, dots: dots(figure)) },
            isLogarithmic: true, title: "\(title), mean per replication (logarithmic)", format: Format.plain)
        return Figure(
            title: "\(title).",
            caption: "Means with intervals; ◂ marks a 0, ≥ a fleet that some runs did not see healthy.",
            table: DataTable(
                header: ["scenario", "side"] + DataTable.titles(nil) + ["verdict"],
                rows: found.flatMap { name, figure in rows(name, figure) }), drawings: [chart.drawing])
    }

    private func dots(_ figure: StudyComparison.Figure) -> [DotChart.Dot?] {
        [
            dot(figure.row, figure.row.baseline, figure.baseline, figure.row.baselineCut),
            dot(figure.row, figure.row.candidate, figure.candidate, figure.row.candidateCut),
        ]
    }

    private func rows(_ name: String, _ figure: StudyComparison.Figure) -> [[DataTable.Cell]] {
        let before = cells(figure.row.baseline, figure.baseline)
        let after = cells(figure.row.candidate, figure.candidate)
        return [
            [.text(name), .text(study.sides.baseline)] + before + [.none],
            [.text(name), .text(shortCandidate)] + after + [.text(ComparisonTable.verdict(figure.row))],
        ]
    }

    private func dot(
        _ row: Comparison.Row, _ value: Double, _ interval: Interval?, _ cut: Int?
    ) -> DotChart.Dot {
        DotChart.Dot(
            value: value, low: interval?.low, high: interval?.high,
            label: StudyText.value(row, value, interval, cut: cut))
    }

    /// Counts, and seconds as seconds.
    private func cells(_ value: Double, _ interval: Interval?) -> [DataTable.Cell] {
        DataTable.cells(value, interval?.low, interval?.high, .number)
    }
}
