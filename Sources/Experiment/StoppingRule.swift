import Statistics

/// When replications are enough: every watched mean is as precise as the plan asks.
///
/// Looks at replications in the order of their numbers only.
package struct StoppingRule: Sendable {
    /// What users feel and what servers pay.
    package static let watched = ["lookup.latency mean", "lookup.per1000URLs rate", "pir.utilization mean"]

    private let plan: ReplicationPlan
    /// Per watched metric one number per replication, as far as it has one.
    private var samples: [[Double]] = watched.map { _ in [] }
    private var count = 0

    package init(_ plan: ReplicationPlan) { self.plan = plan }

    package mutating func add(_ metrics: ReplicationMetrics) {
        count += 1
        for (index, name) in MetricName.all.filter({ Self.watched.contains($0.words) }).enumerated() {
            if let value = metrics.values[name] { samples[index].append(value) }
        }
    }

    /// `false` for a plan without a precision, and below its minimum.
    package var isPrecise: Bool {
        let minimum = max(plan.minimum, 2)
        guard let target = plan.precision, count >= minimum else { return false }
        let rule = SequentialPrecision(
            target: target, confidence: plan.confidence, minimumReplications: minimum,
            maximumReplications: max(plan.maximum, minimum))
        return samples.allSatisfy { samples in
            // A metric that some replication cannot tell, or that is always 0, has nothing to converge to.
            guard samples.count == count, samples.contains(where: { $0 != 0 }) else { return true }
            if case .precise = rule.decision(after: samples) { return true }
            return false
        }
    }
}
