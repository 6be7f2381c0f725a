import Experiment
import Questions
import Wording

/// A tuning over what nobody knows.
extension TuningAnswer {
    private var known: TuningPlausibility? { result.plausibility }

    /// Both intervals of the money, and how often the shape is the one to build.
    var doubts: [String] {
        guard let known else { return [] }
        let scope = "of what is plausible (\(Format.count(known.points, "draw")))"
        let nearest =
            known.near == known.points
            ? "" : ", and at most \(Format.share(known.mostRegret)) dearer elsewhere"
        let cheaper = known.contest.map { ", below Apple's default in \(Format.wholePercent($0.share))" }
        return [
            "the best shape is within 2 % of the cheapest in \(Format.wholePercent(known.nearShare))"
                + " \(scope)\(nearest)\(cheaper ?? "")"
        ] + [money].compactMap(\.self)
    }

    private var money: String? {
        guard let metric = known?.ignorance.metrics.first(where: \.isMoney), let best = result.choices.first
        else { return nil }
        return "its money a month: \(Format.number(metric.value))"
            + Format.doubts(metric, chance: best.observed.moneyPerMonth.interval)
    }

    /// Assumptions that make most of it, and knowledge that would settle it.
    var causes: [String] {
        guard let known else { return [] }
        let answer = IgnoranceAnswer(ignorance: known.ignorance)
        let delay = known.ignorance[.blockingMean].map { delay in
            "a new entry blocks after \(Format.duration(delay.value)) in the mean" + Format.doubts(delay)
        }
        return [delay].compactMap(\.self)
            + known.ignorance.metrics.filter { $0.model != nil && ($0.isMoney || $0.isOf(.blockingMean)) }
            .flatMap { [answer.largest($0), answer.settling($0)].compactMap(\.self) }
    }

    var plausible: [Document.Block] {
        known.map { IgnoranceAnswer(ignorance: $0.ignorance).blocks } ?? []
    }
}
