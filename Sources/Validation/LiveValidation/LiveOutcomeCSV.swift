import Decoding
import Foundation

/// Runs of validations as rows, one for each quantity of a run: what others can add their machine to.
package enum LiveOutcomeCSV {
    private static let facts = [
        "machine", "run", "test", "load", "seconds", "lookupsPerSecond", "lookups", "wrongVerdicts",
        "byPolicy", "utilization", "calibratedService", "service", "otherCores", "stolenCores", "counts",
        "quantity", "observed",
    ]

    private static var header: [String] {
        facts + LiveOutcome.Predictor.allCases.flatMap { ["\($0)", "\($0) low", "\($0) high"] }
    }

    /// - Returns: Text that ends with a newline; no cell has a comma in it.
    package static func render(_ outcomes: [LiveOutcome]) -> String {
        let rows = outcomes.flatMap { outcome in
            outcome.rows.map { row in
                let facts: [String] = [
                    plain(outcome.machine), "\(outcome.run)", outcome.test.rawValue, "\(outcome.load)",
                    "\(outcome.seconds)", number(outcome.lookupsPerSecond), "\(outcome.lookups)",
                    "\(outcome.wrongVerdicts)", "\(outcome.byPolicy)", number(outcome.utilization),
                    number(outcome.calibratedService), number(outcome.service),
                    outcome.otherCores.map(number) ?? "", outcome.stolenCores.map(number) ?? "",
                    outcome.disturbances.isEmpty
                        ? "yes" : plain(outcome.disturbances.joined(separator: "; ")),
                    row.quantity.rawValue, number(row.observed),
                ]
                return facts
                    + LiveOutcome.Predictor.allCases.flatMap { predictor in
                        row.predictions[predictor].map { [$0.value, $0.low, $0.high].map(number) }
                            ?? ["", "", ""]
                    }
            }
        }
        return ([header] + rows).map { $0.joined(separator: ",") + "\n" }.joined()
    }

    private static func plain(_ text: String) -> String {
        String(text.map { $0 == "," || $0.isNewline ? ";" : $0 })
    }

    /// Six significant digits.
    private static func number(_ value: Double) -> String { String(format: "%.6g", value) }

    /// - Parameter name: Of the file, for errors.
    package static func read(_ text: String, name: String) throws(LiveCSVError) -> [LiveOutcome] {
        let lines = text.split(whereSeparator: \.isNewline).map(String.init)
        guard let first = lines.first, first.split(separator: ",").map(String.init) == header else {
            throw LiveCSVError(
                file: name, line: 1, reason: "the columns must be \(header.joined(separator: ","))")
        }
        var outcomes: [LiveOutcome] = []
        for (number, line) in lines.enumerated().dropFirst() {
            let cells = line.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
            guard cells.count == header.count else {
                throw LiveCSVError(
                    file: name, line: number + 1,
                    reason: "it has \(cells.count) cells, not \(header.count)")
            }
            let row = CSVRow(file: name, line: number + 1, cells: Dictionary(zip(header, cells)) { $1 })
            let outcome = try row.outcome()
            if let last = outcomes.indices.last, outcomes[last].isSameRun(as: outcome) {
                outcomes[last].rows += outcome.rows
            } else {
                outcomes.append(outcome)
            }
        }
        return outcomes
    }
}

package struct LiveCSVError: InputFault, Equatable, CustomStringConvertible {
    package var file: String
    package var line: Int
    package var reason: String

    package var description: String { "\(file):\(line): \(reason)" }
}

private struct CSVRow {
    let file: String
    let line: Int
    let cells: [String: String]

    private func fail(_ column: String, _ expected: String) -> LiveCSVError {
        LiveCSVError(
            file: file, line: line, reason: "\(column) is '\(cells[column] ?? "")'; it must be \(expected)")
    }

    private func optional(_ column: String) throws(LiveCSVError) -> Double? {
        guard let text = cells[column], !text.isEmpty else { return nil }
        guard let value = Double(text), value.isFinite else { throw fail(column, "a number") }
        return value
    }

    private func number(_ column: String) throws(LiveCSVError) -> Double {
        guard let value = try optional(column) else { throw fail(column, "a number") }
        return value
    }

    private func count(_ column: String) throws(LiveCSVError) -> Int {
        guard let value = cells[column].flatMap({ Int($0) }), value >= 0 else {
            throw fail(column, "a whole number")
        }
        return value
    }

    func outcome() throws(LiveCSVError) -> LiveOutcome {
        guard let test = cells["test"].flatMap(LiveValidationPlan.Test.init) else {
            throw fail("test", "speed or queue")
        }
        guard let quantity = cells["quantity"].flatMap(LiveQuantity.init) else {
            throw fail("quantity", LiveQuantity.allCases.map(\.rawValue).joined(separator: ", "))
        }
        let observed = try number("observed")
        guard observed > 0 else { throw fail("observed", "above 0") }
        var predictions: [LiveOutcome.Predictor: LiveOutcome.Prediction] = [:]
        for predictor in LiveOutcome.Predictor.allCases {
            guard let value = try optional("\(predictor)") else { continue }
            predictions[predictor] = .init(
                value: value, low: try number("\(predictor) low"), high: try number("\(predictor) high"))
        }
        let counts = cells["counts"] ?? ""
        return LiveOutcome(
            machine: cells["machine"] ?? "", run: try count("run"), test: test, load: try number("load"),
            seconds: try number("seconds"), lookupsPerSecond: try number("lookupsPerSecond"),
            lookups: try count("lookups"), wrongVerdicts: try count("wrongVerdicts"),
            byPolicy: try count("byPolicy"), utilization: try number("utilization"),
            calibratedService: try number("calibratedService"), service: try number("service"),
            otherCores: try optional("otherCores"), stolenCores: try optional("stolenCores"),
            disturbances: counts == "yes" ? [] : [counts],
            rows: [.init(quantity: quantity, observed: observed, predictions: predictions)])
    }
}

extension LiveOutcome {
    fileprivate func isSameRun(as other: LiveOutcome) -> Bool {
        machine == other.machine && run == other.run && test == other.test && load == other.load
    }
}
