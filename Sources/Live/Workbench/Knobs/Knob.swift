import Foundation
import Scenarios

/// Values of knobs, as people type them.
enum Knob {
    /// - Returns: `nil` for an empty box.
    static func given(_ text: String?) -> String? {
        text.flatMap { $0.allSatisfy(\.isWhitespace) ? nil : $0 }
    }

    static func count(
        _ text: String, _ name: String, in range: ClosedRange<Int> = 1...1_000_000_000_000_000
    ) throws(WorkbenchRefusal) -> Int {
        guard let count = try? Quantity.count(text), range.contains(count) else {
            guard range.contains(60_000) else {
                throw refusal(
                    name, text, "is no count from \(range.lowerBound) to \(range.upperBound)")
            }
            throw refusal(name, text, "is no count, or too large; write 60000 or 1.2M")
        }
        return count
    }

    /// A share, or any other number from a range.
    static func number(
        _ text: String, _ name: String, in range: ClosedRange<Double>, like example: String
    ) throws(WorkbenchRefusal) -> Double {
        guard let number = try? Quantity.share(text), range.contains(number) else {
            throw refusal(name, text, "is out of range, or no number; write \(example)")
        }
        return number
    }

    static func seconds(
        _ text: String, _ name: String, in range: ClosedRange<Double>
    ) throws(WorkbenchRefusal) -> Double {
        guard let seconds = try? Quantity.seconds(text), range.contains(seconds) else {
            throw refusal(name, text, "is out of range, or no time; write 90s, 20min, 1h or 250ms")
        }
        return seconds
    }

    private static func refusal(_ name: String, _ text: String, _ reason: String) -> WorkbenchRefusal {
        WorkbenchRefusal(422, "\(name): '\(text.prefix(40))' \(reason)")
    }
}
