package import DeviceFleet
import Wording

/// The terminal form of an examination.
package enum DoctorText {
    package static func render(_ report: DoctorReport) -> String {
        var lines = [
            "\(report.service), issuer \(report.issuer), "
                + (report.route == "direct" ? "direct" : "sealed, by way of \(report.route)"),
            "usecase \(report.usecase)", "",
        ]
        let width = report.lines.map(\.title.count).max() ?? 0
        for line in report.lines {
            let detail = Printable.text(Array(line.detail.utf8), limit: 300)
            lines += Format.wrapped(
                "\(Format.left(word(line.outcome), 11))  \(Format.left(line.title, width))  \(detail)",
                indent: String(repeating: " ", count: 13), width: 140)
            if let fix = line.fix { lines.append("             fix: \(fix)") }
            if let signature = line.signature { lines.append("             devices: \(signature)") }
        }
        if !report.causes.isEmpty {
            lines += ["", "if a device says serverSetupIncomplete (9):"]
            for cause in report.causes {
                lines += Format.wrapped(
                    "\(Format.left(cause.state.rawValue, 11))  \(cause.title)"
                        + (cause.detail.isEmpty ? "" : ": \(cause.detail)"),
                    indent: String(repeating: " ", count: 13), width: 140)
            }
        }
        let notes = report.count(.note)
        lines += [
            "",
            "\(report.count(.pass)) pass, \(report.count(.fail)) FAIL, "
                + (notes > 0 ? "\(notes) note, " : "") + "\(report.count(.notChecked)) not checked",
        ]
        return lines.joined(separator: "\n") + "\n"
    }

    private static func word(_ outcome: DoctorReport.Outcome) -> String {
        switch outcome {
        case .pass: "pass"
        case .fail: "FAIL"
        case .note: "note"
        case .notChecked: "not checked"
        }
    }
}
