import Decoding
import FleetModel
import Foundation
import RunMetrics
import Scenarios

/// A plan that ended before its intervals were as narrow as it asks.
extension ResultBuilder {
    /// Which figures are wider, whether a verdict hangs on it, and what to type; `nil` where the plan was kept.
    func wideIntervals(_ objectives: [ObjectiveResult]) -> String? {
        let plan = preparation.scenario.replications
        guard let target = plan.precision, records.count == plan.maximum else { return nil }
        var rule = StoppingRule(preparation)
        for (replication, record) in zip(metrics, records) {
            rule.add(replication, number: record.replication)
        }
        let wide = rule.wide
        guard !wide.isEmpty else { return nil }
        let figures = wide.map { figure in
            "'\(figure.metric.plainName)'"
                + (figure.precision.map { " is known to ± \(Self.percent($0))" } ?? " has no interval")
        }
        let open = objectives.filter { objective in
            objective.verdict == .cannotTell && wide.contains { objective.isOn($0.metric) }
        }
        let verdicts =
            objectives.isEmpty
            ? "nothing is judged by it"
            : open.isEmpty
                ? "no verdict hangs on it"
                : "it leaves open " + open.map { "'\($0.expression)'" }.joined(separator: ", ")
        return "after \(records.count) replications figures are not as sure as replications.precision asks"
            + " (± \(Self.percent(target))): \(figures.joined(separator: ", ")); \(verdicts)"
            + (replications(for: wide, target: target).map {
                "; --set replications.max=\($0)"
            }
                ?? "")
    }

    /// Intervals shrink with the root of the number of replications.
    private func replications(for wide: [StoppingRule.Wide], target: Double) -> Int? {
        let factors = wide.compactMap(\.precision).map { ($0 / target) * ($0 / target) }
        guard let largest = factors.max(), target > 0 else { return nil }
        let count = Int(saturating: (largest * Double(records.count)).rounded(.up))
        return count <= Self.mostAdvised ? max(count, records.count + 1) : nil
    }

    /// Replications beyond which more of them are no advice.
    private static let mostAdvised = 10_000

    private static func percent(_ share: Double) -> String {
        // Three digits, but no exponent.
        String(format: share < 9.995 ? "%.3g %%" : "%.0f %%", share * 100)
    }
}
