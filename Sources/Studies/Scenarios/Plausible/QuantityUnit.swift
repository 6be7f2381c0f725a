import Decoding
import Foundation

/// Unit of the numbers of a range, which says how a scenario writes them.
package enum QuantityUnit: String, Codable, Sendable {
    /// Without a unit: `0.95`.
    case number
    /// Times the value of the run itself; written as a number.
    case factor
    /// Written in percent.
    case share
    /// Whole.
    case count
    case seconds
    case bytes
    case bytesPerSecond

    /// A number as the scenario would write it.
    ///
    /// - Parameter range: Digits that would lead out of it are not left out.
    package func text(_ value: Double, in range: ClosedRange<Double>? = nil) -> String {
        switch self {
        case .number, .factor: Self.digits(value, in: range)
        case .share:
            Self.digits(value * 100, in: range.map { $0.lowerBound * 100...$0.upperBound * 100 }) + "%"
        case .count: "\(Int(saturating: value.rounded()))"
        case .seconds: Self.time(value)
        case .bytes: "\(Int(saturating: value.rounded()))B"
        case .bytesPerSecond: "\(Int(saturating: value.rounded()))B/s"
        }
    }

    /// Number that a text of a scenario stands for; `nil` for a word.
    func number(_ text: String) -> Double? {
        switch self {
        case .number, .factor, .share: try? Quantity.share(text)
        case .count: (try? Quantity.count(text)).map(Double.init)
        case .seconds: try? Quantity.seconds(text)
        case .bytes: (try? Quantity.bytes(text)).map(Double.init)
        case .bytesPerSecond: try? Quantity.bytesPerSecond(text)
        }
    }

    private static func digits(_ value: Double, in range: ClosedRange<Double>?) -> String {
        let short = String(format: "%.4g", value)
        guard let range, let read = Double(short), !range.contains(read) else { return short }
        return "\(value)"
    }

    private static func time(_ seconds: Double) -> String {
        let units = [(86_400, "d"), (3_600, "h"), (60, "min"), (1, "s"), (1e-3, "ms"), (1e-6, "us")]
        let unit = units.first { seconds >= $0.0 } ?? (1e-9, "ns")
        return String(format: "%.4g", seconds / unit.0) + unit.1
    }
}

extension SettingKind {
    /// Unit of a value that is one number; `nil` for anything else.
    var unit: QuantityUnit? {
        switch self {
        case .number(0...1, _): .share
        case .number: .number
        case .count: .count
        case .duration: .seconds
        case .bytes: .bytes
        case .bandwidth: .bytesPerSecond
        case .delay: .seconds
        default: nil
        }
    }
}
