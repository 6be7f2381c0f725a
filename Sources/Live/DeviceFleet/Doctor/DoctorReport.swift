/// Findings of `urlfilter doctor`. As JSON the document `urlfilter.doctor/1`.
package struct DoctorReport: Codable, Sendable {
    package static let schemaName = "urlfilter.doctor/1"

    package enum Outcome: String, Codable, Sendable {
        case pass, fail
        /// It departs from the rules in a way that devices take; worth knowing, no failure.
        case note
        case notChecked = "not checked"
    }

    package struct Line: Codable, Sendable {
        package var check: DoctorCheck
        package var title: String
        package var outcome: Outcome
        /// Finding, or the reason why it was not looked for.
        package var detail: String
        /// Advice on what to do; nil unless the check failed or is a note.
        package var fix: String?
        /// Log or behaviour of a device; nil unless the check failed.
        package var signature: String?

        package init(
            check: DoctorCheck, title: String, outcome: Outcome, detail: String, fix: String? = nil,
            signature: String? = nil
        ) {
            self.check = check
            self.title = title
            self.outcome = outcome
            self.detail = detail
            self.fix = fix
            self.signature = signature
        }
    }

    package var schema = Self.schemaName
    package var service: String
    package var issuer: String
    package var route: String
    package var usecase: String
    /// One per check, in the order of the protocol.
    package var lines: [Line] = []
    /// Causes that `serverSetupIncomplete` on a device may have.
    package internal(set) var causes: [SetupCause] = []

    package init(service: String, issuer: String, route: String, usecase: String) {
        self.service = service
        self.issuer = issuer
        self.route = route
        self.usecase = usecase
    }

    package func count(_ outcome: Outcome) -> Int { lines.count { $0.outcome == outcome } }
    package var hasFailure: Bool { count(.fail) > 0 }
}
