import Decoding
package import EventSimulation

/// Numbers with units, as a scenario file and the command line write them.
package enum Quantity {
    /// Why a text is not a quantity of the asked kind.
    package enum Failure: Error, Equatable {
        case notANumber
        /// A comma is a point in some countries and groups digits in others.
        case comma(instead: String)
        case missingUnit
        case unknownUnit(String, allowed: [String])
        case outOfRange(allowed: String)
    }

    private static let durations: [(String, Double)] = [
        ("ns", 1e-9), ("us", 1e-6), ("µs", 1e-6), ("ms", 1e-3), ("min", 60), ("s", 1), ("m", 60), ("h", 3600),
        ("d", 86_400),
    ]
    private static let sizes: [(String, Double)] = [
        ("KiB", 1024), ("MiB", 1_048_576), ("GiB", 1_073_741_824), ("kB", 1e3), ("MB", 1e6), ("GB", 1e9),
        ("B", 1),
    ]
    private static let multiples: [(String, Double)] = [("k", 1e3), ("M", 1e6), ("G", 1e9)]
    private static let bandwidths: [(String, Double)] = [
        ("kbit/s", 125), ("Mbit/s", 125_000), ("Gbit/s", 125_000_000), ("kB/s", 1e3), ("MB/s", 1e6),
        ("GB/s", 1e9), ("B/s", 1),
    ]

    /// `90s`, `1h 30m`, `1_000ms`: seconds. `0` needs no unit.
    package static func seconds(_ text: String) throws(Failure) -> Double {
        var rest = try compact(text)[...]
        if rest == "0" { return 0 }
        var total = 0.0
        repeat {
            let number = leadingNumber(rest)
            let value = try decimal(number)
            rest = rest.dropFirst(number.count)
            let unit = String(rest.prefix { $0.isLetter })
            total += value * (try factor(of: unit, in: durations))
            rest = rest.dropFirst(unit.count)
        } while !rest.isEmpty
        guard total >= 0, total <= 1e9 else { throw .outOfRange(allowed: "0s...1e9s") }
        return total
    }

    package static func duration(_ text: String) throws(Failure) -> SimulatedDuration {
        .seconds(try seconds(text))
    }

    /// `30kB`, `64KiB`, `1MB`: bytes.
    package static func bytes(_ text: String) throws(Failure) -> Int {
        let value = try scaled(text, units: sizes)
        guard value >= 0, value <= 1e15 else { throw .outOfRange(allowed: "0B...1e15B") }
        return Int(saturating: value.rounded())
    }

    /// `1Gbit/s`, `5MB/s`: bytes per second.
    package static func bytesPerSecond(_ text: String) throws(Failure) -> Double {
        let value = try scaled(text, units: bandwidths)
        guard value >= 1, value <= 1e15 else { throw .outOfRange(allowed: "1B/s...1e15B/s") }
        return value
    }

    /// `20000`, `20 000`, `1.5M`, `10k`: a count.
    package static func count(_ text: String) throws(Failure) -> Int {
        let compact = try compact(text)
        let number = leadingNumber(compact[...])
        let suffix = String(compact.dropFirst(number.count))
        let value = try decimal(number) * (suffix.isEmpty ? 1 : try factor(of: suffix, in: multiples))
        guard value >= 0, value <= 1e15, value == value.rounded() else {
            throw .outOfRange(allowed: "whole numbers 0...1e15")
        }
        return Int(value)
    }

    /// `0.02`, `2%`, `1/1000`: a share, or any other number without a unit.
    package static func share(_ text: String) throws(Failure) -> Double {
        let compact = try compact(text)
        if compact.hasSuffix("%") { return try decimal(compact.dropLast()) / 100 }
        let parts = compact.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2 else { return try decimal(compact[...]) }
        let divisor = try decimal(parts[1])
        let value = try decimal(parts[0]) / divisor
        guard divisor > 0, value.isFinite else { throw .outOfRange(allowed: "a divisor above 0") }
        return value
    }

    /// Without the blanks and underscores that group digits, in every kind of number.
    private static func compact(_ text: String) throws(Failure) -> String {
        if text.contains(",") { throw .comma(instead: text.replacing(",", with: ".")) }
        return text.filter { $0 != " " && $0 != "_" }
    }

    private static func scaled(_ text: String, units: [(String, Double)]) throws(Failure) -> Double {
        let compact = try compact(text)
        let number = leadingNumber(compact[...])
        return try decimal(number) * (try factor(of: String(compact.dropFirst(number.count)), in: units))
    }

    private static func factor(of unit: String, in units: [(String, Double)]) throws(Failure) -> Double {
        guard !unit.isEmpty else { throw .missingUnit }
        guard let known = units.first(where: { $0.0 == unit }) else {
            throw .unknownUnit(unit, allowed: units.map(\.0))
        }
        return known.1
    }

    /// Digits, point, sign and exponent; an `e` is an exponent only before a digit or its sign.
    package static func leadingNumber(_ text: Substring) -> Substring {
        var end = text.startIndex
        while end < text.endIndex {
            let character = text[end]
            let next = text.index(after: end)
            let follows = next < text.endIndex && "+-0123456789".contains(text[next])
            guard "+-.0123456789".contains(character) || (character == "e" && follows) else { break }
            end = next
        }
        return text[..<end]
    }

    /// Plain decimal notation only: no `nan`, `inf` or hexadecimal.
    private static func decimal(_ text: Substring) throws(Failure) -> Double {
        guard text.allSatisfy({ "+-.e0123456789".contains($0) }), let value = Double(text) else {
            throw .notANumber
        }
        guard value.isFinite else { throw .outOfRange(allowed: "numbers below 1.8e308") }
        return value
    }
}

extension Quantity {
    /// A size as the file would write it.
    static func text(bytes: Int) -> String {
        let units = [(1_000_000_000, "GB"), (1_000_000, "MB"), (1_000, "kB")]
        let unit = units.first { bytes > 0 && bytes.isMultiple(of: $0.0) } ?? (1, "B")
        return "\(bytes / unit.0)\(unit.1)"
    }
}
