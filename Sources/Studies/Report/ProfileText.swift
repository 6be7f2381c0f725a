package import URLFilter
import Wording

/// The terminal form of what is wrong with a profile.
package enum ProfileText {
    /// `file: error|warning: PATH MESSAGE`.
    package static func line(_ finding: ProfileFinding, file: String) -> String {
        "\(file == "-" ? "profile" : file): \(finding.severity.rawValue): \(finding.path) \(finding.message)"
    }

    /// - Returns: Text that ends with a newline; the last line answers whether devices take it.
    package static func render(_ result: ProfileLintResult) -> String {
        let (findings, file) = (result.findings, result.file)
        let errors = findings.count { $0.severity == .error }
        let conclusion =
            errors > 0
            ? "devices do not filter as it says: errors: \(errors), warnings: \(findings.count - errors)"
            : findings.isEmpty
                ? "nothing is wrong with it" : "devices take it; warnings: \(findings.count)"
        let download = result.download.map { ["\(file): \(text(of: $0))"] } ?? []
        return (findings.map { line($0, file: file) } + download + ["\(file): \(conclusion)"])
            .joined(separator: "\n") + "\n"
    }

    private static func text(of download: PrefilterDownload) -> String {
        "a prefilter of \(Format.bytes(Double(download.bytes))) every \(Format.duration(download.interval)) to "
            + "\(Format.count(download.devices)) devices is at most \(Format.bytes(download.bytesPerDay)) a day"
    }
}

/// Errors and warnings about a profile. As JSON `urlfilter.profile-lint/1`.
package struct ProfileLintResult: Codable, Hashable, Sendable {
    package static let schemaName = "urlfilter.profile-lint/1"

    package var schema = Self.schemaName
    package var file: String
    package var errors: Int
    package var warnings: Int
    package var findings: [ProfileFinding]
    package var download: PrefilterDownload?

    package init(file: String, findings: [ProfileFinding], download: PrefilterDownload? = nil) {
        self.file = file
        self.findings = findings
        self.download = download
        errors = findings.count { $0.severity == .error }
        warnings = findings.count - errors
    }
}

/// Downloads of a fleet when each fetch brings a new prefilter.
package struct PrefilterDownload: Codable, Hashable, Sendable {
    package var bytes: Int
    /// Seconds between two fetches of a device.
    package var interval: Double
    package var devices: Int
    package var bytesPerDay: Double

    package init(bytes: Int, interval: Int, devices: Int) {
        self.bytes = bytes
        self.interval = Double(max(interval, 1))
        self.devices = devices
        bytesPerDay = Double(bytes) * 86_400 / self.interval * Double(devices)
    }
}
