package import Scenarios

/// Questions to ask a deployment before its launch, and what its answers have to be like.
///
/// Made of a simulated scenario, see ``init(_:_:_:)``, and executed by `urlfilter replay --plan`.
package struct LoadTestPlan: Codable, Equatable, Sendable {
    package static let schemaName = "urlfilter.load-test/1"

    package var schema = Self.schemaName
    /// Name of the scenario.
    package var scenario: String
    /// Machines that have to run the plan at once, as one cannot: users and rates are those of one of them.
    package var machines: Int
    /// Devices with an identity, keys and tokens of their own.
    package var users: Int
    /// Evaluation keys that devices replace per second, in every step.
    package var keysPerSecond: Double
    package var steps: [Step]
    package var criteria: [Criterion]
    /// How much of what nobody knows step `minute` is enough for; absent where chance alone was asked for, and where
    /// nothing moves the rate.
    package var plausible: Plausible?
    /// Full sentences: where the numbers come from, and what the test leaves out.
    package var notes: [String]

    /// A time of one rate.
    package struct Step: Codable, Hashable, Sendable {
        package var name: String
        /// Lookups per second.
        package var rate: Double
        /// Seconds in which the rate rises from 0, seconds that are not measured, and seconds that are.
        package var ramp: Double
        package var warmUp: Double
        package var duration: Double
    }

    /// A condition on what one step measures.
    package struct Criterion: Codable, Hashable, Sendable {
        package enum Measure: String, CaseIterable, Codable, Sendable {
            /// A percentile of the latency, seconds.
            case latency
            /// Share of the lookups that got no answer in time.
            case unanswered
            /// Verdicts that contradict the list; a number.
            case wrong
            /// Busy cores of a service, as a share of those that it has.
            case utilization
        }

        package var step: String
        package var measure: Measure
        /// Percentile of ``Measure/latency``, in percent.
        package var percentile: Double?
        /// Service of ``Measure/utilization``: `gateway`, `issuer` or `pir`, and its cores in all.
        package var service: String?
        package var cores: Int?
        package var relation: Objective.Relation
        package var limit: Double
        /// So many times as wide as for independent lookups is the variance of a percentile; at least 1.
        package var dependence: Double
        /// The part of the mean latency that the model spends on devices, networks and the relay, in 0...1: what no
        /// server decides, and a replay beside the servers does not have.
        package var shareOnTheWay = 0.0
        /// Source of the condition.
        package var source: String
    }
}

extension LoadTestPlan {
    /// The rate of the busiest minute over what nobody knows, lookups per second of one machine as those of the steps.
    package struct Plausible: Codable, Hashable, Sendable {
        /// Bounds of 95 %.
        package var low: Double
        package var high: Double
        /// Draws, and those whose rate is at most the step's.
        package var points: Int
        package var enough: Int
        /// Share of the draws that may have a higher rate, as was stated, and the least rate with which no more have.
        package var risk: Double
        package var rate: Double

        package var share: Double { Double(enough) / Double(points) }
    }
}

extension Objective.Relation: Codable {}

extension LoadTestPlan {
    /// Limits of a replay: most devices, and most loads per second, of one machine; longest step; most loads of it.
    package static let mostUsers = 20_000
    package static let highestRate = 10_000.0
    package static let longestStep = 3_600.0
    package static let mostLoads = 1_000_000

    /// Percentiles of the latency that a replay measures.
    package static let percentiles = [50, 90, 95, 99, 99.9]
    package static let services = ["gateway", "issuer", "pir"]
}
