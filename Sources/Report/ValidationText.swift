import Foundation

/// The terminal form of a validation.
package enum ValidationText {
    /// - Returns: Text that ends with a newline.
    package static func render(_ report: ValidationReport) -> String {
        let header = ["system", "quantity", "reference", "simulated", "±", "error", ""]
        let rows = report.rows.map { row in
            [
                row.system, row.quantity, digits(row.reference), digits(row.simulated),
                digits((row.interval.high - row.interval.low) / 2),
                row.relativeError.map { String(format: "%+.2f %%", $0 * 100) } ?? "",
                row.passed ? "pass" : "FAIL",
            ]
        }
        let widths = header.indices.map { column in ([header] + rows).map { $0[column].count }.max() ?? 0 }
        let lines = ([header] + rows).map { row in
            row.enumerated().map { column, cell in
                column < 2 ? Format.left(cell, widths[column]) : Format.right(cell, widths[column])
            }.joined(separator: "  ")
        }
        let missed = report.rows.count { !$0.passed }
        let verdict =
            missed == 0
            ? "all \(report.rows.count) figures agree"
            : "FAIL: \(missed) of \(report.rows.count) figures disagree"
        return (lines + [verdict]).joined(separator: "\n") + "\n"
    }

    /// Five significant digits, because theory and simulation agree in the first three.
    private static func digits(_ value: Double) -> String { String(format: "%.5g", value) }
}
