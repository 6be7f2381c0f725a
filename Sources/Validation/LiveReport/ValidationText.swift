import Foundation
import Report
import Wording

/// The terminal form of a validation.
package enum ValidationText {
    /// - Returns: Text that ends with a newline.
    package static func render(_ report: ValidationReport) -> String {
        var lines: [String] = []
        let theory = report.rows.filter { $0.kind == "theory" }
        if !theory.isEmpty { lines += table(of: theory) + [verdict(on: theory)] }
        let coverage = report.rows.filter { $0.kind == "coverage" }
        if !coverage.isEmpty {
            if !lines.isEmpty { lines.append("") }
            lines +=
                table(of: coverage) + [
                    verdict(on: coverage)
                        + ": an interval may cover 2 percentage points less than it claims, and any more"
                ]
        }
        let alarms = report.rows.filter { $0.kind == "watch" }
        if !alarms.isEmpty {
            if !lines.isEmpty { lines.append("") }
            lines += table(of: alarms) + [verdict(on: alarms)]
        }
        if let live = report.live {
            if !lines.isEmpty { lines.append("") }
            lines += LiveValidationText.lines(live)
        }
        if let wholeWay = report.wholeWay {
            if !lines.isEmpty { lines.append("") }
            lines += WholeWayText.lines(wholeWay)
        }
        if let operators = report.operators {
            if !lines.isEmpty { lines.append("") }
            lines += OperatorText.lines(operators)
        }
        return lines.map { $0 + "\n" }.joined()
    }

    private static func table(of rows: [ValidationReport.Row]) -> [String] {
        let header = ["system", "quantity", "reference", "simulated", "±", "error", ""]
        let cells = rows.map { row in
            [
                row.system, row.quantity, digits(row.reference), digits(row.simulated),
                digits((row.interval.high - row.interval.low) / 2),
                row.relativeError.map { String(format: "%+.2f %%", $0 * 100) } ?? "",
                row.passed ? "pass" : "FAIL",
            ]
        }
        let widths = header.indices.map { column in ([header] + cells).map { $0[column].count }.max() ?? 0 }
        return ([header] + cells).map { row in
            row.enumerated().map { column, cell in
                column < 2 ? Format.left(cell, widths[column]) : Format.right(cell, widths[column])
            }.joined(separator: "  ")
        }
    }

    private static func verdict(on rows: [ValidationReport.Row]) -> String {
        let missed = rows.count { !$0.passed }
        return missed == 0
            ? "all \(rows.count) figures agree" : "FAIL: \(missed) of \(rows.count) figures disagree"
    }

    /// Five significant digits, because theory and simulation agree in the first three.
    private static func digits(_ value: Double) -> String { String(format: "%.5g", value) }
}
