import Experiment
package import Questions
import Wording

extension Document {
    package init(_ result: CapacityResult) { self = CapacityAnswer(result: result).document }
}

/// A capacity search: the answer, what limits it, and every size that was tried.
struct CapacityAnswer {
    /// Sizes on one screen, those nearest to the answer.
    private static let mostSizes = 8

    let result: CapacityResult

    var trials: [CapacityTrial] { result.outcome.trials }

    var document: Document {
        let goal = result.goal == .largest ? "the largest that passes" : "the smallest that passes"
        return Document(
            title: "\(result.scenario): how many \(result.subject)?", facts: [goal, rule],
            heading: ["\(result.scenario) · \(rule)"], tiles: tiles,
            sections: [
                Document.Section(
                    "Answer",
                    [
                        .verdict(judgement.mark + closing, judgement, at: .page), .sentences(answer),
                        .table(table, at: .text),
                        .sentences(oneDay + needs, margin: .init(first: 2)),
                        .sentences(basis, at: .full), .sentences([closing], at: .text),
                    ]),
                Document.Section("Around the limit", (curves + [table]).map { .table($0, at: .page) }),
            ],
            method: [.sentences(basis + [method])],
            more: "more: --details, with every objective at every size")
    }

    private var rule: String {
        "a size passes if " + criterion + ", \(Format.percent(result.confidence)) sure"
    }

    private var judgement: Document.Judgement {
        if result.outcome.isInterrupted { return .open }
        if result.outcome.answer != nil { return .pass }
        return result.outcome.isUndecided || result.outcome.withoutData != nil ? .open : .fail
    }

    /// The trial that the answer names, else the one at which the search ended.
    private var found: CapacityTrial? {
        let size = result.outcome.answer ?? result.outcome.next ?? result.outcome.withoutData
        return trials.first { $0.size == size }
    }

    private var tiles: [Tile] {
        var tiles = [
            Tile(
                value: result.outcome.answer.map(Format.count) ?? "none",
                words: "\(result.subject) known to pass", style: judgement.rawValue)
        ]
        if let next = trials.first(where: { $0.size == result.outcome.next }) {
            tiles.append(
                Tile(
                    value: Format.count(next.size), words: "next size tried: \(verdict(next, isShort: true))",
                    style: next.verdict == .fails ? "fail" : "open"))
        }
        if let trial = found {
            let place = "at \(Format.count(trial.size)) \(result.subject)"
            if let days = trial.days {
                tiles.append(
                    Tile(
                        value: "\(days.met) of \(trial.replications)",
                        words: "runs that meet all objectives \(place)"))
            }
            if let busiest = trial.busiest {
                tiles.append(
                    Tile(
                        value: Format.share(busiest.peak),
                        words: "busy: \(busiest.service) in its busiest interval, \(place)"))
            }
        }
        if let bytes = result.needs?.evaluationKeyBytes {
            tiles.append(Tile(value: Format.bytes(bytes), words: "evaluation keys of all devices"))
        }
        return tiles
    }

    private var table: Table {
        let objectives = trials.first?.objectives ?? []
        let middle = found.flatMap { found in trials.firstIndex { $0.size == found.size } } ?? 0
        let first = max(0, min(middle - Self.mostSizes / 2, trials.count - Self.mostSizes))
        let hidden = trials.count - Self.mostSizes
        return Table(
            title: "Every size that was tried.",
            caption: result.withOneInstanceLess == nil
                ? "" : "One instance less was tried at the answer only; it stands above.",
            columns: [Table.Column("  " + result.subject)]
                + objectives.map { Table.Column($0.expression, at: .full) } + [
                    Table.Column(result.daysShare == nil ? "runs" : "met in"),
                    Table.Column("busiest service"),
                    Table.Column("verdict", isWords: true, at: [.brief, .page]),
                    Table.Column("verdict", isWords: true, at: .full),
                ],
            rows: trials.map { trial in
                [.count(trial.size)]
                    + objectives.indices.map { index in
                        trial.objectives.indices.contains(index)
                            ? .words(Format.observed(trial.objectives[index]) ?? "no data") : .none
                    } + [
                        trial.days.map {
                            .value(Quantity(Double($0.met), .of(trial.replications)))
                        } ?? .words(Format.count(trial.replications, "run")),
                        .words(busiest(trial)), .words(verdict(trial, isShort: true)),
                        .words(verdict(trial, isShort: false)),
                    ]
            }, brief: Array(first..<first + Self.mostSizes), rest: "and \(hidden) more sizes",
            chosen: trials.firstIndex { $0.size == result.outcome.answer }, indent: 2, isOpen: true)
    }

