import Decoding
import Experiment
import Foundation
import RunMetrics
import Wording

extension Format {
    /// `46.4 (3.7 to 55: what nobody knows; ± 0.4: chance)`.
    ///
    /// - Parameter isShort: `46.4 (3.7 to 55; ± 0.4)`.
    static func plausible(_ metric: MetricResult, _ known: IgnoranceMetric, isShort: Bool) -> String {
        let chance = chance(around: metric.value, metric.interval) { bare($0, metric.unit) }
        let isElsewhere = abs(known.median - known.value) > elsewhere * abs(known.value)
        let median = isElsewhere && !isShort ? ", median \(rough(known.median, known.unit))" : ""
        let parts = [
            rough(known.interval, known.unit) + median + (isShort ? "" : ": what nobody knows"),
            chance.isEmpty ? "" : chance + (isShort ? "" : ": chance"),
        ].filter { !$0.isEmpty }
        return least(metric.cut) + bare(metric.value, metric.unit) + suffix(metric.unit)
            + " (\(parts.joined(separator: "; ")))"
    }

    /// `± 0.4`, as a part of what stands in brackets; empty without an interval.
    static func chance(
        around value: Double, _ interval: Interval?, _ text: (Double) -> String
    ) -> String {
        // The brackets of an interval that is not even are inside brackets already.
        spread(around: value, interval, text).filter { !"();".contains($0) }
            .trimmingCharacters(in: .whitespaces)
    }

    /// Distance of the median from the run's value, relative to it, that is worth saying.
    private static let elsewhere = 0.25

    /// Both ends with their unit; long times in units of their own, such as hours.
    static func plausibleRange(_ interval: Interval, _ unit: Metric.Unit) -> String {
        isLong(interval, unit)
            ? "\(duration(interval.low)) to \(duration(interval.high))"
            : rough(interval, unit) + suffix(unit)
    }

    /// Times that nobody reads in milliseconds.
    static func isLong(_ interval: Interval, _ unit: Metric.Unit) -> Bool {
        unit == .seconds && interval.low >= 0 && interval.high >= 600
    }

    /// Both ends in the unit of the value before them, with the two digits that such an interval has; with as many more
    /// as tell ends apart that are close together.
    static func rough(_ interval: Interval, _ unit: Metric.Unit) -> String {
        let width = interval.high - interval.low
        let isNarrow = width > 0 && interval.high < 2 * interval.low
        let more = isNarrow ? max(1, Int(saturating: log10(interval.high / width).rounded(.down))) : 0
        let ends = [interval.low, interval.high].map { rough($0, unit, digits: 2 + more) }
        return ends.joined(separator: " to ")
    }

    static func rough(_ value: Double, _ unit: Metric.Unit, digits: Int = 2) -> String {
        let factor: Double =
            switch unit {
            case .seconds: 1_000
            case .share: 100
            case .bytes, .number: 1
            }
        let scaled = value * factor
        guard scaled != 0, scaled.isFinite else { return "0" }
        let step = pow(10, log10(abs(scaled)).rounded(.down) - Double(digits - 1))
        let rounded = (scaled / step).rounded() * step
        return step >= 1 ? count(Int(saturating: rounded.rounded())) : plain(rounded, digits: digits)
    }

    /// Bounds of a share that a curve has at one place: `30 to 60 %`.
    static func plausible(share ends: (low: Double, high: Double)) -> String {
        "\(rough(ends.low, .share)) to \(rough(ends.high, .share)) %"
    }

    /// A share of what is plausible, in whole percent; what is not quite all or nothing does not read as such.
    static func wholePercent(_ share: Double) -> String {
        if share > 0, share < 0.01 { return "under 1 %" }
        if share < 1, share > 0.99 { return "over 99 %" }
        return "\(Int(saturating: (share * 100).rounded())) %"
    }
}
