package import Experiment
package import RunMetrics
package import Scenarios
import Statistics

/// Two answers over what nobody knows, under the same draws: in how much of it one of them is better.
package struct PlausibleContest: Codable, Equatable, Sendable {
    package var metric: String
    package var statistic: String
    package var unit: Metric.Unit
    /// Draws, and those in which the second answer is better, and worse, than the first.
    package var points: Int
    package var better: Int
    package var worse: Int
    /// The second less the first: that in the middle, and what 95 % of the draws lie between.
    package var median: Double
    package var difference: Interval

    /// - Parameters:
    ///   - first: Values by draw, as many as of `second`.
    ///   - direction: Of what is better.
    /// - Returns: `nil` where nothing is better, and without values.
    package init?(
        _ figure: IgnoranceFigure, _ direction: Metric.Direction, first: [Double?], second: [Double?]
    ) {
        let pairs = zip(first, second).compactMap { one, other in
            one.flatMap { one in other.map { (one, $0) } }
        }
        guard direction != .neither, !pairs.isEmpty, pairs.count == first.count,
            first.count == second.count
        else { return nil }
        let sign = direction == .lower ? -1.0 : 1
        let changes = pairs.map { $0.1 - $0.0 }.sorted()
        func quantile(_ share: Double) -> Double { Percentile.nearestRank(share, sorted: changes) ?? 0 }
        metric = figure.name
        statistic = figure.statistic
        unit = figure.unit
        points = pairs.count
        better = changes.count { sign * $0 > 0 }
        worse = changes.count { sign * $0 < 0 }
        median = quantile(0.5)
        difference = Interval(
            low: quantile(0.025), high: quantile(0.975), confidence: 0.95,
            method: "\(pairs.count) draws of what is plausible")
    }

    /// The same of a metric of two runs.
    init?(_ metric: Metric, first: [RunResult], second: [RunResult]) {
        func values(_ results: [RunResult]) -> [Double?] { results.map { $0.points.first?[metric]?.value } }
        self.init(
            IgnoranceFigure(metric), metric.better, first: values(first), second: values(second))
    }

    package var share: Double { Double(better) / Double(points) }
    package var shareWorse: Double { Double(worse) / Double(points) }
    package var isMoney: Bool {
        metric == IgnoranceFigure.money.name && statistic == IgnoranceFigure.money.statistic
    }
    package func isOf(_ other: Metric) -> Bool { metric == other.name && statistic == other.statistic }
}

/// A comparison over what nobody knows.
package struct PlausibleComparison: Codable, Equatable, Sendable {
    package var inputs: [PlausibleInput]
    /// The primary metrics that have values in every draw.
    package var contests: [PlausibleContest]
    /// Why there is nothing of all this; absent where there is.
    package var note: String?

    /// - Parameters:
    ///   - designs: With the same places.
    ///   - metrics: That decide.
    package init(_ baseline: IgnoranceDesign, _ candidate: IgnoranceDesign, metrics: [Metric]) {
        inputs = baseline.result.inputs
        let (first, second) = (baseline.shifted, candidate.shifted)
        contests = metrics.compactMap { PlausibleContest($0, first: first, second: second) }
            .filter { $0.better + $0.worse > 0 }
    }

    package init(note: String) {
        (inputs, contests, self.note) = ([], [], note)
    }
}

extension [[PlausibleInput]] {
    /// All inputs of several scenarios, each once: what they have in common is drawn once.
    package var union: [PlausibleInput] {
        var all: [PlausibleInput] = []
        for input in joined() where !all.contains(where: { $0.name == input.name }) { all.append(input) }
        return all
    }
}

extension IgnoranceStudy.Draws {
    /// The draws of one of several scenarios, at the places that all share.
    ///
    /// - Parameters:
    ///   - own: Its inputs.
    ///   - all: ``Swift/Array/union`` of all scenarios' inputs.
    package init(_ own: [PlausibleInput], among all: [PlausibleInput], points: Int) {
        self.init(all.map { input in own.first { $0.name == input.name } ?? input }, points: points)
        acting = Set(own.map(\.name))
    }
}
