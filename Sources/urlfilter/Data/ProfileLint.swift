import ArgumentParser
import CommandSupport
import Foundation
import Report
import URLFilter
import Workload

/// `urlfilter lint` of a configuration profile or a declaration.
enum ProfileLint {
    enum Supervision: String, EnumerableFlag {
        case supervised, unsupervised
    }

    static func isProfile(_ path: String) -> Bool {
        [".mobileconfig", ".json"].contains { path.lowercased().hasSuffix($0) }
    }

    static func run(_ path: String, supervision: Supervision?, json: Bool) throws {
        let limit = ProfileLinter.maximumByteCount
        let document = try InputBytes.read(path, limit: limit)
        guard document.count <= limit else { throw InputError.tooLarge(name: path, limit: limit) }
        let findings = ProfileLinter.lint(document, isSupervised: supervision.map { $0 == .supervised })
        guard let findings else {
            throw UnusableInput(
                path,
                "it is neither an XML property list nor JSON; write a binary one as XML, and take off a signature, "
                    + "before it is checked")
        }
        let result = ProfileLintResult(file: path, findings: findings)
        try Terminal.print(json ? JSONText.render(result) : ProfileText.render(findings, file: path))
        if result.errors > 0 { throw ExitStatus.invalidInput.code }
    }
}
