import EventSimulation
import Foundation
import RandomStreams
import Yams

/// A setting as it was resolved, for `scenario.resolved.yaml` and for the reader of a result.
package struct ResolvedSetting: Codable, Hashable, Sendable {
    package var path: String
    package var value: String
    /// `nil` when the scenario or the command line set it; otherwise where the default comes from.
    package var defaultSource: String?
}

/// Collects what was read, so that the resolved scenario lists every setting once.
final class SettingsLog {
    let file: String
    var settings: [ResolvedSetting] = []

    init(file: String) { self.file = file }
}

/// Reads one mapping of the scenario, key by key, with the place of every complaint.
///
/// Every read names a default with its source, or none. ``finish()`` refuses keys that nobody read.
final class SettingsReader {
    private let node: Node?
    private let path: String
    private let log: SettingsLog
    private var known: [String] = []

    init(node: Node?, path: String, log: SettingsLog) throws {
        self.node = node
        self.path = path
        self.log = log
        if let node, node.mapping == nil, !Self.isNull(node) {
            throw Self.error(
                log.file, node, path, .wrongKind(found: Self.excerpt(node), expected: "a group of settings"))
        }
    }

    /// The reader of a nested group; of an empty one when the key is absent.
    func group(_ key: String) throws -> SettingsReader {
        try SettingsReader(node: value(key), path: join(key), log: log)
    }

    func has(_ key: String) -> Bool { value(key) != nil }

    func isGroup(_ key: String) -> Bool { value(key)?.mapping != nil }

    /// A reader of defaults only, for a group that the scenario names by a single word.
    func empty(at key: String) throws -> SettingsReader {
        try SettingsReader(node: nil, path: join(key), log: log)
    }

    func text(_ key: String, default fallback: String?, source: String, example: String = "") throws -> String
    {
        try read(key, default: fallback, source: source, example: example) { $0 }
    }

    func optionalText(_ key: String) throws -> String? {
        guard value(key) != nil else { return nil }
        return try text(key, default: nil, source: "")
    }

    func duration(_ key: String, default fallback: String?, source: String) throws -> SimulatedDuration {
        try quantity(key, fallback, source, "'90s', '24h' or '250ms'", Quantity.duration)
    }

    func bytes(_ key: String, default fallback: String?, source: String) throws -> Int {
        try quantity(key, fallback, source, "'30kB' or '1MiB'", Quantity.bytes)
    }

    func optionalBytes(_ key: String) throws -> Int? {
        guard value(key) != nil else { return nil }
        return try bytes(key, default: nil, source: "")
    }

    func bandwidth(_ key: String, default fallback: String?, source: String) throws -> Double {
        try quantity(key, fallback, source, "'100Mbit/s' or '5MB/s'", Quantity.bytesPerSecond)
    }

    func count(
        _ key: String, default fallback: String?, source: String, in range: ClosedRange<Int>
    ) throws -> Int {
        let value = try quantity(key, fallback, source, "'20000' or '1.5M'", Quantity.count)
        guard range.contains(value) else {
            throw error(key, .outOfRange("\(value)", allowed: "\(range.lowerBound)...\(range.upperBound)"))
        }
        return value
    }

    func optionalCount(_ key: String, in range: ClosedRange<Int>) throws -> Int? {
        guard value(key) != nil else { return nil }
        return try count(key, default: nil, source: "", in: range)
    }

    /// - Parameter range: Bounds that are themselves allowed.
    func number(
        _ key: String, default fallback: String?, source: String, in range: ClosedRange<Double>
    ) throws -> Double {
        let value = try quantity(key, fallback, source, "'0.001', '2%' or '1/1000'", Quantity.share)
        guard range.contains(value) else {
            throw error(key, .outOfRange("\(value)", allowed: "\(range.lowerBound)...\(range.upperBound)"))
        }
        return value
    }

    func flag(_ key: String, default fallback: Bool, source: String) throws -> Bool {
        let text = try text(key, default: "\(fallback)", source: source)
        switch text {
        case "true", "yes", "on": return true
        case "false", "no", "off": return false
        default: throw error(key, .wrongKind(found: text, expected: "true or false"))
        }
    }

