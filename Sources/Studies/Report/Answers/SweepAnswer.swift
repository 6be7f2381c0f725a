package import Experiment
import RunMetrics
import Scenarios
import Wording

/// A sweep: objectives and headline figures of every point, and what each setting does to them.
package struct SweepAnswer {
    /// Points that fit side by side.
    private static let mostColumns = 4

    let result: RunResult
    let sweep: SweepSummary

    var document: Document {
        let (name, points) = (result.scenario.name, SweepPoints(points: PagePoints(result)))
        return Document(
            title: name, facts: [facts], heading: [name, facts],
            sections: [
                Document.Section(
                    "What was varied",
                    [
                        .sentences(varied, margin: Document.Margin(first: 2)), .sentences(interruption),
                        .gap(),
                    ]),
                Document.Section(
                    "Points",
                    result.points.count <= Self.mostColumns
                        ? [.table(points.sideBySide), .gap()]
                        : [.sentences(points.alike), .gap(), .table(points.table), .gap()]),
                Document.Section("Sensitivity", SensitivityTables(sweep: sweep).blocks),
                Document.Section("What to distrust", [.warnings(warnings)] + verdict),
            ])
    }

    private var facts: String {
        let replications = result.points.map(\.replications)
        let (few, many) = (replications.min() ?? 0, replications.max() ?? 0)
        return [
            "\(result.points.count) of \(sweep.plannedPoints) points, \(sweep.design)",
            few == many
                ? "\(Format.count(few, "replication")) each" : "\(few) to \(many) replications each",
            "seed \(result.scenario.seed) at every point", result.scenario.fidelity.rawValue,
        ].joined(separator: " · ")
    }

    private var varied: [String] {
        sweep.settings.map {
            "\($0.path) = \($0.values)" + ($0.isWhole ? " (a count: rounded to whole numbers)" : "")
        }
    }

    private var interruption: [String] {
        result.finished
            ? [] : ["INTERRUPTED: the same command goes on where this ended, if it has an --output"]
    }

    /// One sentence for each kind, with the number of its points.
    private var warnings: [String] {
        Dictionary(grouping: result.points.flatMap(\.warnings), by: \.code)
            .sorted { $0.key.rawValue < $1.key.rawValue }
            .map { "at \(Format.count($1.count, "point")): \($1[0].message)" }
    }

    private var verdict: [Document.Block] {
        let objectives = result.points.flatMap(\.objectives)
        return Format.failure(of: objectives, "objective checks").map {
            [.verdict($0, objectives.contains { $0.verdict == .fail } ? .fail : .open)]
        } ?? []
    }
}

extension SweepAnswer {
    /// Announcement of what a sweep is about to do, before it begins.
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
}
