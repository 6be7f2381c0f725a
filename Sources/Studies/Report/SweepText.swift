package import Experiment
import Foundation
import RunMetrics
import Scenarios
import Wording

/// The terminal summary of a sweep: objectives and headline figures, up to four points side by side, more as rows.
package struct SweepText {
    private let result: RunResult
    private let sweep: SweepSummary
    private var lines: [String] = []

    /// Points that fit side by side.
    private static let columns = 4

    /// Announces what the sweep is about to do, before it begins.
    package static func opening(_ sweep: Sweep) -> String {
        var text = "\(Format.count(sweep.plan.points.count, "point")) (\(sweep.plan.design.text))"
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
                few == many
                    ? "\(Format.count(few, "replication")) each" : "\(few) to \(many) replications each",
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
            lines += Format.wrapped(alike(rows))
            lines += [""] + table(rows.filter(\.differs)).lines(.full, width: Format.columns)
        }
        lines.append("")
    }

    private struct Figure {
        var label: String
        /// One per point.
        var cells: [String]

        var differs: Bool { Set(cells).count > 1 }

        /// Name and statistic, or an objective and its limit, one below the other.
        var head: String {
            let words = label.split(separator: " ", maxSplits: 1)
            return words.joined(separator: "\n") + (words.count < 2 ? "\n" : "")
        }
    }

    /// Figures that need no column, as they are the same at every point.
    private func alike(_ rows: [Figure]) -> String {
        let same = rows.filter { !$0.differs }.map { "\($0.label) \($0.cells.first ?? "")" }
        return same.isEmpty ? "" : "the same at every point: " + same.joined(separator: "; ")
    }

    /// Points as rows: what was varied, which is repeated where there is no room for all, then the figures.
    private func table(_ figures: [Figure]) -> Table {
        let varied = sweep.settings.map { setting in
            let steps = setting.path.split(separator: ".")
            return Table.Column("\(steps.dropLast().joined(separator: "."))\n\(steps.last ?? "")")
        }
        return Table(
            columns: [Table.Column("point")] + varied + figures.map { Table.Column($0.head) },
            rows: result.points.enumerated().map { place, point in
                [.count((point.context?.number ?? place) + 1)]
                    + sweep.settings.map { .words(point.settings[$0.path] ?? "–") }
                    + figures.map { .words($0.cells[place]) }
            }, names: 1 + varied.count)
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
        var codes: [WarningCode: (message: String, points: Int)] = [:]
        for warning in result.points.flatMap(\.warnings) {
            codes[warning.code, default: (warning.message, 0)].points += 1
        }
        for (_, found) in codes.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            lines += Format.wrapped("! at \(Format.count(found.points, "point")): \(found.message)")
        }
        let objectives = result.points.flatMap(\.objectives)
        if let failure = Format.failure(of: objectives, "objective checks") { lines.append(failure) }
    }
}
