import EventSimulation
import RandomStreams
import Yams

/// A delay that follows from another setting, as the file would write it.
enum DelayDefault {
    case constant(String)
    case lognormal(median: String, p95: String)
}

/// Values with a kind: each read names the key, the default with its source, and what is allowed.
extension SettingsReader {
    func text(_ key: String, default fallback: String? = nil, source: String = "", example: String = "")
        throws -> String
    {
        try read(key, default: fallback, source: source, example: example) { $0 }
    }

    func optionalText(_ key: String) throws -> String? {
        guard value(key) != nil else { return nil }
        return try text(key)
    }

    /// - Parameter shortest: The least that is allowed, as a quantity.
    func duration(
        _ key: String, default fallback: String? = nil, source: String = "", atLeast shortest: String = "0s"
    ) throws -> SimulatedDuration {
        let value = try quantity(key, fallback, source, "'90s', '24h' or '250ms'", Quantity.duration)
        guard value >= (try Quantity.duration(shortest)) else {
            throw error(key, .outOfRange(Self.text(value), allowed: "\(shortest)...1e9s"))
        }
        return value
    }

    func optionalDuration(_ key: String, atLeast shortest: String) throws -> SimulatedDuration? {
        guard value(key) != nil else { return nil }
        return try duration(key, atLeast: shortest)
    }

    func bytes(_ key: String, default fallback: String? = nil, source: String = "") throws -> Int {
        try quantity(key, fallback, source, "'30kB' or '1MiB'", Quantity.bytes)
    }

    func optionalBytes(_ key: String) throws -> Int? {
        guard value(key) != nil else { return nil }
        return try bytes(key)
    }

    func bandwidth(_ key: String, default fallback: String? = nil, source: String = "") throws -> Double {
        try quantity(key, fallback, source, "'100Mbit/s' or '5MB/s'", Quantity.bytesPerSecond)
    }

    func count(
        _ key: String, default fallback: String? = nil, source: String = "", in range: ClosedRange<Int>
    ) throws -> Int {
        log.wholeNumbers.insert(join(key))
        let value = try quantity(key, fallback, source, "'20000' or '1.5M'", Quantity.count)
        guard range.contains(value) else {
            throw error(key, .outOfRange("\(value)", allowed: "\(range.lowerBound)...\(range.upperBound)"))
        }
        return value
    }

    func optionalCount(_ key: String, in range: ClosedRange<Int>) throws -> Int? {
        guard value(key) != nil else { return nil }
        return try count(key, in: range)
    }

    /// - Parameter range: Bounds that are themselves allowed.
    func number(
        _ key: String, default fallback: String? = nil, source: String = "", in range: ClosedRange<Double>
    ) throws -> Double {
        let value = try quantity(key, fallback, source, "'0.001', '2%' or '1/1000'", Quantity.share)
        guard range.contains(value) else {
            throw error(key, .outOfRange("\(value)", allowed: "\(range.lowerBound)...\(range.upperBound)"))
        }
        return value
    }

    /// A seed: all 64 bits, so no suffix and no exponent.
    func seed(_ key: String) throws -> UInt64 {
        let text = try text(key)
        guard let value = UInt64(text) else {
            throw error(key, .outOfRange("'\(text)'", allowed: "whole numbers 0...\(UInt64.max)"))
        }
        return value
    }

    /// A file, relative to the folder of the scenario.
    func file(_ key: String, of scenario: ScenarioFile, example: String) throws -> String {
        let path = scenario.resolve(try text(key, example: example))
        // The resolved scenario lies in another folder.
        log.settings[log.settings.count - 1].value = path
        return path
    }

    func flag(_ key: String, default fallback: Bool? = nil, source: String = "") throws -> Bool {
        let text = try text(key, default: fallback.map { "\($0)" }, source: source)
        switch text {
        case "true", "yes", "on": return true
        case "false", "no", "off": return false
        default: throw error(key, .wrongKind(found: text, expected: "true or false"))
        }
    }

    func choice<Value: RawRepresentable & CaseIterable>(
        _ key: String, default fallback: Value? = nil, source: String = ""
    ) throws -> Value where Value.RawValue == String {
        let names = Value.allCases.map(\.rawValue)
        let text = try text(
            key, default: fallback?.rawValue, source: source, example: names.joined(separator: " or "))
        guard let value = Value(rawValue: text) else {
            throw error(key, .unknownName(text, allowed: names))
        }
        return value
    }

