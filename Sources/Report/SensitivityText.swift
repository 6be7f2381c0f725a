import Experiment
import Foundation

/// What the varied settings do to each metric, for the terminal.
enum SensitivityText {
    static func lines(_ sweep: SweepSummary) -> [String] {
        guard !sweep.sensitivity.isEmpty else { return [] }
        return shares(sweep) + metamodels(sweep)
    }

    private static func shares(_ sweep: SweepSummary) -> [String] {
        guard sweep.sensitivity.contains(where: { $0.shares != nil }) else { return [] }
        var rows = [["SHARE OF VARIANCE", "setting", "alone", "in all"]]
        for metric in sweep.sensitivity {
            for (index, share) in (metric.shares ?? []).enumerated() {
                rows.append([
                    index == 0 ? "  \(metric.name) \(metric.statistic)" : "", share.path,
                    text(share.first), text(share.total),
                ])
            }
        }
        let method = sweep.sensitivity.lazy.compactMap { $0.shares?.first?.total.interval }.first
        let confidence = method.map { Format.share($0.confidence) } ?? ""
        return Format.table(rows) + [
            "  first-order and total Sobol indices, [low, high] of a \(confidence) bootstrap interval", "",
        ]
    }

    private static func metamodels(_ sweep: SweepSummary) -> [String] {
        var rows = [["METAMODEL", "degree", "points", "R²", "R² left out", "error left out"]]
        var notes: [String] = []
        for metric in sweep.sensitivity {
            let name = "\(metric.name) \(metric.statistic)"
            if let note = metric.note { notes.append("  \(name): \(note)") }
            guard let model = metric.metamodel else { continue }
            rows.append([
                "  " + name, "\(model.degree)", "\(model.points)", decimal(model.determination),
                decimal(model.crossValidation), Format.estimate(model.predictionError, nil, metric.unit),
            ])
        }
        return (rows.count > 1 ? Format.table(rows) : []) + notes + [""]
    }

    private static func text(_ estimate: MetricSensitivity.Estimate) -> String {
        "\(decimal(estimate.value)) [\(decimal(estimate.interval.low)), \(decimal(estimate.interval.high))]"
    }

    private static func decimal(_ value: Double) -> String {
        // -0.000 would read as a finding.
        let text = String(format: "%.3f", value)
        return text == "-0.000" ? "0.000" : text
    }
}
