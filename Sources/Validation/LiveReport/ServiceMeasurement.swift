package import LiveValidation
import Report
import Statistics
import Wording

/// Findings of `urlfilter measure --against` about running servers. As JSON `urlfilter.service-measurement/1`.
package struct ServiceMeasurement: Codable, Sendable {
    package static let schema = "urlfilter.service-measurement/1"

    package struct Row: Codable, Sendable {
        package var name: String
        /// Mean seconds per request: of CPU, or above the network's if there was no CPU time to be read.
        package var mean: Double
        /// Bounds of the mean, 95 %.
        package var low: Double?
        package var high: Double?
        package var samples: Int
        /// Median seconds of a response.
        package var response: Double
    }

    package var schema = Self.schema
    package var service: String
    /// The file of the cost profile.
    package var profile: String
    /// `cpu`, or `response`: an upper bound.
    package var source: String
    package var networkSeconds: Double
    /// CPU seconds per second without requests.
    package var idle: Double?
    package var rows: [Row]

    package init(_ observed: ObservedProfile, service: String, path: String) {
        self.service = service
        profile = path
        source = observed.isUpperBound ? "response" : "cpu"
        networkSeconds = observed.network
        idle = observed.idle
        rows = observed.rows.map { row in
            Row(
                name: row.name, mean: row.samples.reduce(0, +) / Double(max(1, row.samples.count)),
                low: row.interval.map { max(0, $0.bounds.lowerBound) }, high: row.interval?.bounds.upperBound,
                samples: row.samples.count, response: row.response)
        }
    }

    /// The terminal form; ends with a newline.
    package var text: String {
        let isBound = source != "cpu"
        let header = ["request", isBound ? "at most" : "CPU", "95 % interval", "samples", "response"]
        let cells = rows.map { row in
            [
                row.name, Format.duration(row.mean),
                row.low.flatMap { low in
                    row.high.map { "\(Format.duration(low)) … \(Format.duration($0))" }
                } ?? "too few",
                Format.count(row.samples), Format.duration(row.response),
            ]
        }
        var lines = ["\(service), one request at a time", ""] + Format.table([header] + cells) + [""]
        if isBound {
            lines += Format.wrapped(
                "! no CPU time of the servers can be read (--pid, --metrics): 'at most' is the response time above the "
                    + "network's \(Format.duration(networkSeconds)), an upper bound of CPU time, and zero where it is "
                    + "below the network's noise")
        } else {
            lines += Format.wrapped(
                "CPU of the servers per request, HTTP and TLS included, less \(Format.share(idle ?? 0)) of a core that "
                    + "they use without requests; what others asked meanwhile is counted as well")
        }
        lines += Format.wrapped(
            "devices, gateway, sizes and memory of keys are those of this machine's own measurement")
        lines.append("cost profile: \(profile)")
        return lines.joined(separator: "\n") + "\n"
    }
}
