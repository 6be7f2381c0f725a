package import EventSimulation
import Foundation

/// Numbers with units, as a scenario file and the command line write them.
package enum Quantity {
    /// Why a text is not a quantity of the asked kind.
    package enum Failure: Error, Equatable {
        case notANumber
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
    private static let bandwidths: [(String, Double)] = [
        ("kbit/s", 125), ("Mbit/s", 125_000), ("Gbit/s", 125_000_000), ("kB/s", 1e3), ("MB/s", 1e6),
        ("GB/s", 1e9), ("B/s", 1),
    ]

    /// `90s`, `1h30m`, `250ms`: seconds. `0` needs no unit.
    package static func seconds(_ text: String) throws(Failure) -> Double {
        var rest = Substring(text.trimmingCharacters(in: .whitespaces))
        if rest == "0" { return 0 }
        var total = 0.0
        while !rest.isEmpty {
            let number = rest.prefix { $0.isNumber || $0 == "." || $0 == "e" }
            let value = try decimal(number)
            rest = rest.dropFirst(number.count)
            let unit = String(rest.prefix { $0.isLetter })
            guard !unit.isEmpty else { throw .missingUnit }
            guard let factor = durations.first(where: { $0.0 == unit })?.1 else {
                throw .unknownUnit(unit, allowed: durations.map(\.0))
            }
            rest = rest.dropFirst(unit.count)
            total += value * factor
        }
        guard total.isFinite, total >= 0, total <= 1e9 else { throw .outOfRange(allowed: "0s...1e9s") }
        return total
    }

    package static func duration(_ text: String) throws(Failure) -> SimulatedDuration {
        .seconds(try seconds(text))
    }

    /// `30kB`, `64KiB`, `1MB`: bytes.
    package static func bytes(_ text: String) throws(Failure) -> Int {
        let value = try scaled(text, units: sizes)
        guard value >= 0, value <= 1e15 else { throw .outOfRange(allowed: "0B...1e15B") }
        return Int(value.rounded())
    }

    /// `1Gbit/s`, `5MB/s`: bytes per second.
    package static func bytesPerSecond(_ text: String) throws(Failure) -> Double {
        let value = try scaled(text, units: bandwidths)
        guard value > 0, value <= 1e15 else { throw .outOfRange(allowed: "above 0, to 1e15B/s") }
        return value
    }

    /// `20000`, `20 000`, `1.5M`, `10k`: a count.
    package static func count(_ text: String) throws(Failure) -> Int {
        var compact = text.filter { $0 != " " && $0 != "_" }
        var factor = 1.0
        if let last = compact.last, let known = ["k": 1e3, "M": 1e6, "G": 1e9][last] {
            factor = known
            compact.removeLast()
        }
        let value = try decimal(Substring(compact)) * factor
        guard value >= 0, value <= 1e15, value == value.rounded() else {
            throw .outOfRange(allowed: "whole numbers 0...1e15")
        }
        return Int(value)
    }

    /// `0.02`, `2%`, `1/1000`: a share.
    package static func share(_ text: String) throws(Failure) -> Double {
        let compact = text.filter { $0 != " " }
        if compact.hasSuffix("%") { return try decimal(compact.dropLast()) / 100 }
        let parts = compact.split(separator: "/", omittingEmptySubsequences: false)
        if parts.count == 2 {
            let divisor = try decimal(parts[1])
            guard divisor > 0 else { throw .outOfRange(allowed: "a divisor above 0") }
            return try decimal(parts[0]) / divisor
        }
        return try decimal(Substring(compact))
    }

    private static func scaled(_ text: String, units: [(String, Double)]) throws(Failure) -> Double {
        let compact = text.filter { $0 != " " }
        for (unit, factor) in units where compact.hasSuffix(unit) {
            return try decimal(compact.dropLast(unit.count)) * factor
        }
        _ = try decimal(Substring(compact.prefix { $0.isNumber || $0 == "." }))
        if Double(compact) != nil { throw .missingUnit }
        throw .unknownUnit(String(compact.drop { !$0.isLetter }), allowed: units.map(\.0))
    }

    private static func decimal(_ text: Substring) throws(Failure) -> Double {
        guard !text.isEmpty, let value = Double(text), value.isFinite else { throw .notANumber }
        return value
    }
}
