package import Experiment
import FleetModel
import RunMetrics
import URLFilter

/// The answer of a capacity search, with everything that was tried.
package struct CapacityResult: Codable, Equatable, Sendable {
    package static let schema = "urlfilter.capacity/1"

    /// Needs of the fleet at the answer, beyond CPU.
    package struct Needs: Codable, Equatable, Sendable {
        /// Bytes of evaluation keys when every device has one; absent in `real` fidelity.
        package var evaluationKeyBytes: Double?
        /// Tokens that the issuer signs in a day.
        package var tokensPerDay: Double
        /// Seconds that were observed; figures per day of anything but whole days are extrapolated.
        package var observedSeconds: Double
        /// Bytes in and out of the gateway per second, on average and in the busiest second.
        package var meanBytesPerSecond: Double
        package var peakBytesPerSecond: Double
    }

    package var schema = Self.schema
    package var scenario: String
    /// Setting that was varied.
    package var subject: String
    package var goal: CapacitySearch.Goal
    /// Share of the replications that have to meet all objectives; absent where their mean has to.
    package var daysShare: Double?
    /// Confidence of the verdict on a size.
    package var confidence: Double
    /// Length of a replication, in seconds of the scenario.
    package var replicationSeconds: Double
    /// Size by Allen-Cunneen and the utilization that a first run measured.
    package var firstGuess: Int
    package var outcome: CapacitySearch.Outcome
    package var needs: Needs?
    /// The answer with one instance less of the busiest service; absent if it has only one.
    package var withOneInstanceLess: CapacityTrial?
    package var oneInstanceLessOf: String?

    package init(
        scenario: String, subject: String, goal: CapacitySearch.Goal, daysShare: Double?, confidence: Double,
        replicationSeconds: Double, firstGuess: Int, outcome: CapacitySearch.Outcome
    ) {
        self.scenario = scenario
        self.subject = subject
        self.goal = goal
        self.daysShare = daysShare
        self.confidence = confidence
        self.replicationSeconds = replicationSeconds
        self.firstGuess = firstGuess
        self.outcome = outcome
    }
}

extension CapacityResult.Needs {
    package init?(_ result: RunResult) {
        // Of a mechanism the servers are all: it has no keys, tokens and gateway.
        guard let point = result.points.first, point[.mechanismCores] == nil else { return nil }
        let seconds = result.scenario.duration - result.scenario.warmUp
        guard seconds > 0 else { return nil }
        observedSeconds = seconds
        func value(_ metric: Metric) -> Double { point[metric]?.value ?? 0 }
        evaluationKeyBytes = result.profile.map {
            Double($0.evaluationKeyBytes) * Double(result.scenario.devices)
        }
        tokensPerDay = value(EndpointMetrics(.issue).requests) / seconds * 86_400
        func bytes(_ requests: (EndpointMetrics) -> Metric) -> Double {
            Metric.endpoints.reduce(0) { sum, endpoint in
                sum + value(requests(endpoint))
                    * (value(endpoint.request.mean) + value(endpoint.response.mean))
            }
        }
        meanBytesPerSecond = bytes(\.requests) / seconds
        peakBytesPerSecond = bytes(\.peak)
    }
}