    func choice<Value: RawRepresentable & CaseIterable>(
        _ key: String, default fallback: Value?, source: String
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
    func delay(_ key: String, default fallback: Distribution, text: String, source: String) throws
        -> Distribution
    {
        guard let node = value(key) else {
            note(key, text, source: source)
            return fallback
        }
        if node.scalar != nil {
            return .constant(try duration(key, default: nil, source: "").seconds)
        }
        let kinds = try group(key)
        defer { note(key, Self.excerpt(node), source: nil) }
        let distribution: Distribution
        do {
            if kinds.has("lognormal") {
                let parameters = try kinds.group("lognormal")
                let median = try parameters.duration("median", default: nil, source: "").seconds
                if parameters.has("p99") {
                    let high = try parameters.duration("p99", default: nil, source: "").seconds
                    distribution = .lognormal(median: median, p99: high)
                } else {
                    let high = try parameters.duration("p95", default: nil, source: "").seconds
                    distribution = .lognormal(median: median, p95: high)
                }
                try parameters.finish()
            } else if kinds.has("exponential") {
                let parameters = try kinds.group("exponential")
                distribution = .exponential(
                    mean: try parameters.duration("mean", default: nil, source: "").seconds)
                try parameters.finish()
            } else if kinds.has("uniform") {
                let parameters = try kinds.group("uniform")
                distribution = .uniform(
                    lower: try parameters.duration("from", default: nil, source: "").seconds,
                    upper: try parameters.duration("to", default: nil, source: "").seconds)
                try parameters.finish()
            } else {
                throw error(
                    key,
                    .wrongKind(
                        found: Self.excerpt(node), expected: "a duration, lognormal, exponential or uniform"))
            }
            try kinds.finish()
            try distribution.validate()
        } catch let problem as DistributionError {
            throw error(key, .conflict("\(problem)"))
        }
        return distribution
    }

    /// The elements of a list of groups; none when the key is absent.
    func groups(_ key: String) throws -> [SettingsReader] {
        guard let node = value(key) else { return [] }
        guard let sequence = node.sequence else {
            throw error(key, .wrongKind(found: Self.excerpt(node), expected: "a list"))
        }
        return try sequence.enumerated().map { index, element in
            let name = element.mapping?["name"]?.scalar?.string ?? "\(index)"
            return try SettingsReader(node: element, path: "\(join(key))[\(name)]", log: log)
        }
    }

    func texts(_ key: String) throws -> [String] {
        guard let node = value(key) else { return [] }
        guard let sequence = node.sequence else {
            throw error(key, .wrongKind(found: Self.excerpt(node), expected: "a list"))
        }
        let texts = try sequence.map { element -> String in
            guard let scalar = element.scalar else {
                throw error(key, .wrongKind(found: Self.excerpt(element), expected: "a text"))
            }
            return scalar.string
        }
        note(key, "[" + texts.map { "\"\($0)\"" }.joined(separator: ", ") + "]", source: nil)
        return texts
    }

    /// Refuses keys that no read asked for.
    func finish() throws {
        for (key, value) in node?.mapping ?? [:] {
            let name = key.scalar?.string ?? "?"
            guard !known.contains(name) else { continue }
            throw Self.error(
                log.file, key.mark == nil ? value : key, path,
                .unknownKey(name, closest: Self.closest(to: name, among: known)))
        }
    }

    func error(_ key: String, _ problem: ScenarioError.Problem) -> ScenarioError {
        Self.error(log.file, value(key) ?? node, join(key), problem)
    }

    /// Records a value that was derived rather than read.
    func note(_ key: String, _ value: String, source: String?) {
        log.settings.append(ResolvedSetting(path: join(key), value: value, defaultSource: source))
    }

    private func value(_ key: String) -> Node? {
        if !known.contains(key) { known.append(key) }
        guard let found = node?.mapping?[key], !Self.isNull(found) else { return nil }
        return found
    }

    private func read<Value>(
        _ key: String, default fallback: String?, source: String, example: String,
        _ parse: (String) throws -> Value
    ) throws -> Value {
        if let node = value(key) {
            guard let scalar = node.scalar else {
                throw error(key, .wrongKind(found: Self.excerpt(node), expected: "a single value"))
            }
            let value = try parse(scalar.string)
            note(key, scalar.string, source: nil)
            return value
        }
        guard let fallback else { throw error(key, .missing(example: example)) }
        let value = try parse(fallback)
        note(key, fallback, source: source)
        return value
    }

    private func quantity<Value>(
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
                case .missingUnit: throw error(key, .missingUnit(text, example: example))
                case .unknownUnit(let unit, let allowed):
                    throw error(key, .unknownName(unit, allowed: allowed))
                case .outOfRange(let allowed): throw error(key, .outOfRange(text, allowed: allowed))
                }
            }
        }
    }

    private func join(_ key: String) -> String { path.isEmpty ? key : "\(path).\(key)" }

    /// `key: null`, `key: ~` and `key:` mean that the key is absent.
    private static func isNull(_ node: Node) -> Bool { node.null != nil }

    private static func excerpt(_ node: Node) -> String {
        if let scalar = node.scalar { return scalar.string }
        let text = (try? Yams.serialize(node: node, width: -1)) ?? "?"
        let line = text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
            .joined(separator: " ")
        return line.count > 80 ? line.prefix(77) + "..." : line
    }

    private static func error(
        _ file: String, _ node: Node?, _ field: String, _ problem: ScenarioError.Problem
    ) -> ScenarioError {
        ScenarioError(
            file: file, line: node?.mark?.line ?? 0, column: node?.mark?.column ?? 0, field: field,
            problem: problem)
    }

    /// The known key that differs by the fewest edits, if it is close enough to be a typing slip.
    static func closest(to word: String, among candidates: [String]) -> String? {
        let ranked = candidates.map { ($0, editDistance(word.lowercased(), $0.lowercased())) }
        guard let best = ranked.min(by: { $0.1 < $1.1 }), best.1 <= max(2, word.count / 3) else { return nil }
        return best.0
    }

    private static func editDistance(_ left: String, _ right: String) -> Int {
        let right = Array(right)
        var row = Array(0...right.count)
        for (i, a) in left.enumerated() {
            var diagonal = row[0]
            row[0] = i + 1
            for (j, b) in right.enumerated() {
                let above = row[j + 1]
                row[j + 1] = min(row[j] + 1, above + 1, diagonal + (a == b ? 0 : 1))
                diagonal = above
            }
        }
        return row[right.count]
    }
}
