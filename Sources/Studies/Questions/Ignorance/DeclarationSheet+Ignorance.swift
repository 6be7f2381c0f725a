package import Experiment
import RunMetrics
package import Statistics

/// Requests of a kind of day, of all continents, as an ordinary day of the same devices is busier or calmer.
///
/// What the day adds to an ordinary one comes once of each device, such as its evaluation key, however much that
/// browses. So it stays, and the rest is as many times as much as the ordinary day.
package struct DayRequests: Sendable {
    private let day: ArrivalIntensity
    private let ordinary: ArrivalIntensity
    private let times: Double

    /// - Parameters:
    ///   - day: Of a sample.
    ///   - ordinary: Of the same devices on an ordinary day.
    ///   - times: Devices of the fleet for each one of the sample.
    package init(_ day: ArrivalIntensity, ordinary: ArrivalIntensity, times: Double) {
        self.day = day
        self.ordinary = ordinary
        self.times = times
    }

    /// Level of each day that was seen, over the mean.
    var levels: [Double] { day.total > 0 ? day.totals.map { $0 / day.total } : [] }

    /// Requests in all, if an ordinary day had so many times as many.
    func total(_ ratio: Double) -> Double { requests(ratio).total * times }

    /// Mean of the busiest window of a day, by its law.
    func peak(_ width: Int, _ ratio: Double) -> Double {
        PeakLaw(requests(ratio), width: width, times: times).mean
    }

    private func requests(_ ratio: Double) -> ArrivalIntensity { day.adding(ordinary, times: ratio - 1) }
}

/// How far the numbers of a sheet move over what nobody knows.
extension DeclarationSheet {
    private static let relay = Metric.relays[0]
    /// Metrics that a run tells itself.
    private static let told = [relay.perDay, relay.peakSecond]

    /// Takes over what the run says of the numbers of the sheet.
    package mutating func addIgnorance(of result: RunResult) {
        guard result.sweep == nil, let known = result.ignorance, known.finished else { return }
        add(known, known.metrics.filter { metric in Self.told.contains { metric.isOf($0) } })
    }

    /// Evaluates the numbers of a fleet at the points of a design about an ordinary day of a part of it.
    ///
    /// - Parameters:
    ///   - known: Whose requests a day say how much busier each point is.
    ///   - requests: Of the day that the sheet is about.
    ///   - seed: Of the design's scenario.
    package mutating func addIgnorance(_ known: IgnoranceResult, of requests: DayRequests, seed: UInt64) {
        guard known.finished, let all = traffic.regions.last else { return }
        guard let moved = known[Self.relay.perDay], moved.centre > 0 else { return add(known, []) }
        func form(
            _ metric: Metric, _ rate: ObservedTraffic.Rate, _ value: (Double) -> Double
        ) -> FormulaDesign.Form? {
            let now = value(1)
            guard now > 0 else { return nil }
            return FormulaDesign.Form(
                IgnoranceFigure(metric), now: rate.value, interval: rate.interval,
                values: moved.points.map { rate.value * value($0 / moved.centre) / now },
                perReplication: moved.share(.web) > 0 ? requests.levels.map { $0 * rate.value } : [])
        }
        let forms = [
            form(Self.relay.perDay, all.perDay) { requests.total($0) },
            form(Self.relay.peakSecond, all.peakSecond) { requests.peak(1, $0) },
            form(Self.relay.peakMinute, all.peakMinute) { requests.peak(60, $0) },
        ].compactMap(\.self)
        var known = known
        known.refused = []
        add(known, FormulaDesign(of: known, seed: seed).result(forms).metrics)
    }

    private mutating func add(_ known: IgnoranceResult, _ metrics: [IgnoranceMetric]) {
        var known = known
        known.metrics = metrics
        known.refused.removeAll { refusal in
            !Self.told.contains { $0.name == refusal.name && $0.statistic == refusal.statistic }
        }
        (known.places, known.objectives, known.curves) = ([], [], nil)
        guard !known.metrics.isEmpty || !known.refused.isEmpty else { return }
        ignorance = known
    }
}
