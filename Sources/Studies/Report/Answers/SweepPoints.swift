import Experiment
import RunMetrics
import Wording

/// All points of a sweep in one table, with what was varied, the objectives, and the main figures.
struct SweepPoints {
    let points: PagePoints
    private let paths: [String]
    private let figures: [Figure]

    /// An objective or a metric of every point.
    private struct Figure {
        var label: String
        /// One per point.
        var cells: [Table.Cell]

        var differs: Bool { Set(cells.map(\.text)).count > 1 }

        /// Name and statistic, or an objective and its limit, one below the other.
        var head: String {
            let words = label.split(separator: " ", maxSplits: 1)
            return words.joined(separator: "\n") + (words.count < 2 ? "\n" : "")
        }
    }

    init(points: PagePoints) {
        self.points = points
        let result = points.result
        paths =
            result.sweep?.settings.map(\.path)
            ?? result.points.flatMap(\.settings.keys).uniqued().sorted()
        figures = Self.objectives(of: result.points) + Self.metrics(of: result.points)
    }

    private static func objectives(of points: [PointResult]) -> [Figure] {
        (points.first?.objectives ?? []).enumerated().map { index, objective in
            Figure(
                label: objective.expression,
                cells: points.map { point in
                    point.objectives.indices.contains(index) ? cell(point.objectives[index]) : .none
                })
        }
    }

    private static func cell(_ objective: ObjectiveResult) -> Table.Cell {
        guard let value = objective.observed else { return .words(objective.words + " no data") }
        let observed = Format.estimate(value, objective.interval, objective.unit)
        return .value(
            Quantity(
                value, .metric(objective.unit), objective.interval, words: "\(objective.words) \(observed)"))
    }

    /// Metrics that a reader asks for, without those of the objectives.
    private static func metrics(of points: [PointResult]) -> [Figure] {
        let stated = points.first?.objectives ?? []
        return SweepSummary.headline.compactMap { metric in
            guard !stated.contains(where: { $0.isOn(metric) }) else { return nil }
            let found = points.map { $0[metric] }
            guard found.contains(where: { $0 != nil }) else { return nil }
            return Figure(
                label: metric.words,
                cells: found.map { found in
                    found.map {
                        .value(
                            Quantity($0.value, .metric($0.unit), $0.interval, words: Format.estimate($0)))
                    } ?? .none
                })
        }
    }

    /// Figures that need no column, as they are the same at every point.
    var alike: [String] {
        let same = figures.filter { !$0.differs }.map { "\($0.label) \($0.cells.first?.text ?? "")" }
        return same.isEmpty ? [] : ["the same at every point: " + same.joined(separator: "; ")]
    }

    /// Few points as columns, with everything that was varied and found in rows.
    var sideBySide: Table {
        let all = points.result.points
        return Table(
            columns: [Table.Column("point")] + all.indices.map { Table.Column("\(number(ofPointAt: $0))") },
            rows: paths.map { path in [.words(path)] + all.map { .words($0.settings[path] ?? "–") } }
                + figures.map { [.words($0.label)] + $0.cells }, indent: 2, names: 1)
    }

    /// Points as rows: what was varied, which is repeated where there is no room for all, then the figures.
    var table: Table {
        let varied = paths.map { path in
            let steps = path.split(separator: ".")
            return Table.Column(
                "\(steps.dropLast().joined(separator: "."))\n\(steps.last ?? "")", at: .text)
        }
        let figureColumns = figures.map {
            Table.Column($0.head, hasEnds: false, at: $0.differs ? .all : .page)
        }
        return Table(
            title: "Every point.",
            caption:
                "What was varied, how many objectives were met, each of them, and the main metrics."
                + (points.chosen == nil ? "" : " ✓ is the first that meets every objective."),
            columns: [Table.Column("point", at: .text)] + varied
                + paths.map { Table.Column(Format.lastWord(ofPath: $0), at: .page) }
                + [Table.Column("objectives", at: .page)] + figureColumns,
            rows: points.result.points.enumerated().map { place, point in
                let values = paths.map { Table.Cell.words(point.settings[$0] ?? "–") }
                return [.count(number(ofPointAt: place))] + values + values + [.words(verdict(point))]
                    + figures.map { $0.cells[place] }
            }, names: 1 + paths.count, isOpen: true)
    }

    /// Place in the order of the design, from 1.
    private func number(ofPointAt place: Int) -> Int {
        (points.result.points[place].context?.number ?? place) + 1
    }

    private func verdict(_ point: PointResult) -> String {
        let met = point.objectives.count { $0.verdict == .pass }
        guard !point.objectives.isEmpty else { return "none set" }
        return "\(met)\u{A0}of\u{A0}\(point.objectives.count)\u{A0}met"
            + (point == points.chosen ? "\u{A0}✓" : "")
    }
}
