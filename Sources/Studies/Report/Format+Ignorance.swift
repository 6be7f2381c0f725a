import Decoding
package import Experiment
import Foundation
import RunMetrics
package import Wording

extension Format {
    /// `46.4 (3.7 to 55: what nobody knows; ± 0.4: chance)`.
    ///
    /// - Parameter isShort: `46.4 (3.7 to 55; ± 0.4)`.
    static func plausible(_ metric: MetricResult, _ known: IgnoranceMetric, isShort: Bool) -> String {
        let isElsewhere = abs(known.median - known.value) > elsewhere * abs(known.value)
        let median = isElsewhere && !isShort ? ", median \(rough(known.median, known.unit))" : ""
        let chance = chance(around: metric.value, metric.interval, metric.unit)
        let range =
            isShort
            ? rough(known.interval, known.unit)
            : nobodyKnows(metric.value, rough(known.interval, known.unit), known, median: median)
        let parts = [range, chance.isEmpty || isShort ? chance : "\(chance): chance"].filter { !$0.isEmpty }
        return least(metric.cut) + bare(metric.value, metric.unit) + suffix(metric.unit)
            + " (\(parts.joined(separator: "; ")))"
    }

    /// ` (25 to 61: what nobody knows; ± 0.4: chance)`, behind a figure that names its unit.
    package static func doubts(_ known: IgnoranceMetric, chance interval: Interval? = nil) -> String {
        let chance = chance(around: known.value, interval, known.unit)
        // A time stands before it in a unit of its own.
        let range = known.unit == .seconds ? plausibleRange : rough
        return " (" + nobodyKnows(known.value, range(known.interval, known.unit), known)
            + (chance.isEmpty ? ")" : "; \(chance): chance)")
    }

    /// `25 to 61: what nobody knows`, or that it moves no digit that the figure has.
    private static func nobodyKnows(
        _ value: Double, _ range: String, _ known: IgnoranceMetric, median: String = ""
    ) -> String {
        let ends = Interval(
            low: min(value, known.interval.low), high: max(value, known.interval.high),
            confidence: known.interval.confidence, method: known.interval.method)
        return isOneFigure(ends, known.unit) ? nothing : "\(range)\(median): what nobody knows"
    }

    private static let nothing = "nothing that nobody knows moves it"

    /// `may be 25 to 61`, behind the name of what nobody knows.
    ///
    /// - Parameter ends: As ``plausibleRange(_:_:)`` has them, or as a scenario writes them.
    static func mayBe(_ ends: String) -> String { "may be \(ends)" }

    static func mayBe(_ known: IgnoranceMetric) -> String {
        mayBe(plausibleRange(known.interval, known.unit))
    }

    /// `± 0.4`, as a part of what stands in brackets, or `± under 0.5` where it moves no digit that the figure has;
    /// empty without an interval.
    static func chance(around value: Double, _ interval: Interval?, _ unit: Metric.Unit) -> String {
        if let interval, value != 0, interval.high > interval.low, interval.low <= value,
            value <= interval.high, isOneFigure(interval, unit)
        {
            // Half of the last digit.
            return "± under \(rough(pow(10, log10(abs(value)).rounded(.down) - 2) / 2, unit, digits: 1))"
        }
        // The brackets of an interval that is not even are inside brackets already.
        return spread(around: value, interval) { bare($0, unit) }.filter { !"();".contains($0) }
            .trimmingCharacters(in: .whitespaces)
    }

    /// Distance of the median from the run's value, relative to it, that is worth saying.
    private static let elsewhere = 0.25

    /// Both ends with their unit; long times and large sizes in units of their own, such as hours.
    static func plausibleRange(_ interval: Interval, _ unit: Metric.Unit) -> String {
        if isLong(interval, unit) { return range(interval.low, interval.high, duration) }
        if isLarge(interval, unit) { return range(interval.low, interval.high, bytes) }
        return rough(interval, unit) + suffix(unit)
    }

    /// Sizes that nobody reads in bytes.
    static func isLarge(_ interval: Interval, _ unit: Metric.Unit) -> Bool {
        unit == .bytes && interval.low >= 0 && interval.high >= 10_000
    }

    /// Times that nobody reads in milliseconds.
    static func isLong(_ interval: Interval, _ unit: Metric.Unit) -> Bool {
        unit == .seconds && interval.low >= 0 && interval.high >= 600
    }

    /// Digits of a figure, and the most that an end of its range has.
    private static let figureDigits = 3

    /// Both ends in the unit of the value before them: with the two digits that such an interval has, with three where
    /// they are less than a factor of two apart, and as one figure where those are the same.
    static func rough(_ interval: Interval, _ unit: Metric.Unit) -> String {
        let (low, high) = (interval.low, interval.high)
        let isNarrow = low * high > 0 && max(abs(low), abs(high)) < 2 * min(abs(low), abs(high))
        let digits = isNarrow ? figureDigits : 2
        return range(low, high) { rough($0, unit, digits: digits) }
    }

    /// Whether both ends are the same in the digits that a figure has.
    private static func isOneFigure(_ interval: Interval, _ unit: Metric.Unit) -> Bool {
        // What is told in words, such as over 10^15, may be anything.
        guard max(abs(interval.low), abs(interval.high)) < 1e12 else { return false }
        if isLong(interval, unit) { return duration(interval.low) == duration(interval.high) }
        return rough(interval.low, unit, digits: figureDigits)
            == rough(interval.high, unit, digits: figureDigits)
    }

    static func rough(_ value: Double, _ unit: Metric.Unit, digits: Int = 2) -> String {
        let factor: Double =
            switch unit {
            case .seconds: 1_000
            case .share: 100
            case .bytes, .number: 1
            }
        let scaled = value * factor
        // Words for what has no digits to show.
        guard scaled.isFinite, abs(scaled) >= 1e-9, abs(scaled) < 1e15 else { return number(scaled) }
        let step = pow(10, log10(abs(scaled)).rounded(.down) - Double(digits - 1))
        let rounded = (scaled / step).rounded() * step
        return step >= 1 ? count(Int(saturating: rounded.rounded())) : plain(rounded, digits: digits)
    }

    /// Bounds of a share that a curve has at one place: `30 to 60 %`.
    static func plausible(share ends: (low: Double, high: Double)) -> String {
        range(ends.low, ends.high) { rough($0, .share) } + " %"
    }

    /// A share of what is plausible, in whole percent; what is not quite all or nothing does not read as such.
    static func wholePercent(_ share: Double) -> String {
        if share > 0, share < 0.01 { return "under 1 %" }
        if share < 1, share > 0.99 { return "over 99 %" }
        return "\(Int(saturating: (share * 100).rounded())) %"
    }
}
