import Decoding
package import FleetModel
package import Foundation
import RandomStreams
package import Scenarios
import Statistics
package import Workload

/// Findings of a run, ready to be rendered: the one value behind terminal, JSON and later reports.
///
/// Holds nothing that depends on the machine's speed or the number of threads, so equal seeds give equal
/// bytes; wall time and memory are in ``RunManifest``. Numbers are in SI base units. Keys are added, never
/// renamed, within a schema version.
package struct RunResult: Codable, Equatable, Sendable {
    package static let schema = "urlfilter.result/2"

    package var schema = Self.schema
    /// `false` when the run was interrupted: fewer replications than asked for.
    package var finished: Bool
    package var scenario: ScenarioSummary
    package var blocklist: BlockListSummary
    /// Empty when all devices browse by a profile.
    package var traces: [TraceSummary]
    package var filter: FilterSummary
    /// Measurements behind the charges for cryptography; absent in `real` fidelity.
    package var profile: ProfileSummary?
    /// Notes on what the numbers leave out or model without executing it.
    package var modelled: [String]
    package var points: [PointResult]
    /// Summary of a result with several points; what stands above is then that of its first point.
    package var sweep: SweepSummary?
    /// Absent where chance alone was asked for, where nothing is left to know, and in results of earlier versions.
    package var ignorance: IgnoranceResult?

    package struct ScenarioSummary: Codable, Equatable, Sendable {
        package var name: String
        package var seed: UInt64
        package var architecture: ArchitectureChoice
        package var fidelity: Fidelity
        package var devices: Int
        /// Seconds of simulated time.
        package var duration: Double
        package var warmUp: Double
        package var warmUpMethod: String
        package var drain: Double
        package var failurePolicy: String
        /// Conditions that differ from replication to replication, and so are in the intervals.
        package var varied: [String]
        /// Conditions that all replications share, so that no interval is about them.
        package var heldFixed: [String]
        /// How the days that were observed stand in the week; absent where that is not known.
        package var week: WeekTraffic?
        package var settings: [ResolvedSetting]
    }

    package struct BlockListSummary: Codable, Equatable, Sendable {
        package var file: String
        package var format: String
        package var keys: KeyPolicy
        package var entries: Int
        package var duplicates: Int
        package var dropped: Int
        package var changed: Int
        /// Whether Apple's test entry is on the list.
        package var hasTestEntry: Bool
        /// On every system.
        package var unmatchable: [UnmatchableSummary]
    }

    package struct TraceSummary: Codable, Equatable, Sendable {
        package var file: String
        package var format: String
        package var records: Int
        package var dropped: Int
        package var clients: Int
        /// Seconds of the trace from the first record to the last.
        package var seconds: Double
        /// All records are of one host.
        package var hasOneHost: Bool
        /// Hours of the day (UTC) that have records.
        package var hoursOfDay: Int
        /// Name of the file as a sentence has it.
        var fileName: String { URL(fileURLWithPath: file).lastPathComponent }

        package init(_ report: ReadReport, _ summary: Workload.TraceSummary) {
            file = report.source
            format = report.format
            records = summary.recordCount
            dropped = report.droppedCount
            clients = summary.clients.count
            seconds =
                summary.times.map { Double(nanoseconds: Double($0.upperBound) - Double($0.lowerBound)) } ?? 0
            hasOneHost = summary.hasOneHost
            hoursOfDay = summary.hoursOfDay
        }
    }

    package struct FilterSummary: Codable, Equatable, Sendable {
        package var bitCount: UInt32
        package var hashCount: UInt32
        package var murmurSeed: UInt32
        package var byteCount: Int
        package var fillRatio: Double
        /// Chance that a string outside the list hits: by formula, and counted on random strings.
        package var predictedStringRate: Double
        package var countedStringRate: Interval
        package var probes: Int

        /// Why the filter errs more often than the formula says; `nil` where it does not.
        package var excess: String? {
            guard countedStringRate.low > 1.1 * predictedStringRate else { return nil }
            let counted = (countedStringRate.low + countedStringRate.high) / 2
            return String(
                format:
                    "in a prefilter of %u bits the positions of one string often coincide: %.3g of random strings hit"
                    + " where the formula says %.3g; the run has what was counted, and more bits help",
                bitCount, counted,
                predictedStringRate)
        }
    }

    package struct ProfileSummary: Codable, Equatable, Sendable {
        package var machine: String
        package var rlweParameters: String
        package var shards: Int
        package var entriesPerShard: Int
        /// Median CPU seconds of a PIR server for a request with one keyword.
        package var responseSeconds: Double
        package var requestBytes: Int
        package var responseBytes: Int
        package var evaluationKeyBytes: Int
        /// All shards in the memory of a server.
        package var databaseBytes: Int
        /// Whose PIR server and issuer were simulated.
        package var server: ServerIdentity
        /// How the servers' speed wanders; absent where the scenario says it itself.
        package var speed: SpeedSummary?
    }
}

/// How the speed of servers may differ from the cost profile's, and where that comes from.
package struct SpeedSummary: Codable, Equatable, Sendable {
    /// Deviations of the logarithm of service times: phases that are forgotten after `time` seconds, and the level of a
    /// replication.
    package var spread: Double
    package var time: Double
    package var daily: Double
    /// Calibrations of the machine behind the level, the days that they are of, and the share that they decide of it;
    /// the kept runs decide the rest.
    package var calibrations: Int
    package var days: Int
    package var measuredShare: Double
    package var keptRuns: Int

    package init(_ profile: CostProfile) {
        let (process, drift) = (profile.wandering, profile.drift)
        (spread, time, daily) = (process.spread, process.time, process.daily)
        (calibrations, days) = (drift.calibrations, drift.days)
        measuredShare = drift.measuredShare
        keptRuns = SpeedDrift.keptRuns
    }
}

extension RunResult {
    /// The document as bytes: keys sorted, so equal results are equal bytes.
    package func json() throws -> Data { Data(try JSONText.render(self).utf8) }
}

extension RunResult {
    /// The simulator contradicts itself, or the real code contradicts the list.
    package var hasBug: Bool {
        points.contains { point in
            point.counts.realLookupDisagreements > 0
                || point.warnings.contains { $0.code.isBrokenLaw }
                || point.identities.contains { $0.violations > 0 }
        }
    }

    package var hasMissedObjective: Bool { hasObjective(.fail) }

    /// Whether more replications are needed to tell if an objective is met.
    package var hasUndecidedObjective: Bool { hasObjective(.cannotTell) }

    private func hasObjective(_ verdict: ObjectiveResult.Verdict) -> Bool {
        points.contains { $0.objectives.contains { $0.verdict == verdict } }
    }
}
