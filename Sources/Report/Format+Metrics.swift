package import Experiment
import Foundation

/// Metrics with their unit and their interval.
extension Format {
    /// Milliseconds, percent, bytes or a plain number; an interval as ± half its width, or as an upper bound of
    /// what was never seen.
    package static func estimate(_ value: Double, _ interval: Interval?, _ unit: Metric.Unit) -> String {
        var line = bare(value, unit)
        if let interval, value == 0, interval.low == 0, interval.high > 0 {
            line += ", at most " + bare(interval.high, unit)
        } else if let interval {
            line += " ± " + bare((interval.high - interval.low) / 2, unit)
        }
        return line + suffix(unit)
    }

    /// What follows a number in the unit of ``bare(_:_:)``; nothing for a plain number.
    static func suffix(_ unit: Metric.Unit) -> String {
        switch unit {
        case .seconds: " ms"
        case .share: " %"
        case .bytes: " B"
        case .number: ""
        }
    }

    package static func estimate(_ metric: MetricResult) -> String {
        estimate(metric.value, metric.interval, metric.unit)
    }

    /// In the unit of ``unitName(_:)``, without naming it.
    static func bare(_ value: Double, _ unit: Metric.Unit) -> String {
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

    /// The shortest text of a round number, with k, M and G from 10 000 on: for the ticks of an axis.
    static func plain(_ value: Double) -> String { plain(value, digits: 4) }

    static func plain(_ value: Double, digits: Int) -> String {
        let scales = [(1e9, "G"), (1e6, "M"), (1e3, "k")]
        if abs(value) >= 10_000, let (scale, suffix) = scales.first(where: { abs(value) >= $0.0 }) {
            return String(format: "%.\(digits)g", value / scale) + suffix
        }
        return String(format: "%.\(digits)g", value).replacing("e-0", with: "e-")
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
