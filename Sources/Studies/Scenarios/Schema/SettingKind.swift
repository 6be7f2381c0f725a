extension Setting<Double> {
    /// Least and largest.
    package var bounds: ClosedRange<Double> {
        info.kind.bounds ?? -.greatestFiniteMagnitude ... .greatestFiniteMagnitude
    }

    package func clamped(_ value: Double) -> Double { min(max(value, bounds.lowerBound), bounds.upperBound) }
}

/// Kind of value that a setting may have in a file.
package indirect enum SettingKind: Sendable {
    case text
    case file
    case seed
    case flag
    /// At least so much; the word stands for "none of it".
    case duration(atLeast: String, or: String?)
    case bytes
    case bandwidth
    case count(ClosedRange<Int>)
    case number(ClosedRange<Double>, or: String?)
    /// A duration, or a law of durations.
    case delay
    case numbers(ClosedRange<Int>, in: ClosedRange<Double>)
    /// Values at percentiles, and limits.
    case curve
    case choice([String])
    /// One of the names, or several with their shares.
    case mix([String])
    /// One of the names or a list of them.
    case some([String])
    case texts
    /// The settings of the group of the same name, or something short for them.
    case group(or: SettingKind)

    /// Whether a sweep rounds what it gives it.
    package var isWhole: Bool { if case .count = self { true } else { false } }

    /// Least and largest of a number; `nil` if it is none.
    package var bounds: ClosedRange<Double>? {
        switch self {
        case .count(let range): Double(range.lowerBound)...Double(range.upperBound)
        case .number(let range, _): range
        default: nil
        }
    }

    /// An example for a message: `is missing; write for example …`.
    var example: String {
        switch self {
        case .duration(_, let word?): "'24h' or \(word)"
        case .duration: "'90s', '24h' or '250ms'"
        case .bytes: "'30kB' or '1MiB'"
        case .bandwidth: "'100Mbit/s' or '5MB/s'"
        case .count: "'20000' or '1.5M'"
        case .number(_, let word?): "'10%' or \(word)"
        case .number: "'0.001', '2%' or '1/1000'"
        case .choice(let names), .mix(let names), .some(let names): names.joined(separator: " or ")
        case .group(let short): short.example
        case .text, .file, .seed, .flag, .delay, .numbers, .curve, .texts: ""
        }
    }
}
