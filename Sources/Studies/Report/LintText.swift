import Experiment
package import ListAnalysis
import Wording
package import Workload

/// The terminal form of what `lint` finds.
package enum LintText {
    /// `file:line: error|warning: 'entry': message`, the form that editors can jump to.
    package static func line(_ finding: LintFinding, file: String) -> String {
        "\(finding.file ?? file):\(finding.line): \(finding.severity.rawValue): '\(finding.entry)':"
            + " \(finding.message)\n"
    }

    /// - Returns: Text that ends with a newline; the last line has the counts.
    package static func render(_ counts: LintCounts, keys: KeyPolicy, file: String) -> String {
        var text = Format.keys(keys, counts.unmatchable).map { $0 + "\n" }.joined()
        if counts.pathEntries > 0 {
            text += "entries with a path: \(Format.count(counts.pathEntries)); "
            text += "iOS 26 looks those up on the host itself, not on its subdomains\n"
        }
        let kinds = LintFinding.Code.allCases.compactMap { code in
            counts.findings[code].map { "\(name(of: code)): \(Format.count($0))" }
        }
        text +=
            "\(file): \(Format.count(counts.lines, "line")), \(Format.count(counts.entries, "entry")), "
        text += "errors: \(Format.count(counts.errors)), warnings: \(Format.count(counts.warnings))"
        if !kinds.isEmpty { text += " (\(kinds.joined(separator: ", ")))" }
        return text + "\n"
    }

    /// Heading that says what findings have in common.
    static func title(_ code: LintFinding.Code, _ cause: String?) -> String {
        let title =
            switch code {
            case .dropped: "lines dropped"
            case .duplicate: "the same entry stands in the list before"
            case .doubtful: "match, but perhaps not what was meant"
            case .neverMatches: "never match"
            case .neverMatchesSome: "match on some systems only"
            case .needed: "block a host that devices need"
            case .publicSuffix: "are a public suffix, and match every site registered below"
            case .redundant: "not needed, a shorter entry matches all that these match"
            }
        return title + (cause.map { ": " + $0 } ?? "")
    }

    private static func name(of code: LintFinding.Code) -> String {
        switch code {
        case .dropped: "dropped"
        case .duplicate: "duplicate"
        case .doubtful: "doubtful"
        case .neverMatches: "never match"
        case .neverMatchesSome: "match on some systems only"
        case .needed: "block what devices need"
        case .publicSuffix: "public suffix"
        case .redundant: "redundant"
        }
    }
}
