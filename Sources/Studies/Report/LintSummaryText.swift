import Experiment
package import ListAnalysis
import Wording
package import Workload

/// Findings of `lint` on one screen: by cause, with examples. ``LintText`` names every line.
package struct LintSummaryText: Sendable {
    private struct Cause: Hashable {
        var severity: LintFinding.Severity
        var code: LintFinding.Code
        var cause: String?

        /// It blocks what nobody wants blocked, which one line among thousands can do.
        var isDanger: Bool { code == .needed || code == .publicSuffix }
    }

    private static let exampleCount = 3
    /// Causes that are shown.
    private static let causeCount = 6

    private var groups: [Cause: (count: Int, examples: [LintFinding])] = [:]

    package init() {}

    package mutating func add(_ finding: LintFinding) {
        let cause = Cause(severity: finding.severity, code: finding.code, cause: finding.cause)
        groups[cause, default: (0, [])].count += 1
        if groups[cause, default: (0, [])].examples.count < Self.exampleCount {
            groups[cause]?.examples.append(finding)
        }
    }

    /// - Parameters:
    ///   - repair: What was written, and where.
    /// - Returns: Text that ends with a newline, at most 24 lines of at most 100 columns.
    package func render(
        _ counts: LintCounts, file: String, format: String, keys: KeyPolicy,
        repair: (file: String, summary: ListRepair.Summary)?
    ) -> String {
        var lines = Format.wrapped(
            "\(file): \(Format.count(counts.entries, "entry")) in \(Format.count(counts.lines, "line")), read as"
                + " \(format), keys \(keys)")
        lines += Format.wrapped(headline(counts))
        lines += causes
        if let repair { lines += Self.text(repair.summary, file: repair.file) }
        lines += Format.wrapped(closing(counts, repair))
        if !groups.isEmpty {
            lines.append("more: --all, every finding as FILE:LINE: error|warning: 'ENTRY': MESSAGE")
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private func headline(_ counts: LintCounts) -> String {
        let systems = counts.unmatchable.map(\.rules.title).joined(separator: " and ")
        let dead = counts.unmatchable.filter { $0.count > 0 }.map {
            "\(Format.count($0.count, "entry")) (\(Format.share(Double($0.count) / Double(max(1, $0.entries))))) cannot"
                + " match on \($0.rules.title)"
        }
        let judged = dead.isEmpty ? ["every entry can match, on \(systems)"] : dead
        let lost = groups.filter { $0.key.code == .dropped && $0.key.severity == .error }.reduce(0) {
            $0 + $1.value.count
        }
        let drops = lost > 0 ? ["\(Format.count(lost)) lines are no entries"] : []
        let kept = counts.lost - lost
        let losses = kept > 0 ? ["\(Format.count(kept, "rule")) of the list cannot be kept"] : []
        let wide = Self.wide(counts)
        let dangers = wide > 0 ? ["\(Format.count(wide, "entry")) block more than a site"] : []
        return verdict(counts, isWide: wide > 0, isDead: !dead.isEmpty)
            + (judged + drops + losses + dangers).joined(separator: "; ") + "."
    }

    private static func wide(_ counts: LintCounts) -> Int {
        (counts.findings[.needed] ?? 0) + (counts.findings[.publicSuffix] ?? 0)
    }

    /// A list of which something is lost does not pass.
    private func verdict(_ counts: LintCounts, isWide: Bool, isDead: Bool) -> String {
        if counts.errors > 0 || counts.entries == 0 { return "FAIL: " }
        if isWide { return "CAREFUL: " }
        if isDead || counts.lost > 0 { return "NOT ALL OF IT: " }
        return counts.warnings > 0 ? "PASS, with remarks: " : "PASS: "
    }

    private var causes: [String] {
        let sorted = groups.sorted { left, right in
            if left.key.isDanger != right.key.isDanger { return left.key.isDanger }
            if left.key.severity != right.key.severity { return left.key.severity == .error }
            if left.value.count != right.value.count { return left.value.count > right.value.count }
            return LintText.title(left.key.code, left.key.cause)
                < LintText.title(right.key.code, right.key.cause)
        }
        let shown = sorted.prefix(Self.causeCount)
        var lines = shown.flatMap { cause, group in
            let severity = cause.severity == .error ? "!" : " "
            let title =
                "\(severity) \(Format.right(Format.count(group.count), 7))  "
                + LintText.title(cause.code, cause.cause)
            let examples = group.examples.map { "\($0.place) '\(Self.short($0.entry))'" }
            return [
                Self.cut(title),
                Self.cut(
                    "            " + examples.joined(separator: ", ")
                        + (group.count > group.examples.count ? ", …" : "")),
            ]
        }
        if sorted.count > shown.count {
            lines.append("  and \(sorted.count - shown.count) more causes")
        }
        return lines
    }

    private static func text(_ summary: ListRepair.Summary, file: String) -> [String] {
        func count(_ groups: [ListRepair.Group]) -> Int { groups.reduce(0) { $0 + $1.count } }
        var lines = Format.wrapped(
            "\(file): \(Format.count(summary.entries, "entry")), \(Format.count(count(summary.repaired))) repaired"
                + (summary.repaired.first.map { " (most: \($0.cause))" } ?? "") + ","
                + " \(Format.count(summary.duplicatesRemoved, "duplicate")) removed,"
                + (summary.coveredRemoved > 0
                    ? " \(Format.count(summary.coveredRemoved, "entry")) left out that another one covers,"
                    : "")
                + " \(Format.count(summary.linesLeftOut, "line")) left out that are no entries")
        let left = summary.notRepaired
        if !left.isEmpty { lines.append("not repaired, and left as they are:") }
        for group in left.prefix(left.count > 2 ? 1 : 2) {
            let example = group.examples.first.map { ", as line \($0.line) '\(short($0.entry))'" } ?? ""
            lines.append(cut("  \(Format.count(group.count))  \(group.cause)\(example)"))
        }
        if left.count > 2 {
            lines.append(
                "  \(Format.count(count(Array(left.dropFirst()))))  for other reasons (--json names them)")
        }
        return lines
    }

    private func closing(
        _ counts: LintCounts, _ repair: (file: String, summary: ListRepair.Summary)?
    ) -> String {
        guard
            counts.errors + counts.warnings > 0 || counts.unmatchable.contains(where: { $0.count > 0 })
        else {
            return "So nothing has to be done."
        }
        let wide =
            Self.wide(counts) > 0 ? ["look whether you want the entries that block more than a site"] : []
        if let repair {
            let left = repair.summary.notRepaired.isEmpty ? [] : ["look at what was not repaired"]
            return (["So use \(repair.file)"] + left + wide).joined(separator: "; ") + "."
        }
        let systems = counts.unmatchable.filter { $0.count > 0 }.map(\.rules.title)
        if counts.lost > 0, counts.errors == 0 {
            return "So the list does not block what it says: look at the lines that are dropped."
        }
        guard systems.isEmpty || counts.errors > 0 else {
            return
                "So on \(systems.joined(separator: " and ")) the list blocks less than it says; --fix FILE mends"
                + " in a copy what can be mended."
        }
        guard counts.errors == 0 else {
            return "So the list blocks less than it says; --fix FILE mends in a copy what can be mended."
        }
        let copies =
            (counts.findings[.duplicate] ?? 0) > 0 ? ["--fix FILE writes a copy without duplicates"] : []
        return (["So the list blocks what it says, as far as a list can tell"] + wide + copies)
            .joined(separator: "; ") + "."
    }

    private static func short(_ entry: String) -> String {
        entry.count > 28 ? String(entry.prefix(27)) + "…" : entry
    }

    private static func cut(_ line: String) -> String {
        line.count > 100 ? String(line.prefix(99)) + "…" : line
    }
}
