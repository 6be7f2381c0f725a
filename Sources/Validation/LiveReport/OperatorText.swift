import Experiment
import Foundation
package import Questions
import Wording

/// Operators that the program does not know, for a terminal: how often its answers contain the truth.
package enum OperatorText {
    package static func lines(_ result: OperatorResult) -> [String] {
        let figures = result.rows.map(\.figure).reduce(into: [OperatorFigure]()) { found, figure in
            if !found.contains(figure) { found.append(figure) }
        }
        let header = ["knowing"] + figures.map(title) + ["tolerance", "servers", "both", "draws"]
        let cells = OperatorResult.Tier.allCases.map { tier -> [String] in
            [title(tier)] + figures.map { cell(result, tier, $0) } + choice(result, tier)
        }
        let widths = header.indices.map { column in ([header] + cells).map { $0[column].count }.max() ?? 0 }
        let table = ([header] + cells).map { row in
            row.enumerated().map { column, cell in
                column == 0 ? Format.left(cell, widths[column]) : Format.right(cell, widths[column])
            }.joined(separator: "  ")
        }
        let opening =
            "\(Format.count(result.operators.count, "hidden operator")) of \(result.devices) devices,"
            + " \(result.study.days) days each; \(result.study.points) points of the program, seed"
            + " \(result.study.seed)"
        return [opening] + table + sentences(result).flatMap { Format.wrapped($0) }
    }

    private static func sentences(_ result: OperatorResult) -> [String] {
        let missed = result.rows.filter { !$0.holds }
        let refused = result.operators.reduce(0) { $0 + $1.refusals.count }
        let risk = Format.percent(PlanRisk.usualRisk)
        var sentences: [String] = [
            """
            Percentages: operators whose truth lies in the interval of 95 %; in brackets the median of its upper end \
            over its lower one, of leaks its width in percentage points. Draws: equal draws that what is known leaves \
            of the program's.
            """,
            """
            Tolerance, servers (of the filter as it is) and both: operators for whom the choice costs at most 2 % \
            more than that of the same rule which knows the truth. In brackets those who get at most one server \
            more than that, and those who get too few, for which the rule takes a risk of \(risk).
            """,
        ]
        if let choices = result.choices.last {
            let coarse = [choices.kept, choices.changed].map { percent($0.coarse, choices.operators) }
            sentences.append(
                """
                One server more is over 2 % of the money for \(coarse[0]) of the operators with the filter as it is, \
                and for \(coarse[1]) with both: for them only the very number is within 2 %.
                """)
        }
        sentences.append(
            missed.isEmpty
                ? "the goal of 90 % is within what chance leaves open, in all \(result.rows.count) rows"
                : "FAIL: below the goal of 90 % by more than chance: "
                    + missed.map { "\(title($0.figure)) knowing \(title($0.tier))" }.joined(separator: ", "))
        if refused > 0 {
            sentences.append(
                "\(Format.count(refused, "question")) had no answer; --json says why (operators[].refusals)")
        }
        return sentences
    }

    private static func cell(
        _ result: OperatorResult, _ tier: OperatorResult.Tier, _ figure: OperatorFigure
    ) -> String {
        guard let row = result.rows.first(where: { $0.tier == tier && $0.figure == figure }),
            row.answered > 0
        else { return "none" }
        let width =
            figure == .leaks
            ? String(format: "%.0f", row.width * 100) : "×" + String(format: "%.3g", row.width)
        return "\(percent(row.contained, row.answered)) (\(width))"
    }

    private static func choice(_ result: OperatorResult, _ tier: OperatorResult.Tier) -> [String] {
        guard let choices = result.choices.first(where: { $0.tier == tier }) else {
            return ["none", "none", "none", "none"]
        }
        func servers(_ tally: OperatorResult.Tally) -> String {
            let parts = [tally.good, tally.withinOne, choices.operators - tally.enough].map {
                percent($0, choices.operators)
            }
            return "\(parts[0]) (\(parts[1]), \(parts[2]))"
        }
        return [
            percent(choices.goodTolerances, choices.operators), servers(choices.kept),
            servers(choices.changed), String(format: "%.0f", choices.effectiveDraws),
        ]
    }

    private static func percent(_ part: Int, _ whole: Int) -> String {
        String(format: "%.0f %%", Double(part) / Double(max(1, whole)) * 100)
    }

    private static func title(_ tier: OperatorResult.Tier) -> String {
        switch tier {
        case .nothing: "nothing"
        case .list: "the list"
        case .day: "a day of logs"
        case .week: "a week"
        }
    }

    private static func title(_ figure: OperatorFigure) -> String {
        figure == .peakMinute ? "peak minute" : figure.rawValue
    }
}
