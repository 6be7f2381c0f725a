/// A sentence about what is wrong.
struct DoctorFault: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

/// The lines of a report, in the order of the checks.
struct DoctorFindings {
    private var found: [DoctorCheck: DoctorReport.Line] = [:]
    /// Nothing further can be checked.
    private(set) var isClosed = false
    private var reason = "an earlier step failed"

    mutating func pass(_ check: DoctorCheck, _ detail: String) { add(check, .pass, detail) }

    mutating func fail(_ check: DoctorCheck, _ detail: String) { add(check, .fail, detail) }

    mutating func note(_ check: DoctorCheck, _ detail: String) { add(check, .note, detail) }

    mutating func skip(_ check: DoctorCheck, _ why: String) { add(check, .notChecked, why) }

    mutating func skipRest(_ why: String) {
        isClosed = true
        reason = why
    }

    private mutating func add(_ check: DoctorCheck, _ outcome: DoctorReport.Outcome, _ detail: String) {
        found[check] = DoctorReport.Line(
            check: check, title: check.title, outcome: outcome, detail: detail,
            fix: [.fail, .note].contains(outcome) ? check.fix : nil,
            signature: outcome == .fail ? check.signature : nil)
    }

    func hasFailed(_ check: DoctorCheck) -> Bool { found[check]?.outcome == .fail }

    /// Lines of all checks. A check that nobody has looked at was not checked.
    var lines: [DoctorReport.Line] {
        DoctorCheck.allCases.map { check in
            found[check]
                ?? DoctorReport.Line(
                    check: check, title: check.title, outcome: .notChecked, detail: reason)
        }
    }
}
