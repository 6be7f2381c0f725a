import Experiment
import Foundation
package import Questions
import Wording

/// The terminal form of a capacity search: the table around the answer, then the answer.
package enum CapacityText {
    /// - Returns: Text that ends with a newline.
    package static func render(_ result: CapacityResult) -> String {
        var lines = [
            result.scenario,
            "a size passes if \(criterion(result)), \(Format.percent(result.confidence)) sure",
            "first guess by Allen-Cunneen and measured utilization: \(Format.count(result.firstGuess))",
        ]
        let objectives = result.outcome.trials.first?.objectives.map(\.expression) ?? []
        let met = result.daysShare == nil ? [] : ["met in"]
        let header =
            ["  \(result.subject)"] + objectives + met + [
                "busiest service", "objectives", "replications",
            ]
        let rows = result.outcome.trials.map { trial in
            [(trial.size == result.outcome.answer ? "→ " : "  ") + Format.count(trial.size)]
                + trial.objectives.map(observed) + (trial.days.map { ["\($0.met)"] } ?? []) + [
                    busiest(trial), verdict(trial), "\(trial.replications)",
                ]
        }
        lines += Format.table([header] + rows)
        if let less = result.withOneInstanceLess, let service = result.oneInstanceLessOf {
            lines.append(
                "with one instance of \(service) less: \(verdict(less)), busiest \(busiest(less))")
        }
        lines.append(
            "values are means over the replications, of \(Format.duration(result.replicationSeconds)) each, and ± is about these means"
        )
        if let days = result.outcome.trials.first(where: { $0.size == result.outcome.answer })?.days {
            lines += days.objectives.compactMap { objective in
                objective.nextDay.map { interval in
                    "one more \(unit(result)) has \(objective.expression.split(separator: " ").prefix(2).joined(separator: " "))"
                        + " between \(Format.bare(interval.low, objective.unit)) and"
                        + " \(Format.bare(interval.high, objective.unit))\(Format.suffix(objective.unit))"
                        + " (\(Format.percent(interval.confidence)), if these are roughly normal)"
                }
            }
        }
        if let needs = result.needs { lines += text(needs) }
        lines.append(answer(result))
        return lines.joined(separator: "\n") + "\n"
    }

    private static func observed(_ objective: ObjectiveResult) -> String {
        Format.observed(objective) ?? "no data"
    }

    /// Names what a replication is: a day, or a run of another length.
    static func unit(_ result: CapacityResult) -> String {
        result.replicationSeconds == 86_400
            ? "day" : "run of \(Format.duration(result.replicationSeconds))"
    }

    /// When a size passes.
    static func criterion(_ result: CapacityResult) -> String {
        let units = unit(result).replacing("day", with: "days").replacing("run", with: "runs")
        guard let share = result.daysShare else {
            return "the mean over its \(units) meets all objectives"
        }
        return "at least \(Format.percent(share)) of \(units) meet all objectives"
    }

    static func busiest(_ trial: CapacityTrial) -> String {
        trial.busiest.map { "\($0.service) \(Format.share($0.value)), peak \(Format.share($0.peak))" }
            ?? "none"
    }

    private static func verdict(_ trial: CapacityTrial) -> String {
        switch trial.verdict {
        case .passes: "pass"
        case .fails: "FAIL \(trial.missed.joined(separator: ", "))"
        case .cannotTell(let more?): "cannot tell, about \(Format.count(more)) replications more"
        case .cannotTell(nil): "cannot tell"
        case .noData: "no data for \(trial.withoutData.joined(separator: ", "))"
        }
    }

    private static func text(_ needs: CapacityResult.Needs) -> [String] {
        var lines = [
            "tokens signed per day: \(Format.number(needs.tokensPerDay))"
                + (needs.observedSeconds < 86_400 * 0.99
                    ? ", extrapolated from \(Format.duration(needs.observedSeconds))" : ""),
            "bytes in and out: \(Format.bytes(needs.meanBytesPerSecond))/s on average,"
                + " \(Format.bytes(needs.peakBytesPerSecond))/s in the busiest second of each endpoint",
        ]
        if let bytes = needs.evaluationKeyBytes {
            lines.append("evaluation keys of all devices: \(Format.bytes(bytes))")
        }
        return lines
    }

    static func answer(_ result: CapacityResult) -> String {
        if result.outcome.isInterrupted { return interrupted(result) }
        guard let answer = result.outcome.answer else {
            return result.outcome.withoutData.map {
                "answer: cannot tell, \(Format.count($0)) \(result.subject) make too little load for an objective"
            }
                ?? (result.outcome.isUndecided
                    ? "answer: cannot tell, none of the sizes tried is sure to meet the objectives"
                    : "answer: none of the sizes tried meets the objectives")
        }
        let limit = result.outcome.next.flatMap { next in
            result.outcome.trials.first { $0.size == next }
        }
        let beyond = limit.map { trial in
            switch trial.verdict {
            case .cannotTell: "; \(Format.count(trial.size)) could not be told apart from the limit"
            case .noData: "; \(Format.count(trial.size)) has no data for an objective"
            default: "; \(Format.count(trial.size)) misses \(trial.missed.joined(separator: ", "))"
            }
        }
        let found = "answer: \(Format.count(answer)) \(result.subject)"
        guard let limit, let beyond else { return found + "; the bound of the search passes" }
        return found + beyond + cause(limit)
    }

    /// The answer as far as the sizes that ended have it, of which nothing else is known.
    private static func interrupted(_ result: CapacityResult) -> String {
        let count = { (size: Int) in "\(Format.count(size)) \(result.subject)" }
        let sizes = "INTERRUPTED after \(Format.count(result.outcome.trials.count, "size")): "
        let isLargest = result.goal == .largest
        switch (result.outcome.answer, result.outcome.next) {
        case (let passes?, let next?):
            return sizes
                + "the answer is between \(count(passes)), which pass, and \(Format.count(next)), which"
                + " \(doubt(result, next))"
        case (let passes?, nil):
            return sizes + "the answer is \(isLargest ? "at least" : "at most") \(count(passes)), which pass"
        case (nil, let next?):
            return sizes + "the answer is \(isLargest ? "below" : "above") \(count(next)), which"
                + " \(doubt(result, next))"
        case (nil, nil): return sizes + "nothing is known of the answer"
        }
    }

    private static func doubt(_ result: CapacityResult, _ size: Int) -> String {
        let trial = result.outcome.trials.first { $0.size == size }
        return switch trial?.verdict {
        case .fails: "miss \(trial?.missed.joined(separator: ", ") ?? "")"
        case .noData: "have no data for an objective"
        default: "cannot be told apart from the limit"
        }
    }

    private static func cause(_ limit: CapacityTrial) -> String {
        guard let busiest = limit.busiest else { return "" }
        let peak = "\(busiest.service) is busy \(Format.share(busiest.peak)) of its busiest interval"
        return limit.short == nil
            ? "\nno service is short of servers (\(peak)): look at the devices' access, the time limits and the faults"
            : ", limited by \(busiest.service): \(peak)"
    }
}
