package import ArgumentParser
import Experiment
import Scenarios
import URLFilter

/// Checks of options that are numbers: one range, which the message states.
package enum NumberOption {
    /// - Parameters:
    ///   - range: Of numbers that the program can work with; what is no number is in none.
    ///   - option: As it is written on the command line.
    package static func require<Number: Comparable & LosslessStringConvertible>(
        _ value: Number?, _ option: String, in range: ClosedRange<Number>
    ) throws(ValidationError) {
        guard let value, !range.contains(value) else { return }
        let (low, high) = (text(range.lowerBound), text(range.upperBound))
        throw ValidationError("\(option) is \(text(value)); it must be in \(low)...\(high)")
    }

    package static func requireShardCount(_ value: Int?, _ option: String) throws(ValidationError) {
        guard let value, !(ShardCount.range.contains(value) && ShardCount.isPowerOfTwo(value)) else { return }
        throw ValidationError(
            "\(option) is \(value); it must be a power of two in \(ShardCount.range.lowerBound)..."
                + "\(ShardCount.range.upperBound)")
    }

    /// Without the `.0` of whole numbers.
    private static func text(_ value: some LosslessStringConvertible) -> String {
        let text = "\(value)"
        return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
    }
}

/// A size on the command line: `30kB` or `1MB`.
package enum SizeOption {
    package static func parse(_ text: String) throws -> Int {
        guard let bytes = try? Quantity.bytes(text) else {
            throw ValidationError("'\(text)' is not a size; write for example 30kB or 1MB")
        }
        return bytes
    }
}

/// A time on the command line: `90s`, `6h` or `7d`.
package enum DurationOption {
    /// - Returns: Seconds, more than none.
    package static func parse(_ text: String) throws -> Double {
        guard let seconds = try? Quantity.seconds(text), seconds > 0 else {
            throw ValidationError("'\(text)' is not a time; write for example 90s, 6h or 7d")
        }
        return seconds
    }
}

/// A number of things on the command line: `20000`, `20k` or `2M`.
package enum CountOption {
    package static func parse(_ text: String) throws -> Int {
        guard let count = try? Quantity.count(text), count >= 1 else {
            throw ValidationError("'\(text)' is not a count; write for example 20000 or 2M")
        }
        return count
    }
}

/// A share on the command line: `5%` or `0.05`.
package enum ShareOption {
    package static func parse(_ text: String) throws -> Double {
        let isPercent = text.hasSuffix("%")
        guard let number = Double(isPercent ? String(text.dropLast()) : text), number.isFinite else {
            throw ValidationError("'\(text)' is not a share; write for example 5% or 0.05")
        }
        return isPercent ? number / 100 : number
    }
}
