package import FleetModel
import Foundation
package import Measurement
package import Timing

/// What `urlfilter measure` found out about one machine.
package struct MeasurementReport: Codable, Sendable {
    package static let schema = "urlfilter.measurement/1"

    package var schema = Self.schema
    package var machine: Machine
    /// What the cost profile was measured for.
    package var subject: CostProfile.Subject
    /// The file that `run` charges its lookups from.
    package var profile: String
    package var costs: OperationCosts
    /// Medians of two passes that differ by more mean that the machine was too noisy.
    package var tolerance = OperationCosts.tolerance
    /// Whether no operation differs by more.
    package var quiet: Bool

    package init(profile: CostProfile, path: String, costs: OperationCosts) {
        machine = profile.machine
        subject = profile.subject
        self.profile = path
        self.costs = costs
        quiet = costs.noisy.isEmpty
    }

    /// The terminal form; ends with a newline.
    package var text: String {
        let header = ["operation", "median", "p10", "p90", "passes differ", "bytes"]
        let rows = costs.operations.map { operation in
            [
                operation.name, Self.time(operation.median), Self.time(operation.p10),
                Self.time(operation.p90), Format.share(operation.disagreement),
                operation.bytes.map(Format.count) ?? "",
            ]
        }
        var lines = ["machine: " + machine.summary, "CPU time of one thread", ""]
        lines += Format.table([header] + rows)
        lines += [
            "",
            "database: \(subject.rlweParameters), \(Format.count(subject.shards)) shards of about"
                + " \(Format.count(subject.entries)) entries, dimensions \(subject.dimensions),"
                + " \(Format.bytes(Double(subject.databaseBytes))) per shard",
            "cost profile: \(profile)",
        ]
        lines.append(
            quiet
                ? "two passes agree within \(Format.share(tolerance)) in all \(costs.operations.count) operations"
                : "! this machine is too noisy: two passes differ by more than \(Format.share(tolerance)) in"
                    + " \(costs.noisy.joined(separator: ", ")); measure again when it is idle")
        return lines.joined(separator: "\n") + "\n"
    }

    private static func time(_ nanoseconds: Double) -> String {
        nanoseconds < 1000 ? Format.number(nanoseconds) + " ns" : Format.duration(nanoseconds / 1e9)
    }
}
