package import Experiment
import Foundation

/// The terminal summary of a sweep: objectives and headline figures, up to four points side by side, more as rows.
package struct SweepText {
    private let result: RunResult
    private let sweep: SweepSummary
    private var lines: [String] = []

    /// Points that fit side by side.
    private static let columns = 4

    /// What the sweep is about to do, before it begins.
    package static func opening(_ sweep: Sweep) -> String {
        var text = "\(Format.count(sweep.plan.points.count)) points (\(sweep.plan.design.text))"
        if sweep.plan.rows.count != sweep.plan.points.count {
            text += ", \(Format.count(sweep.plan.rows.count)) rows of which some are equal after rounding"
        }
        if sweep.restoredPoints > 0 {
            text += "; \(Format.count(sweep.restoredPoints)) of them are complete already"
        }
        return text
    }

    /// - Returns: Text that ends with a newline.
    package static func render(_ result: RunResult) -> String {
        guard let sweep = result.sweep else { return RunText.render(result) }
        var text = SweepText(result: result, sweep: sweep)
        text.addHeader()
        text.addPoints()
        text.lines += SensitivityText.lines(sweep)
        text.addEnd()
        return text.lines.joined(separator: "\n") + "\n"
    }

    private init(result: RunResult, sweep: SweepSummary) {
        self.result = result
        self.sweep = sweep
    }

    private mutating func addHeader() {
        let scenario = result.scenario
        lines.append(scenario.name)
        let replications = result.points.map(\.replications)
        let few = replications.min() ?? 0
        let many = replications.max() ?? 0
        lines.append(
            [
                "\(result.points.count) of \(sweep.plannedPoints) points, \(sweep.design)",
                few == many ? "\(few) replications each" : "\(few) to \(many) replications each",
                "seed \(scenario.seed) at every point", scenario.fidelity.rawValue,
            ].joined(separator: " · "))
        for setting in sweep.settings {
            lines.append(
                "  \(setting.path) = \(setting.values)"
                    + (setting.isWhole ? "  (a count: rounded to whole numbers)" : ""))
        }
        if !result.finished {
            lines.append("INTERRUPTED: the same command goes on where this ended, if it has an --output")
        }
        lines.append("")
    }

    private mutating func addPoints() {
        let rows = figures()
        if result.points.count <= Self.columns {
            var table = sweep.settings.map { setting in
                ["  " + setting.path] + result.points.map { $0.settings[setting.path] ?? "–" }
            }
            table[0][0] = sweep.settings[0].path
            lines += Format.table(table + [[]] + rows.map { [$0.label] + $0.cells })
        } else {
            let heads = ["point"] + sweep.settings.map(\.path) + rows.map(\.label)
            let table = result.points.enumerated().map { index, point in
                ["\((point.context?.number ?? index) + 1)"]
                    + sweep.settings.map { point.settings[$0.path] ?? "–" } + rows.map { $0.cells[index] }
            }
            // Labels are longer than numbers: they are numbered, and the legend comes first.
            for (index, head) in heads.enumerated().dropFirst() { lines.append("  (\(index)) \(head)") }
            lines += Format.table([["point"] + heads.indices.dropFirst().map { "(\($0))" }] + table)
        }
        lines.append("")
    }

    private struct Figure {
        var label: String
        /// One per point.
        var cells: [String]
    }

    /// Objectives first, then the metrics that a reader asks for.
    private func figures() -> [Figure] {
        var figures: [Figure] = []
        for (index, objective) in (result.points.first?.objectives ?? []).enumerated() {
            figures.append(
                Figure(
                    label: objective.expression,
                    cells: result.points.map { point in
                        guard index < point.objectives.count else { return "–" }
                        let found = point.objectives[index]
                        let observed = found.observed.map {
                            " " + Format.estimate($0, found.interval, found.unit)
                        }
                        return found.words + (observed ?? " no data")
                    }))
        }
        let stated = result.points.first?.objectives ?? []
        for metric in SweepSummary.headline where !stated.contains(where: { $0.isOn(metric) }) {
            let found = result.points.map { $0[metric] }
            guard found.contains(where: { $0 != nil }) else { continue }
            figures.append(
                Figure(label: metric.words, cells: found.map { $0.map(Format.estimate) ?? "–" }))
        }
        return figures
    }

    private mutating func addEnd() {
        var codes: [String: (message: String, points: Int)] = [:]
        for warning in result.points.flatMap(\.warnings) {
            codes[warning.code, default: (warning.message, 0)].points += 1
        }
        for (_, found) in codes.sorted(by: { $0.key < $1.key }) {
            lines += Format.wrapped("! at \(found.points) points: \(found.message)")
        }
        let objectives = result.points.flatMap(\.objectives)
        if let failure = Format.failure(of: objectives, "objective checks") { lines.append(failure) }
    }
}
