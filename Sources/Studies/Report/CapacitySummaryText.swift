import Experiment
package import Questions
import Wording

/// The answer of a capacity search on one screen: at most 24 lines of at most 100 columns. ``CapacityText`` has
/// everything.
package struct CapacitySummaryText {
    /// Sizes that are shown, those nearest to the answer.
    private static let trialCount = 8

    let result: CapacityResult

    /// - Returns: Text that ends with a newline.
    package static func render(_ result: CapacityResult) -> String {
        let text = CapacitySummaryText(result: result)
        let lines =
            Format.wrapped("\(result.scenario) · \(text.rule)")
            + CapacityText.answer(result).split(separator: "\n").flatMap { Format.wrapped(String($0)) }
            + text.table
            + text.findings.flatMap { Format.wrapped("  " + $0, indent: "    ") }
            + Format.wrapped(text.closing) + ["more: --details, with every objective at every size"]
        return lines.joined(separator: "\n") + "\n"
    }

    var rule: String {
        "a size passes if " + CapacityText.criterion(result)
            + ", \(Format.percent(result.confidence)) sure"
    }

    /// The trial that the answer names, else the one at which the search ended.
    var answer: CapacityTrial? {
        let size = result.outcome.answer ?? result.outcome.next ?? result.outcome.withoutData
        return result.outcome.trials.first { $0.size == size }
    }

    private var table: [String] {
        let all = result.outcome.trials
        let middle = answer.flatMap { found in all.firstIndex { $0.size == found.size } } ?? 0
        let first = max(0, min(middle - Self.trialCount / 2, all.count - Self.trialCount))
        let shown = all[first..<min(all.count, first + Self.trialCount)]
        let header = [
            "  \(result.subject)", result.daysShare == nil ? "" : "met in", "busiest service", "verdict",
        ]
        let rows = shown.map { trial in
            [
                (trial.size == result.outcome.answer ? "→ " : "  ") + Format.count(trial.size),
                trial.days.map { "\($0.met) of \(trial.replications)" }
                    ?? "\(Format.count(trial.replications, "run"))",
                CapacityText.busiest(trial), short(trial),
            ]
        }
        let widths = header.indices.map { column in
            ([header] + rows).map { $0[column].count }.max() ?? 0
        }
        let lines = ([header] + rows).map { row in
            [
                Format.left(row[0], widths[0]), Format.right(row[1], widths[1]),
                Format.right(row[2], widths[2]), row[3],
            ].joined(separator: "  ")
        }
        return lines + (shown.count < all.count ? ["  and \(all.count - shown.count) more sizes"] : [])
    }

    /// Without the limits, which are long.
    func short(_ trial: CapacityTrial) -> String {
        switch trial.verdict {
        case .passes: "pass"
        case .fails: "FAIL " + names(trial.missed)
        case .cannotTell: "cannot tell" + (trial.missed.isEmpty ? "" : ", " + names(trial.missed))
        case .noData: "no data for " + names(trial.withoutData)
        }
    }

    private func names(_ expressions: [String]) -> String {
        let first =
            expressions.first.map { $0.split(separator: " ").prefix(2).joined(separator: " ") } ?? ""
        return first + (expressions.count > 1 ? " and \(expressions.count - 1) more" : "")
    }

    /// Further findings about the answer, a sentence each.
    var findings: [String] { oneDay + needs }

    /// Sentence about the objectives with an interval for a day, at the answer; nothing if there are none.
    private var oneDay: [String] {
        guard let answer, let days = answer.days else { return [] }
        let texts = days.objectives.compactMap { objective in
            objective.nextDay.map { interval in
                "\(names([objective.expression])) \(Format.bare(interval.low, objective.unit)) …"
                    + " \(Format.bare(interval.high, objective.unit))\(Format.suffix(objective.unit))"
            }
        }
        guard !texts.isEmpty else { return [] }
        return [
            "one more \(CapacityText.unit(result)) at \(Format.count(answer.size)): "
                + texts.prefix(3).joined(separator: "; ") + " (95 %, if they are roughly normal)"
        ]
    }

    private var needs: [String] {
        var lines: [String] = []
        if let less = result.withOneInstanceLess, let service = result.oneInstanceLessOf {
            let met = less.days.map { ", met in \($0.met) of \(less.replications)" } ?? ""
            lines.append("one instance of \(service) less: \(short(less))\(met)")
        }
        if let needs = result.needs {
            let keys = needs.evaluationKeyBytes.map { "; \(Format.bytes($0)) of evaluation keys" } ?? ""
            lines.append(
                "it needs \(Format.bytes(needs.meanBytesPerSecond))/s in and out,"
                    + " \(Format.bytes(needs.peakBytesPerSecond))/s in the busiest second; \(Format.number(needs.tokensPerDay))"
                    + " tokens a day" + keys)
        }
        return lines
    }

    /// Advice on what to do with the answer.
    var closing: String {
        if result.outcome.isInterrupted {
            return
                "So give the same command more time; --from and --to with the bounds above save some of it."
        }
        guard let size = result.outcome.answer else {
            if result.outcome.withoutData != nil {
                return "So try a longer duration or larger sizes (--to)."
            }
            return result.outcome.isUndecided
                ? "So raise --max-replications, or ask for less with --days."
                : "So change the servers or the objectives, or widen --from and --to."
        }
        let count = Format.count(size)
        switch result.goal {
        case .largest:
            return result.outcome.next == nil
                ? "So \(count) is not the limit; raise --to to find it."
                : "So plan for at most \(count) with these servers."
        case .smallest:
            return result.outcome.next == nil
                ? "So \(count) is enough, and nothing smaller was allowed (--from)."
                : "So \(count) is enough for this fleet, and the next smaller one that was tried is not known to be."
        }
    }
}
