import Experiment
import RunMetrics
import Scenarios

/// Draws of any figure, as the program's run and its design of what nobody knows make them.
struct PlausibleForecast {
    let found: OperatorStudy.Found
    let model: IgnoranceModel
    private let seed: UInt64
    private let box: [ClosedRange<Double>]?

    /// Share of the points that have a figure at least: at a few nearly nobody asks, and a percentile has no value.
    private static let leastKnown = 0.9

    /// - Parameter box: Places between which each input is drawn; `nil`: in the whole of its range.
    init(
        _ found: OperatorStudy.Found, seed: UInt64, confidence: Double, draws: Int,
        within box: [ClosedRange<Double>]? = nil
    ) {
        self.found = found
        self.seed = seed
        self.box = box
        model = IgnoranceModel(
            found.inputs, places: found.places, seed: seed, confidence: confidence, draws: draws, within: box)
    }

    /// The same with inputs in parts of their ranges.
    func within(_ box: [ClosedRange<Double>], draws: Int) -> PlausibleForecast {
        PlausibleForecast(found, seed: seed, confidence: model.confidence, draws: draws, within: box)
    }

    /// A value of all replications together, or that of one.
    typealias Reading = (_ point: PointResult, _ replication: Int?) -> Double?

    static func reading(_ metric: Metric) -> Reading {
        { $0.value(metric, replication: $1) }
    }

    /// - Returns: `nil` where more than a few points have no value.
    func finding(like support: Metric = .lookupsPerDeviceDay, _ read: Reading) -> IgnoranceModel.Finding? {
        guard let estimate = read(found.run, nil), let centre = read(found.centre, nil) else { return nil }
        let known = zip(found.places, found.points).compactMap { place, point in
            read(point, nil).map { (place: place, value: $0) }
        }
        guard Double(known.count) >= Self.leastKnown * Double(found.points.count) else { return nil }
        let model =
            known.count == found.points.count
            ? model
            : IgnoranceModel(
                found.inputs, places: known.map(\.place), seed: seed, confidence: model.confidence,
                draws: model.drawn.count, within: box)
        let webs = (0..<found.run.replications).compactMap { read(found.run, $0) }
        return model.finding(
            .init(
                metric: support, estimate: estimate,
                interval: Interval(webs, in: .amount, confidence: model.confidence), perReplication: webs,
                centre: centre, points: known.map(\.value)))
    }

    /// Mean of the days of the scenario as it is on one web, and their standard deviation as a share of it: at least
    /// that of events that come on their own.
    func days(_ metric: Metric) -> (mean: Double, spread: Double)? {
        let read = Self.reading(metric)
        let days = (0..<found.oneWeb.replications).compactMap { read(found.oneWeb, $0) }
        guard let mean = days.mean, mean > 0, days.count > 1 else { return nil }
        let squares = days.reduce(0) { $0 + ($1 - mean) * ($1 - mean) }
        let events = metric.countsEvents ? mean : found.oneWeb[.lookupsSent]?.value ?? 1
        let spread = (squares / Double(days.count - 1)).squareRoot() / mean
        return (mean, max(spread, 1 / max(events, 1).squareRoot()))
    }
}
