import Decoding
package import Experiment
package import RunMetrics
import Statistics

/// Two results side by side: what a change did to every metric, and how sure that is.
///
/// Results that share seed and workload are compared replication by replication (common random numbers);
/// others by Welch's test. Only the few primary metrics get a verdict, see ``primaryMetrics(of:)``: p-values and
/// intervals of these are adjusted by Holm's method. All other metrics are shown as they are.
package struct Comparison: Codable, Equatable, Sendable {
    package static let schema = "urlfilter.compare/2"

    package enum Verdict: String, Codable, Sendable {
        case better, worse
        /// The interval contains 0, and changes that matter, too: see ``Row/halfWidth``.
        case noDifferenceSeen = "no difference seen"
        /// The whole interval lies inside the noise band and contains 0.
        case noDifference = "no difference"
        /// The whole interval lies inside the noise band, on one side of 0.
        case withinNoiseBand = "within noise band"
        /// The change would be seen if the metric were the only one, or all replications agree in it; but there are so
        /// few of them that chance may do that: see ``Row/moreReplications``.
        case tooFewReplications = "too few replications"
        /// A change of a metric that is neither good nor bad.
        case different
        /// Runs ended before the value was reached, and what they say of it leaves every change possible, or does not
        /// show one: see ``Row/bound``.
        case notReached = "not reached"
    }

    /// The side on which a change is open, as one of its two values is known only to be at least as large.
    package enum Bound: Sendable {
        /// The candidate's value was not reached.
        case atLeast
        /// The baseline's value was not reached.
        case atMost
    }

    package struct Side: Codable, Equatable, Sendable {
        package var name: String
        package var replications: Int
        package var finished: Bool
        package var blocklist: RunResult.BlockListSummary
    }

    package struct Row: Codable, Equatable, Sendable {
        package var metric: String
        package var statistic: String
        package var unit: Metric.Unit
        package var better: Metric.Direction
        /// Means over the compared replications.
        package var baseline: Double
        package var candidate: Double
        /// Replications of each side that ended before the value was reached, and enter with the least that it can be:
        /// so is then the mean. Absent without any.
        package var baselineCut: Int?
        package var candidateCut: Int?
        /// Candidate minus baseline, as far as the candidate can be what the metric allows: nothing falls by more than
        /// all of it. The interval of a primary metric has the confidence that Holm's method asks of it: it contains 0
        /// exactly if the change was not seen. With a ``bound`` it is that of the bound. Absent, as change and p-value
        /// are, where the values that were not reached leave every change possible.
        package var difference: Interval?
        package var change: Double?
        /// Difference over the baseline's mean; absent when that is 0.
        package var relativeChange: Double?
        package var relative: Interval?
        /// Half the width of the difference's interval before its ends are cut to what the metric allows; absent
        /// without an interval.
        package var halfWidth: Double?
        package var pValue: Double?
        /// Holm's adjustment over the primary metrics; absent for the others.
        package var adjustedPValue: Double?
        /// Degrees of freedom of Student's t behind the interval; absent without one.
        package var degreesOfFreedom: Double?
        /// Pairs of replications behind the row; absent without pairing.
        package var pairs: Int?
        /// Replications differ in the change. Without that there is no interval, and the p-value is that of an exact
        /// test.
        package var hasSpread: Bool
        /// How well the pairs agree; near 1 the common random numbers pay.
        package var correlation: Double?
        /// Absent for a metric that is not primary.
        package var verdict: Verdict?
        /// Further replications that would show the change, about so many, for ``Verdict/tooFewReplications``.
        /// Absent where nobody knows.
        package var moreReplications: Int?

        /// `nil` for a change between values that were reached, and for one that nothing is known of.
        package var bound: Bound? {
            guard change != nil else { return nil }
            return candidateCut != nil ? .atLeast : baselineCut != nil ? .atMost : nil
        }

        /// Metric and statistic as an objective writes them.
        package var words: String { metric + " " + statistic }

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
    /// Causes of the harms that changed; absent where none did.
    package var shifts: [HarmShift]?
    /// The same over what nobody knows; absent between results, where chance alone was asked for, where nothing is left
    /// to know, and in documents of earlier versions.
    package var plausible: PlausibleComparison?

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
