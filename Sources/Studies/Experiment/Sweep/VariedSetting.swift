import Decoding
import Foundation
import Scenarios

/// One setting that a sweep varies, and the values it takes.
package struct VariedSetting: Codable, Hashable, Sendable {
    package enum Values: Codable, Hashable, Sendable {
        /// Values as YAML would write them.
        case list([String])
        case range(VariedRange)
    }

    /// Path as `--set` takes it, for example `devices[students].count`.
    package var path: String
    package var values: Values
    /// A count: values between whole numbers are rounded.
    package var isWhole: Bool

    /// Values as `--vary` takes them, without the path.
    package var text: String {
        switch values {
        case .list(let values): values.joined(separator: ",")
        case .range(let range): range.text
        }
    }

    /// Values of a grid; a range without a step or a count has none.
    package var gridValues: [String]? {
        switch values {
        case .list(let values): return values
        case .range(let range):
            guard let numbers = range.numbers else { return nil }
            var texts: [String] = []
            for number in numbers {
                let text = range.text(of: isWhole ? number.rounded() : number)
                // Rounding may make neighbours equal.
                if texts.last != text { texts.append(text) }
            }
            return texts
        }
    }

    /// The value at a place in the open unit interval; equal parts of it are equally likely.
    package func value(at place: Double) -> String {
        switch values {
        case .list(let values): return values[min(values.count - 1, Int(place * Double(values.count)))]
        case .range(let range):
            guard isWhole else { return range.text(of: range.number(at: place)) }
            guard !range.isLogarithmic else { return range.text(of: range.number(at: place).rounded()) }
            // Half a step beyond both ends, or the ends would come half as often as the others.
            let wide = VariedRange(
                low: range.low - 0.5, high: range.high + 0.5, unit: range.unit, isLogarithmic: false,
                spacing: .none)
            let number = wide.number(at: place).rounded()
            return range.text(of: min(range.high, max(range.low, number)))
        }
    }

    /// The place of a value between the least, 0, and the largest, 1; on the scale of the range.
    ///
    /// - Returns: `nil` for words that have no order.
    package func coordinate(of value: String) -> Double? {
        switch values {
        case .list(let values):
            let numbers = values.compactMap { VariedRange.numberWithUnit($0[...]) }
            guard numbers.count == values.count, Set(numbers.map(\.unit)).count == 1,
                let low = numbers.map(\.number).min(), let high = numbers.map(\.number).max(), low < high,
                let here = VariedRange.numberWithUnit(value[...])?.number
            else {
                // Two words are the ends of a scale all the same.
                return values.count == 2 ? values.firstIndex(of: value).map(Double.init) : nil
            }
            return (here - low) / (high - low)
        case .range(let range):
            guard let number = VariedRange.numberWithUnit(value[...])?.number else { return nil }
            return range.coordinate(of: number)
        }
    }
}

/// Numbers from a low to a high one, with a unit: `1..9:2`, `log:1e3..1e6:7`, `1h..24h`.
package struct VariedRange: Codable, Hashable, Sendable {
    package enum Spacing: Codable, Hashable, Sendable {
        /// No places: sequences choose their own.
        case none
        case step(Double)
        /// Evenly spaced on the scale, both ends included.
        case count(Int)
    }

    package var low: Double
    package var high: Double
    /// Unit behind both numbers, for example `ms` or `%`; empty for bare numbers.
    package var unit: String
    package var isLogarithmic: Bool
    package var spacing: Spacing

    /// Values that one setting may have in a grid.
    static let maximumCount = 10_000

    package var text: String {
        let prefix = isLogarithmic ? "log:" : ""
        let ends = "\(text(of: low))..\(text(of: high))"
        switch spacing {
        case .none: return prefix + ends
        case .step(let step): return prefix + ends + ":" + text(of: step)
        case .count(let count): return prefix + ends + ":\(count)"
        }
    }

    /// - Precondition: `place` in 0...1.
    package func number(at place: Double) -> Double {
        isLogarithmic ? low * pow(high / low, place) : low + place * (high - low)
    }

    package func coordinate(of number: Double) -> Double? {
        guard low < high else { return nil }
        return isLogarithmic ? log(number / low) / log(high / low) : (number - low) / (high - low)
    }

    /// Values of a grid.
    var numbers: [Double]? {
        switch spacing {
        case .none: return nil
        case .step(let step):
            let count = Int(saturating: ((high - low) / step * (1 + 1e-12)).rounded(.down)) + 1
            return (0..<count).map { low + Double($0) * step }
        case .count(let count):
            guard count > 1 else { return [low] }
            return (0..<count).map { number(at: Double($0) / Double(count - 1)) }
        }
    }

    /// Six significant digits, and all of a whole number.
    func text(of number: Double) -> String {
        let isWhole = number == number.rounded() && number.magnitude < 1e15
        let digits = isWhole ? "\(Int(number))" : String(format: "%.6g", number)
        return digits + unit
    }

    /// `250ms` as 250 and `ms`.
    static func numberWithUnit(_ text: Substring) -> (number: Double, unit: String)? {
        let text = text.filter { $0 != " " }
        let digits = Quantity.leadingNumber(text[...])
        let unit = String(text.dropFirst(digits.count))
        guard let number = Double(digits), number.isFinite,
            unit.allSatisfy({ $0.isLetter || $0 == "%" || $0 == "/" })
        else { return nil }
        return (number, unit)
    }
}
