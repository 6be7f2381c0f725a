import Experiment
import Foundation
import Wording

/// Effects of the varied settings on each metric, for the terminal.
enum SensitivityText {
    static func lines(_ sweep: SweepSummary) -> [String] {
        guard !sweep.sensitivity.isEmpty else { return [] }
        return shares(sweep) + metamodels(sweep)
    }

    private static func shares(_ sweep: SweepSummary) -> [String] {
        guard sweep.sensitivity.contains(where: { $0.shares != nil }) else { return [] }
        var rows = [["SHARE OF VARIANCE", "setting", "alone", "in all", "chance"]]
        for metric in sweep.sensitivity {
            for (index, share) in (metric.shares ?? []).enumerated() {
                rows.append([
                    index == 0 ? "  \(metric.name) \(metric.statistic)" : "", share.path,
                    text(share.first), text(share.total),
                    index == 0 ? metric.noise.map(decimal) ?? "not known" : "",
                ])
            }
        }
        let method = sweep.sensitivity.lazy.compactMap { $0.shares?.first?.total.interval }.first
        let confidence = method.map { Format.share($0.confidence) } ?? ""
        let legend =
            "  first-order and total Sobol indices, [low, high] of a \(confidence) bootstrap interval"
        let chance =
            "  chance: share of it that is the replications' and no setting's; it is part of what is in all"
        return Format.table(rows) + [legend, chance] + strays(sweep) + [""]
    }

    /// Why a share can read as more than the whole, or less than nothing.
    private static func strays(_ sweep: SweepSummary) -> [String] {
        let shares = sweep.sensitivity.flatMap { $0.shares ?? [] }
        let values = shares.flatMap { [$0.first.value, $0.total.value] }
        guard
            values.contains(where: { !(0...1).contains($0) })
                || shares.contains(where: { $0.first.value > $0.total.value })
        else { return [] }
        return Format.wrapped(
            "  a share itself lies between 0 and 1, and alone it is at most that in all: what is printed outside is an"
                + " estimate from few points, as wide as its interval says; a larger base (--sensitivity) narrows it",
            indent: "  ")
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
