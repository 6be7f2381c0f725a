import Experiment
package import Questions
import RunMetrics
import Wording

/// The terminal form of a study: one table for all scenarios.
package enum StudyText {
    static let titles = ["let through", "wrongly blocked", "pages broken", "s until healthy"]

    /// - Returns: Text that ends with a newline.
    package static func render(_ study: StudyComparison) -> String {
        var lines = tables(rows(study)) + [""]
        if study.isInterrupted { lines.append(interruption(study)) }
        if let decision = study.decision { lines += FaultDecisionText(decision).lines + [""] }
        lines += Format.wrapped(
            conditions(study) + "; <: none was seen; ≥: the fleet was not seen healthy in some replications;"
                + " open: too few replications tell")
        lines.append(closing(study))
        return lines.joined(separator: "\n") + "\n"
    }

    private static func rows(_ study: StudyComparison) -> [[String]] {
        var rows = [["SCENARIO", ""] + titles]
        for entry in study.entries {
            rows.append(
                [entry.name, study.sides.baseline]
                    + cells(entry) { value($0.row, $0.row.baseline, $0.baseline, cut: $0.row.baselineCut) })
            rows.append(
                ["", study.sides.candidate]
                    + cells(entry) { value($0.row, $0.row.candidate, $0.candidate, cut: $0.row.candidateCut) }
            )
            rows.append(["", "change"] + cells(entry) { $0.row.verdict.map(word) ?? "–" })
        }
        return rows
    }

    /// The columns that stand beside each other, and below them those for which there is no room.
    private static func tables(_ rows: [[String]]) -> [String] {
        let widths = rows[0].indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
        let names = [0, 1]
        var parts = [names]
        for column in widths.indices.dropFirst(names.count) {
            let part = (parts.last ?? names) + [column]
            let width = part.reduce(2 * (part.count - 1)) { $0 + widths[$1] }
            if width <= Format.columns || parts.last == names {
                parts[parts.count - 1] = part
            } else {
                parts.append(names + [column])
            }
        }
        return parts.map { part in
            rows.map { row in
                Format.withoutBlanksAtEnd(
                    part.map { column in
                        names.contains(column)
                            ? Format.left(row[column], widths[column])
                            : Format.right(row[column], widths[column])
                    }.joined(separator: "  "))
            }
        }.joined(separator: [""]).map(\.self)
    }

    /// A verdict in a column of numbers.
    private static func word(_ verdict: Comparison.Verdict) -> String {
        switch verdict {
        case .noDifferenceSeen: "not seen"
        case .noDifference: "none"
        case .withinNoiseBand: "in the noise"
        case .tooFewReplications: "open"
        case .better, .worse, .different, .notReached: verdict.rawValue
        }
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
        _ row: Comparison.Row, _ value: Double, _ interval: Interval?, cut: Int?
    ) -> String {
        // Within a step of the series of verdicts, in every replication.
        if row.isOf(.recovery), value == 0, cut == nil { return "at once" }
        if value == 0, let interval, interval.low == 0, interval.high > 0 {
            return "< " + Format.number(interval.high)
        }
        return Format.leastMark(cut) + Format.number(value)
            + Format.spread(around: value, interval, Format.number)
    }
}
