import Experiment
import RunMetrics
import Wording

/// Ignorance, beside what chance does.
extension RunScreen {
    private var ignorance: IgnoranceResult? { result.ignorance.flatMap { $0.finished ? $0 : nil } }

    /// How the brackets of this screen are to be read.
    var meaningOfIntervals: String {
        if let ignorance {
            return "In brackets: what nobody knows (\(Format.percent(ignorance.confidence))); ± is chance."
        }
        guard let note = result.ignorance?.note else { return "What follows ± is chance only." }
        return "What follows ± is chance only: what nobody knows is not told, as \(note)."
    }

    /// Estimate of a metric with both intervals where there are two.
    ///
    /// - Parameter isShort: One of several in a row, which have no room for words.
    func estimate(_ metric: MetricResult, isShort: Bool = false) -> String {
        guard let known = ignorance?.metrics.first(where: { $0.words == metric.words }) else {
            return Format.estimate(metric)
        }
        return Format.plausible(metric, known, isShort: isShort || room != .all)
    }

    /// Number of events in the unit of this screen.
    func rate(_ metric: Metric) -> String? {
        guard let found = point[metric] else { return nil }
        guard let known = ignorance?[metric], let rate = found.rate, found.value > 0 else {
            return Format.rate(found, isNamed: false)
        }
        return Format.plausible(rate, known.scaled(by: rate.value / found.value), isShort: room != .all)
    }

    /// Bounds of a metric whose value stands before them.
    func plausible(_ metric: Metric, isShort: Bool) -> String? {
        guard let found = point[metric], let rate = found.rate, found.value > 0,
            let known = ignorance?[metric]
        else { return nil }
        let scaled = known.scaled(by: rate.value / found.value)
        return " (\(Format.rough(scaled.interval, scaled.unit)))"
    }

    /// The objective that is least sure, behind a verdict that all pass.
    var leastPlausible: String {
        let shares = (ignorance?.objectives ?? []).compactMap(\.met)
        guard let least = shares.min(), least < IgnoranceAnswer.sure else { return "" }
        return " Not sure: one is met in \(Format.wholePercent(least)) of what is plausible."
    }

    func plausibility(of objective: ObjectiveResult) -> [String] {
        IgnoranceAnswer.doubt(of: objective, ignorance).map { [$0] } ?? []
    }

    /// The assumptions that make most of it, and what would settle the largest.
    var assumptions: [String] {
        guard let ignorance, let metric = IgnoranceAnswer.leading(ignorance) else { return [] }
        let factor = Metric(metric.name, metric.statistic).flatMap { metric in
            point[metric].flatMap { found in found.value > 0 ? found.rate.map { $0.value / found.value } : nil
            }
        }
        let answer = IgnoranceAnswer(ignorance: ignorance)
        return [answer.largest(metric)]
            + (answer.settling(factor.map(metric.scaled) ?? metric).map { [$0] } ?? [])
    }
}
