import Foundation

/// Results of a benchmark program: a table for people, JSON for programs.
package struct BenchmarkReport: Codable, Sendable {
    /// One line of the table.
    package struct Line: Codable, Sendable {
        /// A path that sorts well: `ring.forward.n4096.28bit`.
        package var name: String

        /// Unit of `value`, `baseline` and `target`: `ns`, `us`, `ms`, `s`, `GB/s`, `MiB`…
        package var unit: String

        /// The median of `samples`.
        package var value: Double

        package var samples: [Double]

        /// Name of what was run beside it in this process, and its median.
        package var baselineName: String?
        package var baseline: Double?

        /// The figure that the project asks for on its own kind of machine.
        package var target: Double?

        /// Whether larger values are better, as for rates.
        package var largerIsBetter = false

        /// How many times better than the baseline.
        package var ratio: Double? {
            baseline.map { largerIsBetter ? value / $0 : $0 / value }
        }

        package var meetsTarget: Bool? {
            target.map { largerIsBetter ? value >= $0 : value <= $0 }
        }

        package init(
            name: String, unit: String, samples: [Double], baselineName: String? = nil,
            baseline: Double? = nil, target: Double? = nil, largerIsBetter: Bool = false
        ) {
            self.name = name
            self.unit = unit
            self.samples = samples
            value = Measurement(name: name, nanoseconds: samples).median
            self.baselineName = baselineName
            self.baseline = baseline
            self.target = target
            self.largerIsBetter = largerIsBetter
        }
    }

    package var machine = Machine.current

    /// More about the machine that matters to this program, for example the instruction set in use.
    package var notes: [String] = []

    package private(set) var lines: [Line] = []

    package init(notes: [String] = []) { self.notes = notes }

    package mutating func add(_ line: Line) { lines.append(line) }

    /// Adds a CPU time, in the unit that suits the target or else the value.
    package mutating func add(
        _ measurement: Measurement, baseline: Measurement? = nil, unit: String, target: Double? = nil
    ) {
        let scales: [String: Double] = ["ns": 1, "us": 1e-3, "ms": 1e-6, "s": 1e-9]
        guard let scale = scales[unit] else { preconditionFailure("'\(unit)' is no unit of time") }
        add(
            Line(
                name: measurement.name, unit: unit, samples: measurement.nanoseconds.map { $0 * scale },
                baselineName: baseline?.name, baseline: baseline.map { $0.median * scale }, target: target))
    }

    /// The table, one line per result.
    package var text: String {
        let header = ["operation", "median", "unit", "target", "", "baseline", "ratio"]
        let rows = lines.map { line in
            [
                line.name, Self.format(line.value), line.unit, line.target.map(Self.format) ?? "",
                line.meetsTarget.map { $0 ? "met" : "missed" } ?? "",
                line.baseline.map { "\(Self.format($0)) \(line.baselineName ?? "")" } ?? "",
                line.ratio.map { Self.format($0) + " x" } ?? "",
            ]
        }
        let widths = header.indices.map { column in ([header] + rows).map { $0[column].count }.max() ?? 0 }
        func text(_ row: [String]) -> String {
            let cells = row.enumerated().map { column, cell in
                let space = String(repeating: " ", count: widths[column] - cell.count)
                return [1, 3, 6].contains(column) ? space + cell : cell + space
            }
            let line = cells.joined(separator: "  ")
            return String(line.reversed().drop { $0 == " " }.reversed())
        }
        return (["machine: " + machine.summary] + notes + [""] + ([header] + rows).map(text))
            .joined(separator: "\n")
    }

    package func json() throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        return String(decoding: try encoder.encode(self), as: UTF8.self)
    }

    /// Three significant digits.
    private static func format(_ value: Double) -> String {
        let magnitude = abs(value)
        let digits = magnitude >= 100 ? 0 : magnitude >= 10 ? 1 : magnitude >= 1 ? 2 : 3
        return String(format: "%.\(digits)f", value)
    }
}
