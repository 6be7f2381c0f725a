import ArgumentParser
import Foundation
import QueueValidation
import Statistics

/// Simulates queues with known answers and prints both.
struct Validate: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Compare simulated queues with theory.",
        discussion: """
            Each system runs as 20 independent replications. An interval of 99.9 % misses the truth once in a \
            thousand rows by chance. Exit code 1 if a row disagrees or a run breaks a law such as Little's.
            """)

    @Option(help: "Customers of each system, over all replications.")
    var customers = 10_000_000

    @Option(help: "Run only systems whose name begins with this, for example 'M/M/1'.")
    var only = ""

    func validate() throws {
        guard (1_000...1_000_000_000).contains(customers) else {
            throw ValidationError("--customers is \(customers); it must be in 1000...1000000000")
        }
    }

    func run() throws {
        let systems = try Validation.all().filter { $0.name.hasPrefix(only) }
        guard !systems.isEmpty else { throw ValidationError("no system begins with '\(only)'") }
        print("20 replications, \(customers) customers for each system; intervals of 99.9 %\n")
        Self.printRow("system", "quantity", "theory", "simulated", "±", "")
        var failed = false
        for system in systems {
            guard let rows = try system.rows(customers: customers) else {
                throw ValidationError("\(customers) customers are too few for '\(system.name)'")
            }
            for row in rows {
                failed = failed || !row.agrees
                Self.printRow(
                    system.name, row.quantity, Self.text(row.theory), Self.text(row.estimate.mean),
                    Self.text(row.estimate.halfWidth), row.agrees ? "agrees" : "DISAGREES")
            }
        }
        if failed { throw ExitCode(1) }
    }

    private static func printRow(_ cells: String...) {
        let widths = [18, 40, -9, -9, -9, 9]
        let padded = zip(cells, widths).map { cell, width in
            let space = String(repeating: " ", count: max(0, abs(width) - cell.count))
            return width < 0 ? space + cell : cell + space
        }
        print(padded.joined(separator: "  ").trimmingCharacters(in: .whitespaces))
    }

    /// Five significant digits.
    private static func text(_ value: Double) -> String { String(format: "%.5g", value) }
}
