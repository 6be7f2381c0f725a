import Decoding
package import Experiment
package import FleetModel
import Foundation
package import Measurement
import PrivateInformationRetrieval
package import RandomStreams
import Scenarios
package import Timing
import URLFilter
import Wording

/// Findings of `urlfilter measure` about one machine.
package struct MeasurementReport: Codable, Sendable {
    package static let schema = "urlfilter.measurement/1"

    package var schema = Self.schema
    package var machine: Machine
    /// Database that the cost profile was measured for.
    package var subject: CostProfile.Subject
    /// The file that `run` charges its lookups from.
    package var profile: String
    /// Evaluation keys kept ready, and as bytes.
    package var keys: [KeyCosts]
    /// Seconds in which phases of the machine were looked for, and what was found; absent if there are none.
    package var speedSeconds: Double
    package var speed: SpeedProcess?
    /// How much the speed of a run may differ from the profile's.
    package var drift: SpeedSummary?
    package var costs: OperationCosts
    /// Medians of two passes that differ by more mean that the machine was too noisy.
    package var tolerance = OperationCosts.tolerance
    /// Whether no operation differs by more.
    package var quiet: Bool

    /// Costs of a way of keeping evaluation keys: `serve --evaluation-keys`, `services.pir.keys`.
    package struct KeyCosts: Codable, Sendable {
        package var form: String
        /// Memory of one key.
        package var bytes: Int
        /// Median CPU seconds of the PIR server for an upload, and for a lookup.
        package var uploadSeconds: Double
        package var lookupSeconds: Double

        init(_ form: String, _ profile: CostProfile) {
            func seconds(_ endpoint: Endpoint) -> Double {
                Double(nanoseconds: profile[endpoint]?.serviceAnswers.median ?? 0)
            }
            self.form = form
            bytes = profile.evaluationKeyBytes
            uploadSeconds = seconds(.key)
            lookupSeconds = seconds(.queries)
        }
    }

    package init(profile: CostProfile, path: String, speedSeconds: Double, costs: OperationCosts) {
        machine = profile.machine
        subject = profile.subject
        self.profile = path
        self.speedSeconds = speedSeconds
        speed = profile.speed
        drift = SpeedSummary(profile)
        self.costs = costs
        keys =
            [KeyCosts("ready", profile)]
            + (profile.served(by: .workbench(keys: .bytes)).map { [KeyCosts("bytes", $0)] } ?? [])
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
            "database: \(subject.rlweParameters), \(Format.count(subject.shards, "shard")) of about"
                + " \(Format.count(subject.entries, "entry")), dimensions \(subject.dimensions),"
                + " \(Format.bytes(Double(subject.databaseBytes))) per shard",
        ]
        for key in keys {
            lines.append(
                "evaluation keys kept \(key.form == "ready" ? "ready" : "as bytes"): "
                    + "\(Format.bytes(Double(key.bytes))) a device, an upload \(Format.duration(key.uploadSeconds)),"
                    + " a lookup \(Format.duration(key.lookupSeconds))")
        }
        if speedSeconds > 0 { lines.append("speed: " + phases) }
        if let drift { lines += Format.wrapped("drift: " + Format.drift(drift), indent: "") }
        lines.append("cost profile: \(profile)")
        lines.append(
            quiet
                ? "two passes agree within \(Format.share(tolerance)) in all \(costs.operations.count) operations"
                : "! this machine is too noisy: two passes differ by more than \(Format.share(tolerance)) in"
                    + " \(costs.noisy.joined(separator: ", ")); measure again when it is idle")
        return lines.joined(separator: "\n") + "\n"
    }

    /// Sentence about the phases of the machine's speed.
    private var phases: String {
        let watched = Format.duration(speedSeconds)
        guard let speed else { return "no slow or fast phases in \(watched)" }
        return "phases of ±\(Format.share(speed.spread)) (standard deviation) that last about"
            + " \(Format.duration(speed.time)), in \(watched) of lookups back to back"
    }

    private static func time(_ nanoseconds: Double) -> String {
        nanoseconds < 1000 ? Format.number(nanoseconds) + " ns" : Format.duration(nanoseconds / 1e9)
    }
}
