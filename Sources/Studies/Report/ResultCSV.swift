import Decoding
package import Experiment
import RunMetrics

/// The metrics of a result as rows for a spreadsheet: one per point, metric and statistic.
package enum ResultCSV {
    /// - Returns: Comma-separated values after RFC 4180 with a header; numbers in SI base units as in the JSON
    ///   document.
    package static func render(_ result: RunResult) -> String {
        let settings = Set(result.points.flatMap(\.settings.keys)).sorted()
        let header =
            ["point"] + settings + [
                "metric", "statistic", "unit", "better", "value", "low", "high", "confidence", "method",
                "samples", "percentiles",
            ]
        var lines = [line(header)]
        for (index, point) in result.points.enumerated() {
            for metric in point.metrics {
                let numbers = [
                    metric.value, metric.interval?.low, metric.interval?.high, metric.interval?.confidence,
                ]
                lines.append(
                    line(
                        ["\(index + 1)"] + settings.map { point.settings[$0] ?? "" }
                            + [
                                metric.name, metric.statistic, metric.unit.rawValue, metric.better.rawValue,
                            ]
                            + numbers.map { $0.map { "\($0)" } ?? "" }
                            + [
                                metric.interval?.method ?? metric.method.rawValue, "\(metric.samples)",
                                "nearest rank",
                            ]))
            }
        }
        return lines.joined()
    }

    /// One line with its end. A field is quoted when it has to be, and no field is a formula.
    static func line(_ fields: [String]) -> String { quoted(fields.map(ForeignText.cell)) }

    /// The same where fields are formulas on purpose.
    static func quoted(_ fields: [String]) -> String {
        fields.map { field in
            field.contains { ",\"\r\n".contains($0) || $0.isNewline }
                ? "\"" + field.replacing("\"", with: "\"\"") + "\"" : field
        }.joined(separator: ",") + "\r\n"
    }
}
