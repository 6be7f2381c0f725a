import EventSimulation
import RandomStreams
import Yams

/// Quantities, and delays with their laws.
extension SettingsReader {
    /// Reads a number with its unit; what is wrong with it becomes a complaint at its place.
    func quantity<Value>(
        _ setting: SettingInfo, _ own: SettingFallback?, _ parse: (String) throws(Quantity.Failure) -> Value
    ) throws -> Value {
        let (key, example) = (setting.key, setting.kind.example)
        return try scalar(setting, own) { text in
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

    func check<Value>(_ value: Value, in range: ClosedRange<Value>, _ key: String) throws {
        guard !range.contains(value) else { return }
        throw error(key, .outOfRange("\(value)", allowed: "\(range.lowerBound)...\(range.upperBound)"))
    }

    /// - Parameter word: What may be written instead of a duration.
    func check(
        _ value: SimulatedDuration, atLeast shortest: String, _ key: String, or word: String? = nil
    ) throws {
        guard value < (try Quantity.duration(shortest)) else { return }
        let alternative = word.map { ", or \($0)" } ?? ""
        throw error(key, .outOfRange(Self.text(value), allowed: "\(shortest)...1e9s\(alternative)"))
    }

    // MARK: - Delays

    func delay(_ setting: SettingInfo, _ own: SettingFallback?) throws -> Distribution {
        let key = setting.key
        let usual = UsualLognormal(setting.usual, own)
        let constant = Setting<SimulatedDuration>.duration(key, setting.usual, setting.words)
        guard let node = value(key) else {
            if let usual {
                proposeStretched(setting, median: usual.median, p95: usual.p95)
                return try group(key).group("lognormal").lognormal(usual)
            }
            if own == nil, case .exponential(let mean, let source) = setting.usual {
                proposeMean(setting, mean)
                return try group(key).group("exponential").exponential(else: mean, source: source)
            }
            if case .text(let text) = own?.value { propose(setting, text) }
            return .constant(try self(constant, else: own).seconds)
        }
        proposeAssumption(setting, node)
        if node.scalar != nil { return .constant(try self(constant).seconds) }
        let kinds = try group(key)
        let distribution: Distribution
        if kinds.has("lognormal") {
            distribution = try kinds.group("lognormal").lognormal(usual)
        } else if kinds.has("exponential") {
            distribution = try kinds.group("exponential").exponential()
        } else if kinds.has("weibull") {
            let (shape, scale) = try kinds.shapeAndScale("weibull")
            distribution = .weibull(shape: shape, scale: scale)
        } else if kinds.has("gamma") {
            let (shape, scale) = try kinds.shapeAndScale("gamma")
            distribution = .gamma(shape: shape, scale: scale)
        } else if kinds.has("uniform") {
            let parameters = try kinds.group("uniform")
            let from = try parameters.length("from")
            let to = try parameters.length("to", atLeast: Self.text(from))
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

    /// A parameter of a law.
    private func length(
        _ key: String, atLeast shortest: String = "0s", else usual: String? = nil, source: String = ""
    ) throws -> SimulatedDuration {
        try self(
            .duration(key, atLeast: shortest, .absent, "a parameter of a law"),
            else: usual.map { SettingFallback($0, source) })
    }

    private func shapeAndScale(_ kind: String) throws -> (shape: Double, scale: Double) {
        let parameters = try group(kind)
        let shape = try parameters(.number("shape", in: 0.01...1_000, .absent, "a parameter of a law"))
        let scale = try parameters.length("scale", atLeast: "1ns").seconds
        try parameters.finish()
        return (shape, scale)
    }

    /// Default of a log-normal delay, for where the scenario does not say it, or says half of it.
    private struct UsualLognormal {
        let median: String
        let p95: String
        let source: String

        init?(_ usual: SettingUsual, _ own: SettingFallback?) {
            if case .lognormal(let median, let p95) = own?.value {
                (self.median, self.p95, source) = (median, p95, own?.source ?? "")
            } else if own == nil, case .lognormal(let median, let p95, let source) = usual {
                (self.median, self.p95, self.source) = (median, p95, source)
            } else {
                return nil
            }
        }
    }

    private func exponential(else usual: String? = nil, source: String = "") throws -> Distribution {
        let mean = try length("mean", atLeast: "1ns", else: usual, source: source)
        try finish()
        return .exponential(mean: mean.seconds)
    }

    /// `median` with `p95` or `p99`.
    private func lognormal(_ usual: UsualLognormal?) throws -> Distribution {
        let source = usual?.source ?? ""
        let middle = try length("median", atLeast: "1ns", else: usual?.median, source: source)
        let isFar = has("p99")
        let high = try length(
            isFar ? "p99" : "p95", atLeast: Self.text(middle), else: usual?.p95, source: source)
        try finish()
        return isFar
            ? .lognormal(median: middle.seconds, p99: high.seconds)
            : .lognormal(median: middle.seconds, p95: high.seconds)
    }

    /// A duration as the file would write it.
    static func text(_ duration: SimulatedDuration) -> String {
        let units: [(Int64, String)] = [(1_000_000_000, "s"), (1_000_000, "ms"), (1_000, "us")]
        let unit = units.first { duration.nanoseconds.isMultiple(of: $0.0) } ?? (1, "ns")
        return "\(duration.nanoseconds / unit.0)\(unit.1)"
    }
}
