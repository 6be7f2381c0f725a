import Experiment
import Questions
import Wording

/// The answer of a capacity search in sentences.
extension CapacityAnswer {
    var answer: [String] {
        if result.outcome.isInterrupted { return [interrupted] }
        guard let answer = result.outcome.answer else {
            return [
                result.outcome.withoutData.map {
                    "answer: cannot tell, \(Format.count($0)) \(result.subject) make too little load for an objective"
                }
                    ?? (result.outcome.isUndecided
                        ? "answer: cannot tell, none of the sizes tried is sure to meet the objectives"
                        : "answer: none of the sizes tried meets the objectives")
            ]
        }
        let found = "answer: \(Format.count(answer)) \(result.subject)"
        guard let limit = trials.first(where: { $0.size == result.outcome.next }) else {
            return [found + "; the bound of the search passes"]
        }
        let size = Format.count(limit.size)
        let beyond =
            switch limit.verdict {
            case .cannotTell: "; \(size) could not be told apart from the limit"
            case .noData: "; \(size) has no data for an objective"
            default: "; \(size) misses \(limit.missed.joined(separator: ", "))"
            }
        guard let busiest = limit.busiest else { return [found + beyond] }
        let peak = "\(busiest.service) is busy \(Format.share(busiest.peak)) of its busiest interval"
        return limit.short == nil
            ? [
                found + beyond,
                "no service is short of servers (\(peak)): look at the devices' access, the time limits and the faults",
            ] : [found + beyond + ", limited by \(busiest.service): \(peak)"]
    }

    /// The answer as far as the sizes that ended have it, of which nothing else is known.
    private var interrupted: String {
        let count = { (size: Int) in "\(Format.count(size)) \(result.subject)" }
        let sizes = "INTERRUPTED after \(Format.count(trials.count, "size")): "
        let isLargest = result.goal == .largest
        switch (result.outcome.answer, result.outcome.next) {
        case (let passes?, let next?):
            return sizes
                + "the answer is between \(count(passes)), which pass, and \(Format.count(next)), which"
                + " \(doubt(next))"
        case (let passes?, nil):
            return sizes + "the answer is \(isLargest ? "at least" : "at most") \(count(passes)), which pass"
        case (nil, let next?):
            return sizes
                + "the answer is \(isLargest ? "below" : "above") \(count(next)), which \(doubt(next))"
        case (nil, nil): return sizes + "nothing is known of the answer"
        }
    }

    private func doubt(_ size: Int) -> String {
        let trial = trials.first { $0.size == size }
        return switch trial?.verdict {
        case .fails: "miss \(trial?.missed.joined(separator: ", ") ?? "")"
        case .noData: "have no data for an objective"
        default: "cannot be told apart from the limit"
        }
    }
}
