package import LiveValidation
import Report
import Statistics
import Wording

/// Findings of `urlfilter measure --ports`. As JSON `urlfilter.port-measurement/1`.
package struct PortMeasurement: Codable, Sendable {
    package static let schema = "urlfilter.port-measurement/1"

    /// CPU seconds of one request at the port of a process.
    package struct Cost: Codable, Sendable {
        package var mean: Double
        /// Bounds of the mean, 95 %, by the t distribution over batches.
        package var low: Double?
        package var high: Double?
        /// CPU seconds of the operation alone, as the cost profile has it.
        package var bare: Double

        init(_ samples: [Double], bare: Double) {
            mean = samples.reduce(0, +) / Double(max(1, samples.count))
            let interval = MeanEstimate(replicationMeans: samples)
            low = interval.map { max(0, $0.bounds.lowerBound) }
            high = interval?.bounds.upperBound
            self.bare = bare
        }
    }

    package struct Row: Codable, Sendable {
        package var name: String
        package var gateway: Cost
        /// Issuer or PIR server.
        package var service: Cost
    }

    package var schema = Self.schema
    /// The file of the cost profile.
    package var profile: String
    /// Whether the gateway spoke TLS.
    package var hasTLS: Bool
    package var rows: [Row]

    package init(_ ports: PortProfile, path: String) {
        profile = path
        hasTLS = ports.hasTLS
        rows = ports.rows.map { row in
            Row(
                name: row.name, gateway: Cost(row.gateway, bare: row.bareGateway),
                service: Cost(row.service, bare: row.bareService))
        }
    }

    /// The terminal form; ends with a newline.
    package var text: String {
        let header = ["request", "gateway", "95 % interval", "bare", "service", "95 % interval", "bare"]
        let cells = rows.map { [$0.name] + Self.cells($0.gateway) + Self.cells($0.service) }
        var lines = ["CPU time of one request at the ports of our own servers", ""]
        lines += Format.table([header] + cells) + [""]
        lines += Format.wrapped(
            "each a process of its own; one request at a time over a connection that stays open,"
                + " \(hasTLS ? "TLS to the gateway" : "without TLS (--certificate and --key measure it)"). 'bare' is"
                + " the operation alone; what the port adds is charged in the simulator from now on.")
        lines.append("cost profile: \(profile)")
        return lines.joined(separator: "\n") + "\n"
    }

    private static func cells(_ cost: Cost) -> [String] {
        let interval = cost.low.flatMap { low in
            cost.high.map { "\(Format.duration(low)) … \(Format.duration($0))" }
        }
        return [Format.duration(cost.mean), interval ?? "too few", Format.duration(cost.bare)]
    }
}
