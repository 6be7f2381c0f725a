package import Experiment

/// A study as one HTML file: the same change of several scenarios, what it saves and what it costs in each.
package struct StudyPage {
    private let study: StudyComparison

    /// - Parameter arguments: Of the command, to do it again.
    /// - Returns: HTML that is well-formed XML, too, and refers to nothing outside itself.
    package static func render(_ study: StudyComparison, arguments: [String]) -> String {
        let page = StudyPage(study: study)
        let title =
            "\(Format.count(study.entries.count, "scenario")) with \(study.changes.joined(separator: " "))"
        return PageFrame(title: title, facts: [StudyText.conditions(study)]).page { body in
            Tile.write(page.tiles, to: &body)
            PageFrame.writeContents(["Answer", "Side by side", "Method"], to: &body)
            body.element("section", ["id": "answer"]) { section in
                PageFrame.writeList([StudyText.closing(study)], style: "answers", to: &section)
            }
            body.newLine()
            PageFrame.writeSection("Side by side", to: &body) { section in
                for figure in page.figures { figure.write(to: &section) }
            }
            PageFrame.writeSection("Method", to: &body) {
                MethodSection.write(command: arguments, to: &$0)
            }
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
        StudyComparison.metrics.compactMap { metric in
            let found = study.entries.compactMap { entry in
                entry.figures.first { $0.row.isOf(metric) }.map { (entry.name, $0) }
            }
            guard let first = found.first?.1.row else { return nil }
            let unit = Format.unitName(first.unit)
            let chart = DotChart(
                seriesNames: ["as it stands", "changed"],
                rows: found.map { name, figure in
                    DotChart.Row(
                        label: name,
                        dots: [
                            dot(figure.row.baseline, figure.baseline, figure.row, figure.baselineCensored),
                            dot(figure.row.candidate, figure.candidate, figure.row, figure.candidateCensored),
                        ])
                }, isLogarithmic: true, title: "\(unit) per replication (logarithmic)",
                format: Format.tick(first.unit))
            return Figure(
                title: "\(metric.words).",
                caption: "Means with intervals; ◂ marks a 0, ≥ a fleet that some runs did not see healthy.",
                table: DataTable(
                    header: ["scenario", "side"] + DataTable.titles(first.unit) + ["verdict"],
                    rows: found.flatMap { name, figure in
                        [
                            [.text(name), .text("as it stands")]
                                + cells(figure.row.baseline, figure.baseline, figure.row) + [.none],
                            [.text(name), .text("changed")]
                                + cells(figure.row.candidate, figure.candidate, figure.row)
                                + [.text(ComparisonTable.verdict(figure.row))],
                        ]
                    }), drawings: [chart.drawing], isOpen: true)
        }
    }

    private func dot(
        _ value: Double, _ interval: Interval?, _ row: Comparison.Row, _ censored: Int
    ) -> DotChart.Dot {
        DotChart.Dot(
            value: value, low: interval?.low, high: interval?.high,
            label: (censored > 0 ? "≥ " : "") + Format.estimate(value, interval, row.unit))
    }

    private func cells(_ value: Double, _ interval: Interval?, _ row: Comparison.Row) -> [DataTable.Cell] {
        DataTable.cells(value, interval?.low, interval?.high, row.unit)
    }
}
