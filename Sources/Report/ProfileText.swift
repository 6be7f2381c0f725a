package import URLFilter

/// The terminal form of what is wrong with a profile.
package enum ProfileText {
    /// `file: error|warning: PATH MESSAGE`.
    package static func line(_ finding: ProfileFinding, file: String) -> String {
        "\(file == "-" ? "profile" : file): \(finding.severity.rawValue): \(finding.path) \(finding.message)"
    }

    /// - Returns: Text that ends with a newline; the last line answers whether devices take it.
    package static func render(_ findings: [ProfileFinding], file: String) -> String {
        let errors = findings.count { $0.severity == .error }
        let conclusion =
            errors > 0
            ? "no device filters by it: errors: \(errors), warnings: \(findings.count - errors)"
            : findings.isEmpty
                ? "nothing is wrong with it" : "devices take it; warnings: \(findings.count)"
        return (findings.map { line($0, file: file) } + ["\(file): \(conclusion)"])
            .joined(separator: "\n") + "\n"
    }
}

/// What is wrong with a profile. As JSON `urlfilter.profile-lint/1`.
package struct ProfileLintResult: Codable, Hashable, Sendable {
    package static let schemaName = "urlfilter.profile-lint/1"

    package var schema = Self.schemaName
    package var file: String
    package var errors: Int
    package var warnings: Int
    package var findings: [ProfileFinding]

    package init(file: String, findings: [ProfileFinding]) {
        self.file = file
        self.findings = findings
        errors = findings.count { $0.severity == .error }
        warnings = findings.count - errors
    }
}
