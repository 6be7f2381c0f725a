import Experiment

/// A metric's value as a reader of the terminal wants it: scaled, with half the width of its interval and its unit.
enum MetricText {
    static func text(_ value: Double, _ interval: Interval?, _ unit: MetricName.Unit) -> String {
        func scaled(_ value: Double) -> String {
            switch unit {
            case .seconds: Format.milliseconds(value)
            case .share: Format.number(value * 100)
            case .bytes, .number: plain(value)
            }
        }
        var line = scaled(value)
        if let interval, value == 0, interval.low == 0, interval.high > 0 {
            line += ", at most " + scaled(interval.high)
        } else if let interval {
            line += " ± " + scaled((interval.high - interval.low) / 2)
        }
        switch unit {
        case .seconds: return line + " ms"
        case .share: return line + " %"
        case .bytes: return line + " B"
        case .number: return line
        }
    }

    /// Whole numbers as they are, others with three digits.
    static func plain(_ value: Double) -> String {
        value == value.rounded() && abs(value) < 1e15 ? Format.count(Int(value)) : Format.number(value)
    }
}
