import Experiment
package import Questions
import RunMetrics
import Wording

/// The terminal form of a study: one table for all scenarios.
package enum StudyText {
    static let titles = ["let through", "wrongly blocked", "pages broken", "s until healthy"]

    /// - Returns: Text that ends with a newline.
    package static func render(_ study: StudyComparison) -> String {
        var rows = [["SCENARIO", ""] + titles]
        for entry in study.entries {
            rows.append(
                [entry.name, study.sides.baseline]
                    + cells(entry) {
                        value($0.row, $0.row.baseline, $0.baseline, censored: $0.baselineCensored)
                    })
            rows.append(
                ["", study.sides.candidate]
                    + cells(entry) {
                        value($0.row, $0.row.candidate, $0.candidate, censored: $0.candidateCensored)
                    })
            rows.append(["", "which is"] + cells(entry) { $0.row.verdict?.rawValue ?? "–" })
        }
        let widths = rows[0].indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
        var lines = rows.map { row in
            row.enumerated().map { column, cell in
                column < 2 ? Format.left(cell, widths[column]) : Format.right(cell, widths[column])
            }.joined(separator: "  ")
        }
        lines.append("")
        if study.isInterrupted { lines.append(interruption(study)) }
        if let decision = study.decision { lines += FaultDecisionText(decision).lines + [""] }
        lines += Format.wrapped(
            conditions(study) + "; ≥: the fleet was not seen healthy in some replications")
        lines.append(closing(study))
        return lines.joined(separator: "\n") + "\n"
    }

    static func interruption(_ study: StudyComparison) -> String {
        "INTERRUPTED: only \(study.entries.count) of \(Format.count(study.planned, "scenario")) are in the table"
    }

    static func conditions(_ study: StudyComparison) -> String {
        let replications = Set(
            study.entries.flatMap { [$0.baseline.replications, $0.candidate.replications] })
        return "means per replication with \(Format.percent(study.confidence)) intervals over"
            + " \(replications.sorted().map(String.init).joined(separator: " or ")) replications, paired by common random"
            + " numbers; p-values of the whole table adjusted by Holm's method, noise band ±"
            + " \(Format.percent(study.noiseBand))"
    }

    static func closing(_ study: StudyComparison) -> String {
        let figures = study.entries.flatMap(\.figures)
        return
            "\(Format.count(figures.count, "figure")) compared, \(figures.count { $0.row.verdict == .better }) better,"
            + " \(study.regressions) worse"
    }

    private static func cells(
        _ entry: StudyComparison.Entry, _ text: (StudyComparison.Figure) -> String
    ) -> [String] {
        StudyComparison.metrics.map { metric in
            entry.figures.first { $0.row.isOf(metric) }
                .map(text) ?? "–"
        }
    }

    static func value(
        _ row: Comparison.Row, _ value: Double, _ interval: Interval?, censored: Int
    ) -> String {
        // Within a step of the series of verdicts, in every replication.
        if row.isOf(.recovery), value == 0, censored == 0 { return "at once" }
        return (censored > 0 ? "≥ " : "") + Format.number(value)
            + Format.spread(around: value, interval, Format.number)
    }
}
