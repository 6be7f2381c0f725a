import Experiment
package import Questions
import RunMetrics
import Wording

extension Document {
    package init(_ study: StudyComparison) { self = StudyAnswer(study: study).document }
}

/// A study: the same change of several scenarios, what it saves and what it costs in each; and which side to take, of
/// faults.
struct StudyAnswer {
    private static let titles = ["let through", "wrongly blocked", "pages broken", "s until healthy"]

    let study: StudyComparison

    var document: Document {
        let title =
            study.decision == nil
            ? "\(Format.count(study.entries.count, "scenario")) with \(study.changes.joined(separator: " "))"
            : "\(Format.count(study.entries.count, "fault")): \(study.sides.baseline), \(study.sides.candidate)"
        let decision = study.decision.map { FaultDecisionAnswer(decision: $0) }
        let table = decision?.table
        return Document(
            title: title, facts: [conditions], heading: [], tiles: tiles,
            sections: [
                Document.Section(
                    "Answer",
                    [
                        .table(rows(isPage: false), at: .text), .gap(), .sentences(interruption),
                        table.map { .table($0, at: .text) }, table.map { _ in .gap() },
                        .sentences(decision?.sentences ?? []), decision.map { _ in .gap() },
                        .sentences(
                            [
                                conditions
                                    + "; <: none was seen; ≥: the fleet was not seen healthy in some replications;"
                                    + " open: too few replications tell"
                            ], at: .text),
                        .sentences([closing]),
                    ].compactMap(\.self)),
                Document.Section(
                    "Side by side",
                    ([table].compactMap(\.self) + [rows(isPage: true)]
                        + zip(Self.titles, StudyComparison.metrics).compactMap(figure))
                        .map { .table($0, at: .page) }),
            ])
    }

    private var interruption: [String] {
        guard study.isInterrupted else { return [] }
        return [
            "INTERRUPTED: only \(study.entries.count) of \(Format.count(study.planned, "scenario")) are in the table"
        ]
    }

    private var conditions: String {
        let replications = Set(
            study.entries.flatMap { [$0.baseline.replications, $0.candidate.replications] })
        return "means per replication with \(Format.percent(study.confidence)) intervals over"
            + " \(replications.sorted().map(String.init).joined(separator: " or ")) replications, paired by common"
            + " random numbers; p-values of the whole table adjusted by Holm's method, noise band ±"
            + " \(Format.percent(study.noiseBand))"
    }

    private var closing: String {
        let figures = study.entries.flatMap(\.figures)
        return
            "\(Format.count(figures.count, "figure")) compared, \(figures.count { $0.row.verdict == .better }) better,"
            + " \(study.regressions) worse"
    }

    private var tiles: [Tile] {
        let rows = study.entries.flatMap { $0.figures.map(\.row) }
        let counts: [(Comparison.Verdict, String)] = [(.better, "pass"), (.worse, "fail")]
        return counts.map { verdict, style in
            let count = rows.count { $0.verdict == verdict }
            return Tile(
                value: "\(count) of \(rows.count)", words: "figures are \(verdict.rawValue)",
                style: count > 0 ? style : "open")
        }
    }

    /// Both sides of each scenario, and what the change is; names in each row of a page, which may be sorted.
    private func rows(isPage: Bool) -> Table {
        Table(
            title: isPage ? "What the change does." : "",
            caption:
                "Means per replication with intervals, whose ends are below. <: none was seen; open: too few"
                + " replications"
                + " tell.",
            columns: [Table.Column("SCENARIO"), Table.Column("", isWords: true)]
                + Self.titles.map { Table.Column($0, hasEnds: false) },
            rows: study.entries.flatMap { entry in
                [
                    [.words(entry.name), .words(study.sides.baseline)] + cells(entry, Self.baseline),
                    [.words(isPage ? entry.name : ""), .words(study.sides.candidate)]
                        + cells(entry, Self.candidate),
                    [.words(isPage ? entry.name : ""), .words("change")]
                        + cells(entry) { $0.row.verdict.map { .words(Self.word($0)) } ?? .none },
                ]
            }, names: 2, isOpen: isPage)
    }

    private func cells(
        _ entry: StudyComparison.Entry, _ cell: (StudyComparison.Figure) -> Table.Cell
    ) -> [Table.Cell] {
        StudyComparison.metrics.map { metric in
            entry.figures.first { $0.row.isOf(metric) }.map(cell) ?? .none
        }
    }

    private static func baseline(_ figure: StudyComparison.Figure) -> Table.Cell {
        cell(figure.row, figure.row.baseline, figure.baseline, cut: figure.row.baselineCut)
    }

    private static func candidate(_ figure: StudyComparison.Figure) -> Table.Cell {
        cell(figure.row, figure.row.candidate, figure.candidate, cut: figure.row.candidateCut)
    }

    private static func cell(
        _ row: Comparison.Row, _ value: Double, _ interval: Interval?, cut: Int?
    ) -> Table.Cell {
        var quantity = Quantity(value, .number, interval, mark: Format.leastMark(cut))
        // Within a step of the series of verdicts, in every replication.
        if row.isOf(.recovery), value == 0, cut == nil {
            quantity.words = "at once"
        } else if value == 0, let interval, interval.low == 0, interval.high > 0 {
            quantity.words = "< " + Format.number(interval.high)
        }
        return .value(quantity)
    }

    /// A verdict in a column of numbers.
    private static func word(_ verdict: Comparison.Verdict) -> String {
        switch verdict {
        case .noDifferenceSeen: "not seen"
        case .noDifference: "none"
        case .withinNoiseBand: "in the noise"
        case .tooFewReplications: "open"
        case .better, .worse, .different, .notReached: verdict.rawValue
        }
    }

    /// Changes are too long for a legend.
    private var shortCandidate: String { study.decision == nil ? "changed" : study.sides.candidate }

    private func figure(_ title: String, _ metric: Metric) -> Table? {
        let found = study.entries.compactMap { entry in
            entry.figures.first { $0.row.isOf(metric) }.map { (entry.name, $0) }
        }
        guard !found.isEmpty else { return nil }
        let sides = [study.sides.baseline, shortCandidate]
        let chart = DotChart(
            seriesNames: sides,
            rows: found.map { name, figure in
                DotChart.Row(
                    label: name, dots: [Self.baseline(figure), Self.candidate(figure)].map(\.dot))
            },
            isLogarithmic: true, title: "\(title), mean per replication (logarithmic)", format: Format.plain)
        return Table(
            title: "\(title).",
            caption: "Means with intervals; ◂ marks a 0, ≥ a fleet that some runs did not see healthy.",
            columns: ["scenario", "side", "value", "verdict"].map { Table.Column($0) },
            rows: found.flatMap { name, figure in
                [
                    [.words(name), .words(sides[0]), Self.baseline(figure), .none],
                    [
                        .words(name), .words(sides[1]), Self.candidate(figure),
                        .words(figure.row.verdictText ?? ""),
                    ],
                ]
            }, drawings: [chart.drawing])
    }
}
