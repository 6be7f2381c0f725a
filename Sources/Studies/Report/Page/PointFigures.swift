import Experiment
import Wording

/// All points of a sweep in one table, with what was varied and the main metrics.
struct PointFigures {
    let points: PagePoints

    var figures: [Figure] {
        let all = points.result.points
        guard all.count > 1 else { return [] }
        let settings = all.flatMap(\.settings.keys).uniqued().sorted()
        let metrics = SensitivityFigures(points: points).metrics
        let rows = all.map { point -> [DataTable.Cell] in
            settings.map { .text(point.settings[$0] ?? "–") } + [.text(verdict(point))]
                + metrics.map { metric in
                    point[metric].map { .number($0.value, Format.bare($0.value, $0.unit)) } ?? .none
                }
        }
        return [
            Figure(
                title: "Every point.",
                caption:
                    "What was varied, how many objectives were met, and the main metrics without their intervals,"
                    + " which stand below."
                    + (points.chosen == nil ? "" : " ✓ is the first that meets every objective."),
                table: DataTable(
                    header: settings.map(Format.lastWord(ofPath:)) + ["objectives"]
                        + metrics.map(SensitivityFigures.title),
                    rows: rows),
                isOpen: true)
        ]
    }

    private func verdict(_ point: PointResult) -> String {
        let met = point.objectives.count { $0.verdict == .pass }
        guard !point.objectives.isEmpty else { return "none set" }
        return "\(met)\u{A0}of\u{A0}\(point.objectives.count)\u{A0}met"
            + (point == points.chosen ? "\u{A0}✓" : "")
    }
}
