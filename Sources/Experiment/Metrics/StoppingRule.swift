import FleetModel
import Statistics

/// When replications are enough: every watched mean is as precise as the plan asks.
///
/// Looks at replications in the order of their numbers only. The intervals are those of the result, widened
/// after the first look; see ``SequentialPrecision``.
package struct StoppingRule: Sendable {
    /// What users feel and what servers pay.
    package static let watched = [
        Metric.latencyMean, .lookupsPer1000URLs, StationMetrics(.pir).utilization,
    ]

    private let plan: ReplicationPlan
    private let expectedVisits: Double
    /// Per watched metric one number per replication, as far as it has one.
    private var samples: [[Double?]] = watched.map { _ in [] }
    private var plannedVisits: [Double] = []
    private var count = 0

    /// - Parameter expectedVisits: Of the control variate; 0 without one.
    package init(_ plan: ReplicationPlan, expectedVisits: Double = 0) {
        self.plan = plan
        self.expectedVisits = expectedVisits
    }

    package mutating func add(_ metrics: ReplicationMetrics, plannedVisits: Double? = nil) {
        count += 1
        for (index, metric) in Self.watched.enumerated() { samples[index].append(metrics[metric]) }
        if let plannedVisits { self.plannedVisits.append(plannedVisits) }
    }

    /// `false` for a plan without a precision, and below its minimum.
    package var isPrecise: Bool {
        guard let target = plan.precision, count >= max(plan.minimum, 2) else { return false }
        let control = plannedVisits.count == count
        let estimator = MetricEstimator(
            plan: plan,
            plannedVisits: control ? .init(samples: plannedVisits, expectation: expectedVisits) : nil)
        return zip(Self.watched, samples).allSatisfy { metric, samples in
            // A metric that some replication cannot tell, or that is always 0, has nothing to converge to.
            guard samples.allSatisfy({ $0 != nil }), samples.contains(where: { $0 != 0 }) else { return true }
            guard let estimate = estimator.estimate(metric, perReplication: samples) else { return false }
            return estimate.relativePrecision.map { $0 <= target } ?? false
        }
    }
}
