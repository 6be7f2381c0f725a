import RunMetrics

/// The finished points of a design, and what they make of whatever a question answers.
///
/// A question is asked of the run, and of the run as each point would have it: every metric times what the design says
/// of that point over the centre. So the level comes from the run and only the effects from the design, whatever the
/// question does with the metrics: a closed form, a search or a price list.
package struct IgnoranceDesign: Sendable {
    /// The findings about the run itself.
    package let result: IgnoranceResult
    private let model: IgnoranceModel
    private let run: RunResult
    private let centre: PointResult
    private let points: [PointResult]

    init(_ run: RunResult, _ analysis: IgnoranceAnalysis, places: [[Double]]) {
        self.run = run
        centre = analysis.centre
        points = analysis.points
        model = analysis.model
        result = analysis.result(places: places)
    }

    package var count: Int { points.count }

    /// The run's result as each point would have it: its metrics, those of its regions, and their intervals. What a
    /// point has no value for stays as it is, and so do series, counts and verdicts.
    package var shifted: [RunResult] {
        points.map { to in
            var result = run
            for place in result.points.indices {
                result.points[place].metrics.shift(from: centre.metrics, to: to.metrics)
                for region in (result.points[place].regions ?? []).indices {
                    guard let from = centre.regions, let to = to.regions, from.indices.contains(region),
                        to.indices.contains(region)
                    else { continue }
                    result.points[place].regions?[region].metrics.shift(
                        from: from[region].metrics, to: to[region].metrics)
                }
            }
            return result
        }
    }

    /// A figure of an answer, with what nobody knows of it.
    ///
    /// - Parameters:
    ///   - now: The answer to the run.
    ///   - interval: What chance does to it; `nil` where that is not told.
    ///   - values: Its answers at the points; a point without one leaves the figure without a finding.
    /// - Returns: `nil` where nothing varies, and for numbers that are not finite.
    package func finding(
        _ figure: IgnoranceFigure, now: Double, interval: Interval? = nil, values: [Double?]
    ) -> IgnoranceMetric? {
        model.finding(figure, now: now, interval: interval, values: values)
    }
}

extension [MetricResult] {
    /// Moves each value as it moves from one point to another.
    fileprivate mutating func shift(from centre: [MetricResult], to point: [MetricResult]) {
        func values(_ metrics: [MetricResult]) -> [String: Double] {
            Dictionary(metrics.map { ($0.words, $0.value) }) { first, _ in first }
        }
        let (from, to) = (values(centre), values(point))
        for index in indices {
            let words = self[index].words
            guard let from = from[words], let to = to[words], from != to else { continue }
            self[index].shift(from: from, to: to)
        }
    }
}

extension MetricResult {
    fileprivate mutating func shift(from: Double, to: Double) {
        let support: Metric.Support = unit == .share ? .share : .amount
        let scale = IgnoranceScale(support, [value, from, to])
        // Where something is 0, effects add up.
        let moved = scale.value(at: scale.place(of: value) + scale.place(of: to) - scale.place(of: from))
        let before = value
        value = support == .share ? Swift.min(Swift.max(moved, 0), 1) : Swift.max(moved, 0)
        guard before > 0 else { return }
        let factor = value / before
        interval = interval.map {
            Interval(
                low: $0.low * factor, high: $0.high * factor, confidence: $0.confidence, method: $0.method)
        }
    }
}