    /// The condition under which a size passes.
    private var criterion: String {
        let units = unit.replacing("day", with: "days").replacing("run", with: "runs")
        guard let share = result.daysShare else { return "the mean over its \(units) meets all objectives" }
        return "at least \(Format.percent(share)) of \(units) meet all objectives"
    }

    /// Name of a replication: a day, or a run of another length.
    private var unit: String {
        result.replicationSeconds == 86_400
            ? "day" : "run of \(Format.duration(result.replicationSeconds))"
    }

    private func busiest(_ trial: CapacityTrial) -> String {
        trial.busiest.map { "\($0.service) \(Format.share($0.value)), peak \(Format.share($0.peak))" }
            ?? "none"
    }

    /// - Parameter isShort: Without limits, which are long, and of several objectives with the first one.
    private func verdict(_ trial: CapacityTrial, isShort: Bool) -> String {
        func names(_ expressions: [String]) -> String {
            guard isShort else { return expressions.joined(separator: ", ") }
            return (expressions.first.map(name) ?? "")
                + (expressions.count > 1 ? " and \(expressions.count - 1) more" : "")
        }
        switch trial.verdict {
        case .passes: return "pass"
        case .fails: return "FAIL " + names(trial.missed)
        case .cannotTell(let more):
            let lack = isShort ? nil : more.map { ", about \(Format.count($0)) replications more" }
            let missed = trial.missed.isEmpty ? "" : ", " + names(trial.missed)
            return "cannot tell" + missed + (lack ?? "")
        case .noData: return "no data for " + names(trial.withoutData)
        }
    }

    /// Metric and statistic of an objective.
    private func name(_ expression: String) -> String {
        expression.split(separator: " ").prefix(2).joined(separator: " ")
    }

    /// Sentence about the objectives with an interval for a day, at the answer; nothing if there are none.
    private var oneDay: [String] {
        guard let found, let days = found.days else { return [] }
        let texts = days.objectives.compactMap { objective in
            objective.nextDay.map { interval in
                "\(name(objective.expression)) \(Format.bare(interval.low, objective.unit)) …"
                    + " \(Format.bare(interval.high, objective.unit))\(Format.suffix(objective.unit))"
            }
        }
        guard !texts.isEmpty else { return [] }
        return [
            "one more \(unit) at \(Format.count(found.size)): " + texts.joined(separator: "; ")
                + " (95 %, if they are roughly normal)"
        ]
    }

    private var needs: [String] {
        var lines: [String] = []
        if let less = result.withOneInstanceLess, let service = result.oneInstanceLessOf {
            let met = less.days.map { ", met in \($0.met) of \(less.replications)" } ?? ""
            lines.append("one instance of \(service) less: \(verdict(less, isShort: true))\(met)")
        }
        if let needs = result.needs {
            let keys = needs.evaluationKeyBytes.map { "; \(Format.bytes($0)) of evaluation keys" } ?? ""
            lines.append(
                "it needs \(Format.bytes(needs.meanBytesPerSecond))/s in and out,"
                    + " \(Format.bytes(needs.peakBytesPerSecond))/s in the busiest second;"
                    + " \(Format.number(needs.tokensPerDay)) tokens a day" + keys)
        }
        return lines
    }

    /// Advice on what to do with the answer.
    private var closing: String {
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

    /// Meaning of the figures, and the begin of the search.
    private var basis: [String] {
        var lines = [
            "values are means over the replications, of \(Format.duration(result.replicationSeconds)) each, and ±"
                + " is about these means; first guess by Allen-Cunneen and measured utilization:"
                + " \(Format.count(result.firstGuess))"
        ]
        if let less = result.withOneInstanceLess, let service = result.oneInstanceLessOf {
            lines.append("with one instance of \(service) less the busiest is \(busiest(less))")
        }
        if let seconds = result.needs?.observedSeconds, seconds < 86_400 * 0.99 {
            lines.append("tokens a day are extrapolated from \(Format.duration(seconds))")
        }
        return lines
    }

    private var method: String {
        "each size was confirmed by simulation: \(rule). Sizes that passed or failed clearly had fewer"
            + " replications. Bars of the share of runs are Clopper-Pearson's, for each size alone and each end"
            + " \(Format.percent(result.confidence)) sure."
    }
}
