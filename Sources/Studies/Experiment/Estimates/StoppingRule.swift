import FleetModel
import RunMetrics
import Scenarios
import Statistics

/// The rule that replications are enough: every watched mean is as precise as the plan asks.
///
/// Looks at replications in the order of their numbers only. The intervals are those of the result, widened
/// after the first look; see ``SequentialPrecision``.
struct StoppingRule: Sendable {
    /// Metrics of what users feel, what servers pay, and what the objectives of the scenario are about.
    let watched: [Metric]

    private let scenario: Scenario
    private let visits: PlannedVisits
    private var replications: [ReplicationMetrics] = []
    private var plannedVisits: [Double] = []

    init(_ preparation: Preparation) {
        scenario = preparation.scenario
        visits = preparation.plannedVisits
        watched = scenario.watchedMetrics
    }

    /// - Parameter number: Of the replication.
    mutating func add(_ metrics: ReplicationMetrics, number: UInt32) {
        replications.append(metrics)
        if let count = visits.count(replication: number) { plannedVisits.append(count) }
    }

    /// `false` for a plan without a precision, and below its minimum.
    var isPrecise: Bool {
        let plan = scenario.replications
        guard plan.precision != nil, replications.count >= max(plan.minimum, 2) else { return false }
        return wide.isEmpty
    }

    /// A watched metric whose interval is wider than the plan asks.
    struct Wide {
        var metric: Metric
        /// Half of the interval over its middle; `nil` where the replications give no interval.
        var precision: Double?
    }

    /// None for a plan without a precision.
    var wide: [Wide] {
        let count = replications.count
        guard let target = scenario.replications.precision else { return [] }
        let estimator = MetricEstimator(
            scenario,
            plannedVisits: plannedVisits.count == count
                ? .init(samples: plannedVisits, expectation: visits.expectation) : nil)
        return watched.compactMap { metric in
            let values = replications.compactMap { $0[metric] }
            // A metric that some replication cannot tell, or that is always 0, has nothing to converge to.
            guard values.count == count, values.contains(where: { $0 != 0 }) else { return nil }
            let precision = estimator.estimate(metric, over: replications)?.relativePrecision
            return precision.map { $0 <= target } ?? false ? nil : Wide(metric: metric, precision: precision)
        }
    }
}

extension Scenario {
    /// The metrics that have to be known well.
    var watchedMetrics: [Metric] {
        let always = [Metric.latencyMean, .lookupsPer1000URLs, StationMetrics(.pir).utilization]
        return objectives.map(\.metric).reduce(into: always) { watched, metric in
            if !watched.contains(metric) { watched.append(metric) }
        }
    }
}
