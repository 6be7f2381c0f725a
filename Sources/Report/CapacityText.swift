package import Experiment
import Foundation

/// The terminal form of a capacity search: the table around the answer, then the answer.
package enum CapacityText {
    /// - Returns: Text that ends with a newline.
    package static func render(_ result: CapacityResult) -> String {
        var lines = [
            result.scenario,
            "first guess by Allen-Cunneen and measured utilization: \(Format.count(result.firstGuess))",
        ]
        let objectives = result.outcome.trials.first?.objectives.map(\.expression) ?? []
        let header = ["  \(result.subject)"] + objectives + ["busiest service", "objectives", "replications"]
        let rows = result.outcome.trials.map { trial in
            [(trial.size == result.outcome.answer ? "→ " : "  ") + Format.count(trial.size)]
                + trial.objectives.map(observed) + [busiest(trial), verdict(trial), "\(trial.replications)"]
        }
        lines += Format.table([header] + rows)
        if let less = result.withOneInstanceLess, let service = result.oneInstanceLessOf {
            lines.append(
                "with one instance of \(service) less: \(verdict(less)), busiest \(busiest(less))")
        }
        lines.append(
            "± is about the mean over replications, which are days or what else the scenario lasts")
        if let needs = result.needs { lines += text(needs) }
        lines.append(answer(result))
        return lines.joined(separator: "\n") + "\n"
    }

    private static func observed(_ objective: ObjectiveResult) -> String {
        objective.observed.map { Format.estimate($0, objective.interval, objective.unit) } ?? "no data"
    }

    private static func busiest(_ trial: CapacityTrial) -> String {
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

    private static func answer(_ result: CapacityResult) -> String {
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

    private static func cause(_ limit: CapacityTrial) -> String {
        guard let busiest = limit.busiest else { return "" }
        let peak = "\(busiest.service) is busy \(Format.share(busiest.peak)) of its busiest interval"
        return limit.short == nil
            ? "\nno service is short of servers (\(peak)): look at the devices' access, the time limits and the faults"
            : ", limited by \(busiest.service): \(peak)"
    }
}
