import Experiment
import Foundation
package import Questions
import RunMetrics
import Wording

/// All of a comparison for the terminal. ``ComparisonSummaryText`` has the answer.
package enum ComparisonText {
    /// - Returns: Text that ends with a newline.
    package static func render(_ comparison: Comparison) -> String {
        var lines = [
            "baseline   \(side(comparison.baseline))", "candidate  \(side(comparison.candidate))",
            comparison.pairs.map { "paired by replication (\($0) pairs, common random numbers)" }
                ?? "not paired: the results share no random numbers; Welch's test",
        ]
        lines += Format.wrapped(
            "the primary metrics have a verdict: intervals and p-values adjusted by Holm's method to"
                + " \(Format.percent(comparison.confidence)) over all of them, noise band ±"
                + " \(Format.percent(comparison.noiseBand)); 'no difference' is said of an interval inside the noise"
                + " band only; the intervals of the other metrics are not adjusted")
        if let note = ComparisonTable.note(comparison.rows) { lines += Format.wrapped(note) }
        lines += comparison.workloadDiffers.map { "workloads differ: \($0)" }
        let (before, after) = (
            comparison.baseline.blocklist.map(Format.keys) ?? [],
            comparison.candidate.blocklist.map(Format.keys) ?? []
        )
        lines += before == after ? before : ["baseline:"] + before + ["candidate:"] + after
        lines.append("")
        let primary = comparison.rows.filter { $0.verdict != nil }
        let others = comparison.rows.filter { $0.verdict == nil }
        lines += ComparisonTable.lines(primary, title: "primary metric") { $0.words }
        lines.append("")
        if !others.isEmpty {
            lines += ComparisonTable.lines(others, title: "other metric") { $0.words }
            lines.append("")
        }
        lines += changes(comparison)
        lines.append(
            "\(primary.count) primary metrics, \(primary.count { $0.verdict == .better }) better,"
                + " \(comparison.regressions) worse; \(others.count) others without a verdict")
        return lines.joined(separator: "\n") + "\n"
    }

    static func changes(_ comparison: Comparison) -> [String] {
        guard !comparison.settings.isEmpty else { return ["no setting differs"] }
        return comparison.settings.map { change in
            "setting \(change.path): \(change.baseline ?? "not set") -> \(change.candidate ?? "not set")"
        }
    }

    private static func side(_ side: Comparison.Side) -> String {
        "\(side.name) (\(Format.count(side.replications, "replication"))\(side.finished ? "" : ", INTERRUPTED"))"
    }
}

/// Rows of a comparison as a table.
enum ComparisonTable {
    /// Seconds from which a time is no wait of a person, and is written in a larger unit than milliseconds.
    private static let longTime = 60.0

    /// - Parameter name: What a row is called.
    static func lines(
        _ rows: [Comparison.Row], title: String, _ name: (Comparison.Row) -> String
    ) -> [String] {
        let header = [
            title, "baseline", "candidate", "change",
            rows.contains { $0.verdict != nil } ? "verdict" : "",
        ]
        let cells =
            [header]
            + rows.map { row in
                [
                    name(row), value(row.baseline, row.unit, cut: row.baselineCut),
                    value(row.candidate, row.unit, cut: row.candidateCut), change(row), verdict(row),
                ]
            }
        let widths = header.indices.map { column in cells.map { $0[column].count }.max() ?? 0 }
        return cells.map { row in
            let padded = row.enumerated().map { column, cell in
                column == 0 || column == 4
                    ? Format.left(cell, column == 4 ? 0 : widths[0]) : Format.right(cell, widths[column])
            }
            return Format.withoutBlanksAtEnd(padded.joined(separator: "  "))
        }
    }

    static func verdict(_ row: Comparison.Row) -> String {
        guard let verdict = words(row) else { return "" }
        return verdict + (row.moreReplications.map { ", +\(Format.count($0))" } ?? "")
    }

    /// Verdict without what it lacks; `nil` for a metric that has none.
    static func words(_ row: Comparison.Row) -> String? {
        row.verdict.map { verdict in
            let isEither = verdict == .notReached && row.baselineCut != nil && row.candidateCut != nil
            return verdict.rawValue + (isEither ? " in either" : "")
        }
    }

    /// Change without its interval; with a mark where it is open on one side.
    static func size(_ row: Comparison.Row) -> String {
        guard let change = row.change else { return "unknown" }
        return mark(row)
            + (row.relativeChange.map { signed($0 * 100) + " %" }
                ?? (change > 0 ? "+" : "") + value(change, row.unit))
    }

    /// Mark before a change that is open on one side.
    static func mark(_ row: Comparison.Row) -> String {
        switch row.bound {
        case .atLeast?: "≥ "
        case .atMost?: "≤ "
        case nil: ""
        }
    }

    /// Change with its interval.
    static func change(_ row: Comparison.Row) -> String {
        // What rounding leaves of equal sides is no change.
        if isNone(row) { return "none" }
        guard row.hasSpread, let difference = row.difference else { return size(row) }
        if let relative = row.relative {
            return size(row) + " [\(signed(relative.low * 100)), \(signed(relative.high * 100))]"
        }
        return size(row) + " [\(value(difference.low, row.unit)), \(value(difference.high, row.unit))]"
    }

    /// Whether both sides are equal in every replication.
    static func isNone(_ row: Comparison.Row) -> Bool { !row.hasSpread && row.pValue == 1 }

    /// Line on values that were not reached; `nil` where all were.
    static func note(_ rows: some Sequence<Comparison.Row>) -> String? {
        rows.contains { $0.baselineCut != nil || $0.candidateCut != nil }
            ? "≥: the runs end before the value is reached, which is at least so large; a longer duration tells"
            : nil
    }

    static func signed(_ value: Double) -> String {
        (value > 0 ? "+" : "") + Format.number(value)
    }

    /// - Parameter cut: Replications that ended before the value was reached.
    static func value(_ value: Double, _ unit: Metric.Unit, cut: Int?) -> String {
        Format.leastMark(cut) + self.value(value, unit)
    }

    private static func value(_ value: Double, _ unit: Metric.Unit) -> String {
        switch unit {
        case .seconds where value.magnitude >= longTime:
            (value < 0 ? "-" : "") + Format.duration(value.magnitude)
        case .seconds: Format.milliseconds(value) + " ms"
        case .share: Format.share(value)
        case .bytes: Format.bytes(value)
        case .number: Format.number(value)
        }
    }
}
