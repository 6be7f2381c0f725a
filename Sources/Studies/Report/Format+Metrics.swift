import Decoding
package import Experiment
import Foundation
package import RunMetrics
import Wording

/// Metrics with their unit and their interval.
extension Format {
    /// Milliseconds, percent, bytes or a plain number, with its interval; long times in seconds and more.
    package static func estimate(_ value: Double, _ interval: Interval?, _ unit: Metric.Unit) -> String {
        guard unit == .seconds else {
            return bare(value, unit) + spread(around: value, interval) { bare($0, unit) } + suffix(unit)
        }
        let unit = TimeScale(ofWait: value)
        return "\(unit.number(value))\(spread(around: value, interval, unit.number)) \(unit.name)"
    }

    /// Which stage takes most of the time that people wait, and whether that is an assumption.
    static func longestStage(_ longest: LongestStage) -> String {
        let paths = longest.assumptions
        let basis =
            paths.isEmpty
            ? "nothing of it assumed"
            : "assumption\(paths.count > 1 ? "s" : ""): \(paths.joined(separator: ", "))"
        return "\(share(longest.share)) of it \(Metric.stage(longest.stage).label) (\(basis))"
    }

    /// Text behind a value: ± half its interval, both ends where the value is not in the middle, an upper
    /// bound of what was never seen; nothing without an interval.
    static func spread(
        around value: Double, _ interval: Interval?, _ text: (Double) -> String
    ) -> String {
        guard let interval, interval.low < interval.high else { return "" }
        if value == 0, interval.low == 0 {
            return "; \(percent(interval.confidence)) sure: below \(text(interval.high))"
        }
        let (below, above) = (value - interval.low, interval.high - value)
        return (below - above).magnitude <= 0.02 * (below + above)
            ? " ± " + text((below + above) / 2) : " (\(text(interval.low)) … \(text(interval.high)))"
    }

    /// Text behind a number in the unit of ``bare(_:_:)``; nothing for a plain number.
    static func suffix(_ unit: Metric.Unit) -> String {
        switch unit {
        case .seconds: " ms"
        case .share: " %"
        case .bytes: " B"
        case .number: ""
        }
    }

    /// Words before a value that runs ended before: it is the least that the value can be.
    static func least(_ cut: Int?) -> String { cut == nil ? "" : "at least " }

    /// The same as a mark for tables.
    static func leastMark(_ cut: Int?) -> String { cut == nil ? "" : "≥ " }

    package static func estimate(_ metric: MetricResult) -> String {
        if metric.method == .impossible { return "cannot happen" }
        let mean =
            least(metric.cut) + estimate(metric.value, metric.interval, metric.unit)
            + (metric.unseen.map(unseen) ?? "")
            + (metric.otherSeeds.map { ", exact; with other hash seeds \(range($0, metric.unit))" } ?? "")
            + (metric.extrapolatedFrom.map { ", extrapolated from \(duration($0))" } ?? "")
        guard let pooled = metric.pooled else { return mean }
        return mean + ", of all lookups together " + bare(pooled, metric.unit) + suffix(metric.unit)
    }

    /// A number of events in the unit of headlines.
    ///
    /// - Parameter isNamed: Says the unit behind it.
    static func rate(_ metric: MetricResult, isNamed: Bool = true) -> String {
        if metric.method == .impossible { return estimate(metric) }
        guard let rate = metric.rate else { return estimate(metric) + " per replication" }
        guard isNamed else { return estimate(rate) }
        let seconds = metric.perThousandDeviceDays?.extrapolatedFrom
        return "\(estimate(rate)) \(DeviceDayRate.words)"
            + (seconds.map { ", extrapolated from \(duration($0))" } ?? "")
    }

    /// Note on what good replications say of bad ones.
    private static func unseen(_ unseen: UnseenReplications) -> String {
        " (in none of \(count(unseen.replications, "replication")); of others fewer than"
            + " \(share(unseen.affectedBelow)) have any)"
    }

    /// Lines on what the intervals are about, and what they are not.
    static func conditions(_ scenario: RunResult.ScenarioSummary) -> [String] {
        [
            "varies from replication to replication: " + scenario.varied.joined(separator: "; "),
            "held fixed, so that no interval is about it: " + scenario.heldFixed.joined(separator: "; "),
        ]
    }

    /// Lower bound of a percentile that too few lookups lie above, and how many it needs.
    static func estimate(_ tail: ThinTail) -> String {
        "at least \(bare(tail.atLeast, tail.unit))\(suffix(tail.unit)); needs \(count(tail.needed, "lookup")),"
            + " there were \(count(tail.observations))"
    }

    /// Both ends of an interval and the unit.
    static func range(_ interval: Interval, _ unit: Metric.Unit) -> String {
        "\(bare(interval.low, unit)) to \(bare(interval.high, unit))\(suffix(unit))"
            + " (\(percent(interval.confidence)))"
    }

    /// Number in the unit of ``unitName(_:)``, without naming it.
    package static func bare(_ value: Double, _ unit: Metric.Unit) -> String {
        switch unit {
        case .seconds: milliseconds(value)
        case .share: number(value * 100)
        case .bytes, .number: whole(value)
        }
    }

    /// Whole numbers as they are, others with three digits.
    package static func whole(_ value: Double) -> String {
        value == value.rounded() && abs(value) < 1e15 ? count(Int(value)) : number(value)
    }

    /// Ticks in the unit in which ``estimate(_:_:_:)`` writes values, without naming it.
    static func tick(_ unit: Metric.Unit) -> (Double) -> String {
        switch unit {
        case .seconds: { plain($0 * 1_000) }
        case .share: { plain($0 * 100) }
        case .bytes, .number: plain
        }
    }

    static func unitName(_ unit: Metric.Unit) -> String {
        switch unit {
        case .seconds: "ms"
        case .share: "%"
        case .bytes: "bytes"
        case .number: "count"
        }
    }
}

extension MetricResult {
    /// Whether none was seen of what could have been: a 0, with how many there may be.
    var hasOnlyBound: Bool {
        guard method != .impossible, cut == nil, let interval = headline.interval else { return false }
        return headline.value == 0 && interval.low == 0 && interval.high > 0
    }

    /// The figure without what is said of replications that have none of it, where there is no room for that.
    var withoutUnseen: MetricResult {
        var metric = self
        metric.unseen = nil
        return metric
    }
}
