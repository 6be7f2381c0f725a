package import Experiment

/// Something about one line of a block list that its author should know.
///
/// As JSON an element of `findings` in the document `urlfilter.lint/1`.
package struct LintFinding: Codable, Hashable, Sendable {
    package enum Severity: String, Codable, Sendable {
        /// The line does nothing, or not what it says.
        case error
        /// The line works, but perhaps not as meant.
        case warning
    }

    package enum Code: String, CaseIterable, Codable, CodingKeyRepresentable, Sendable {
        /// The line is not in the list.
        case dropped
        /// The same entry stands in the list before.
        case duplicate
        /// It matches, but perhaps not what was meant.
        case doubtful
        /// No device can match it.
        case neverMatches
        /// Devices of one generation can match it, those of another cannot.
        case neverMatchesSome
        /// It blocks a host that devices need.
        case needed
        /// It is a public suffix, and matches every site below.
        case publicSuffix
        /// A shorter entry matches all URLs that this one matches.
        case redundant
    }

    /// File that has the line, where the list is a folder.
    package var file: String?
    /// Counted from 1.
    package var line: Int
    package var severity: Severity
    package var code: Code
    /// The entry or line, printable and shortened.
    package var entry: String
    package var message: String
    /// Trait that findings of one code have in common, for example `upper case`; absent where the code says
    /// it all.
    package var cause: String?

    /// `line 3`, or `line 3 of domains`.
    package var place: String { Self.place(file, line) }

    static func place(_ file: String?, _ line: Int) -> String {
        "line \(line)" + (file.map { " of \($0.split(separator: "/").last ?? "")" } ?? "")
    }
}

/// How often what was found. As JSON `counts` of the document `urlfilter.lint/1`.
package struct LintCounts: Codable, Hashable, Sendable {
    package var lines = 0
    package var entries = 0
    /// Lines that say something which the entries do not say: they block less than the list says, or more.
    package var lost = 0
    package var errors = 0
    package var warnings = 0
    package var findings: [LintFinding.Code: Int] = [:]
    /// Entries with a path: iOS 26 looks them up on the host itself and its `www.` only, not on its subdomains.
    package var pathEntries = 0
    /// On every system.
    package var unmatchable: [UnmatchableSummary]

    package init(unmatchable: [UnmatchableSummary]) { self.unmatchable = unmatchable }

    package mutating func add(_ finding: LintFinding) {
        if finding.severity == .error { errors += 1 } else { warnings += 1 }
        findings[finding.code, default: 0] += 1
    }
}