    /// A delay: `9ms`, or one distribution with its parameters, in seconds.
    func delay(
        _ key: String, default fallback: DelayDefault? = nil, source: String = ""
    ) throws -> Distribution {
        let usual = usualLognormal(key, fallback, source)
        guard let node = value(key) else {
            if let usual { return try group(key).group("lognormal").lognormal(usual) }
            guard case .constant(let text) = fallback else { return .constant(try duration(key).seconds) }
            return .constant(try duration(key, default: text, source: source).seconds)
        }
        if node.scalar != nil { return .constant(try duration(key).seconds) }
        let kinds = try group(key)
        let distribution: Distribution
        if kinds.has("lognormal") {
            distribution = try kinds.group("lognormal").lognormal(usual)
        } else if kinds.has("exponential") {
            let parameters = try kinds.group("exponential")
            distribution = .exponential(
                mean: try parameters.duration("mean", atLeast: "1ns").seconds)
            try parameters.finish()
        } else if kinds.has("weibull") {
            let (shape, scale) = try kinds.shapeAndScale("weibull")
            distribution = .weibull(shape: shape, scale: scale)
        } else if kinds.has("gamma") {
            let (shape, scale) = try kinds.shapeAndScale("gamma")
            distribution = .gamma(shape: shape, scale: scale)
        } else if kinds.has("uniform") {
            let parameters = try kinds.group("uniform")
            let from = try parameters.duration("from")
            let to = try parameters.duration(
                "to", atLeast: Self.text(from))
            distribution = .uniform(lower: from.seconds, upper: to.seconds)
            try parameters.finish()
        } else {
            throw error(
                key,
                .wrongKind(
                    found: Self.excerpt(node),
                    expected: "a duration, lognormal, exponential, weibull, gamma or uniform"))
        }
        try kinds.finish()
        return distribution
    }

    private func shapeAndScale(_ kind: String) throws -> (shape: Double, scale: Double) {
        let parameters = try group(kind)
        let shape = try parameters.number("shape", in: 0.01...1_000)
        let scale = try parameters.duration("scale", atLeast: "1ns").seconds
        try parameters.finish()
        return (shape, scale)
    }

    /// What a log-normal delay is where the scenario does not say it, or says half of it.
    private typealias UsualLognormal = (median: String, p95: String?, source: String)

    private func usualLognormal(
        _ key: String, _ fallback: DelayDefault?, _ source: String
    ) -> UsualLognormal? {
        if case .lognormal(let median, let p95) = fallback { return (median, p95, source) }
        return SettingDefault.of("\(join(key)).median").map {
            ($0.value, SettingDefault.of("\(join(key)).p95")?.value, $0.source)
        }
    }

    /// `median` with `p95` or `p99`.
    private func lognormal(_ usual: UsualLognormal?) throws -> Distribution {
        let source = usual?.source ?? ""
        let middle = try duration("median", default: usual?.median, source: source, atLeast: "1ns")
        let isFar = has("p99")
        let high = try duration(
            isFar ? "p99" : "p95", default: usual?.p95, source: source, atLeast: Self.text(middle))
        try finish()
        return isFar
            ? .lognormal(median: middle.seconds, p99: high.seconds)
            : .lognormal(median: middle.seconds, p95: high.seconds)
    }

    func quantity<Value>(
        _ key: String, _ fallback: String?, _ source: String, _ example: String,
        _ parse: (String) throws(Quantity.Failure) -> Value
    ) throws -> Value {
        try read(key, default: fallback, source: source, example: example) { text in
            do {
                return try parse(text)
            } catch let failure as Quantity.Failure {
                switch failure {
                case .notANumber:
                    throw error(key, .wrongKind(found: text, expected: "a quantity such as \(example)"))
                case .comma(let instead):
                    throw error(
                        key,
                        .wrongKind(
                            found: text, expected: "a number: a comma is no part of one; write \(instead)"))
                case .missingUnit: throw error(key, .missingUnit(text, example: example))
                case .unknownUnit(let unit, let allowed):
                    throw error(key, .unknownName(unit, allowed: allowed))
                case .outOfRange(let allowed): throw error(key, .outOfRange(text, allowed: allowed))
                }
            }
        }
    }

    /// A duration as the file would write it.
    static func text(_ duration: SimulatedDuration) -> String {
        let units: [(Int64, String)] = [(1_000_000_000, "s"), (1_000_000, "ms"), (1_000, "us")]
        let unit = units.first { duration.nanoseconds.isMultiple(of: $0.0) } ?? (1, "ns")
        return "\(duration.nanoseconds / unit.0)\(unit.1)"
    }
}
