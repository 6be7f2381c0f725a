package import Experiment
import Foundation

/// The terminal form of a comparison.
package enum ComparisonText {
    /// - Returns: Text that ends with a newline.
    package static func render(_ comparison: Comparison) -> String {
        let percent = Format.number(comparison.confidence * 100)
        var lines = [
            "baseline   \(side(comparison.baseline))", "candidate  \(side(comparison.candidate))",
            comparison.pairs.map { "paired by replication (\($0) pairs, common random numbers)" }
                ?? "not paired: the results share no random numbers; Welch's test",
            "\(percent) % intervals, p-values adjusted by Holm's method,"
                + " noise band ± \(Format.share(comparison.noiseBand))",
            "'no difference' is said of an interval inside the noise band only",
        ]
        lines += comparison.workloadDiffers.map { "workloads differ: \($0)" }
        let (before, after) = (
            comparison.baseline.blocklist.map(Format.keys) ?? [],
            comparison.candidate.blocklist.map(Format.keys) ?? []
        )
        lines += before == after ? before : ["baseline:"] + before + ["candidate:"] + after
        lines.append("")
        lines += table(comparison)
        lines.append("")
        for change in comparison.settings {
            lines.append(
                "setting \(change.path): \(change.baseline ?? "not set") -> \(change.candidate ?? "not set")")
        }
        if comparison.settings.isEmpty { lines.append("no setting differs") }
        let judged = comparison.rows.count { $0.better != .neither }
        let worse = comparison.regressions
        lines.append(
            "\(judged) metrics compared, \(comparison.rows.count { $0.verdict == .better }) better,"
                + " \(worse) worse")
        return lines.joined(separator: "\n") + "\n"
    }

    private static func side(_ side: Comparison.Side) -> String {
        "\(side.name) (\(side.replications) replications\(side.finished ? "" : ", INTERRUPTED"))"
    }

    private static func table(_ comparison: Comparison) -> [String] {
        let header = ["metric", "baseline", "candidate", "change", "verdict"]
        let rows = comparison.rows.map { row in
            [
                "\(row.metric) \(row.statistic)", value(row.baseline, row.unit),
                value(row.candidate, row.unit), change(row), verdict(row),
            ]
        }
        let widths = header.indices.map { column in ([header] + rows).map { $0[column].count }.max() ?? 0 }
        return ([header] + rows).map { row in
            let cells = row.enumerated().map { column, cell in
                column == 0 || column == 4
                    ? Format.left(cell, column == 4 ? 0 : widths[0]) : Format.right(cell, widths[column])
            }
            return cells.joined(separator: "  ")
        }
    }

    /// With the smallest change that could have been seen, where none was.
    private static func verdict(_ row: Comparison.Row) -> String {
        guard row.verdict == .noDifferenceSeen, let detectable = row.detectable else {
            return row.verdict.rawValue
        }
        let text = row.relative == nil ? value(detectable, row.unit) : Format.share(detectable)
        return row.verdict.rawValue + ", could see ± \(text)"
    }

    private static func change(_ row: Comparison.Row) -> String {
        if row.change == 0, !row.hasSpread { return "none" }
        if !row.hasSpread {
            return row.relativeChange.map { signed($0 * 100) + " %" }
                ?? (row.change > 0 ? "+" : "") + value(row.change, row.unit)
        }
        if let change = row.relativeChange, let relative = row.relative {
            return signed(change * 100) + " % [" + signed(relative.low * 100) + ", "
                + signed(relative.high * 100) + "]"
        }
        return (row.change > 0 ? "+" : "") + value(row.change, row.unit) + " ["
            + value(row.difference.low, row.unit) + ", " + value(row.difference.high, row.unit) + "]"
    }

    private static func signed(_ value: Double) -> String { (value > 0 ? "+" : "") + Format.number(value) }

    private static func value(_ value: Double, _ unit: Metric.Unit) -> String {
        switch unit {
        case .seconds: Format.milliseconds(value) + " ms"
        case .share: Format.share(value)
        case .bytes: Format.bytes(value)
        case .number: Format.number(value)
        }
    }
}
