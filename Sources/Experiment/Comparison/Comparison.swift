import Decoding
import Statistics

/// Two results side by side: what a change did to every metric, and how sure that is.
///
/// Results that share seed and workload are compared replication by replication (common random numbers);
/// others by Welch's test. P-values are adjusted by Holm's method over all metrics that have a direction.
package struct Comparison: Codable, Equatable, Sendable {
    package static let schema = "urlfilter.compare/1"

    package enum Verdict: String, Codable, Sendable {
        case better, worse
        case noDifferenceSeen = "no difference seen"
        case withinNoiseBand = "within noise band"
        /// A change of a metric that is neither good nor bad.
        case different
    }

    package struct Side: Codable, Equatable, Sendable {
        package var name: String
        package var replications: Int
        package var finished: Bool
    }

    package struct Row: Codable, Equatable, Sendable {
        package var metric: String
        package var statistic: String
        package var unit: Metric.Unit
        package var better: Metric.Direction
        /// Means over the compared replications.
        package var baseline: Double
        package var candidate: Double
        /// Candidate minus baseline.
        package var difference: Interval
        package var change: Double
        /// Difference over the baseline's mean; absent when that is 0.
        package var relativeChange: Double?
        package var relative: Interval?
        package var pValue: Double
        /// Holm's adjustment; absent for metrics without a direction, which are not part of the family.
        package var adjustedPValue: Double?
        /// How well the pairs agree; near 1 the common random numbers pay.
        package var correlation: Double?
        package var verdict: Verdict

        package func isOf(_ other: Metric) -> Bool { metric == other.name && statistic == other.statistic }
    }

    package struct SettingChange: Codable, Equatable, Sendable {
        package var path: String
        package var baseline: String?
        package var candidate: String?
    }

    package var schema = Self.schema
    package var baseline: Side
    package var candidate: Side
    /// Replications compared one by one; absent when the results share no random numbers.
    package var pairs: Int?
    package var confidence: Double
    /// Relative changes inside ± this are within the noise band.
    package var noiseBand: Double
    /// Why the workloads are not the same, if they are not and the user insisted.
    package var workloadDiffers: [String]
    package var rows: [Row]
    package var settings: [SettingChange]

    package var regressions: Int { rows.count { $0.verdict == .worse } }
}

package enum ComparisonError: InputFault, Equatable, CustomStringConvertible {
    case noReplication(String)
    case severalPoints(String, Int)
    case workloadDiffers([String])
    case tooFewReplications(Int)

    package var description: String {
        switch self {
        case .noReplication(let side): "\(side): holds no finished replication"
        case .severalPoints(let side, let count):
            "\(side): holds \(count) points; only results with one point can be compared"
        case .workloadDiffers(let reasons):
            "the workloads differ (\(reasons.joined(separator: "; "))); compare them with --even-if-different"
        case .tooFewReplications(let count):
            "\(count) replications can be compared; an interval needs at least 2, set replications.min"
        }
    }
}
