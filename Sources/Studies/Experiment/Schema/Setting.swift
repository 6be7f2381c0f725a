import EventSimulation
import RandomStreams
import Workload
import Yams

/// One setting of a scenario, declared once: readers, messages, `plan`, the articles' tables, `urlfilter help` and the
/// schema for editors are made from it.
///
///     let verdictTimeout = Setting.duration(
///         "verdictTimeout", atLeast: "1ms", .value("3s", "reverse-engineered"), "a device waits so long for an answer")
///
/// `Value` is what the program works with: seconds, bytes, shares as numbers, or an enumeration of its own.
package struct Setting<Value>: Sendable {
    package let info: SettingInfo
    let read: @Sendable (SettingsReader, SettingInfo, SettingFallback?) throws -> Value

    init(
        _ info: SettingInfo,
        read: @escaping @Sendable (SettingsReader, SettingInfo, SettingFallback?) throws -> Value
    ) {
        self.info = info
        self.read = read
    }

    package var key: String { info.key }
}

/// A setting whatever its type, for tables and schemas.
package protocol AnySetting: Sendable {
    var info: SettingInfo { get }
}

extension Setting: AnySetting {}

/// What is known of a setting beside the type of its value.
package struct SettingInfo: Sendable {
    package let key: String
    package let kind: SettingKind
    package let usual: SettingUsual
    /// What it means, as a part of a sentence.
    package let words: String

    init(_ key: String, _ kind: SettingKind, _ usual: SettingUsual, _ words: String) {
        self.key = key
        self.kind = kind
        self.usual = usual
        self.words = words
    }
}

/// What a setting is when the scenario does not name it.
package enum SettingUsual: Sendable {
    /// As the file would write it, and where that comes from: an article, a standard, or "assumption", which means that
    /// nobody publishes the number.
    case value(String, String)
    /// A delay by median and 95th percentile, and their source.
    case lognormal(median: String, p95: String, String)
    /// Another setting or a fact of the machine decides: these words say which.
    case follows(String)
    /// There is none, and the setting must be given; the example shows how.
    case required(String)
    /// There is none, and nothing happens without it.
    case absent
}

/// A default that another setting decides, with its source.
struct SettingFallback {
    enum Value {
        case text(String)
        case lognormal(median: String, p95: String)
    }

    let value: Value
    let source: String

    init(_ text: String, _ source: String) {
        value = .text(text)
        self.source = source
    }

    init(median: String, p95: String, _ source: String) {
        value = .lognormal(median: median, p95: p95)
        self.source = source
    }
}

extension SettingsReader {
    /// The value of a setting of this group.
    ///
    /// - Parameter own: The default that follows from other settings; it goes before the declared one.
    func callAsFunction<Value>(_ setting: Setting<Value>, else own: SettingFallback? = nil) throws -> Value {
        try setting.read(self, setting.info, own)
    }

    /// The value if the scenario has one.
    func optional<Value>(_ setting: Setting<Value>) throws -> Value? {
        has(setting.key) ? try self(setting) : nil
    }

    func has<Value>(_ setting: Setting<Value>) -> Bool { has(setting.key) }

    func isGroup<Value>(_ setting: Setting<Value>) -> Bool { isGroup(setting.key) }

    func error<Value>(_ setting: Setting<Value>, _ problem: ScenarioError.Problem) -> ScenarioError {
        error(setting.key, problem)
    }
}

// MARK: - Kinds

extension Setting<String> {
    static func text(_ key: String, _ usual: SettingUsual, _ words: String) -> Setting {
        Setting(SettingInfo(key, .text, usual, words)) { try $0.scalar($1, $2) { $0 } }
    }

    /// A word of a list; which value it stands for is the reader's business.
    static func word(_ key: String, of names: [String], _ usual: SettingUsual, _ words: String) -> Setting {
        Setting(SettingInfo(key, .choice(names), usual, words)) { reader, info, own in
            let text = try reader.scalar(info, own) { $0 }
            guard names.contains(text) else { throw reader.error(key, .unknownName(text, allowed: names)) }
            return text
        }
    }

    /// A file, relative to the folder of the scenario.
    static func file(_ key: String, _ usual: SettingUsual, _ words: String) -> Setting {
        Setting(SettingInfo(key, .file, usual, words)) { reader, info, own in
            reader.log.resolveLast(try reader.scalar(info, own) { $0 })
        }
    }

    /// A word of a list, or the values of the group of the same name.
    static func wordOrGroup(
        _ key: String, of names: [String], _ usual: SettingUsual, _ words: String
    ) -> Setting {
        let word = Setting.word(key, of: names, usual, words)
        return Setting(SettingInfo(key, .group(or: .choice(names)), usual, words)) {
            try word.read($0, $1, $2)
        }
    }
}

extension Setting<UInt64> {
    /// All 64 bits, so no suffix and no exponent.
    static func seed(_ key: String, _ usual: SettingUsual, _ words: String) -> Setting {
        Setting(SettingInfo(key, .seed, usual, words)) { reader, info, own in
            let text = try reader.scalar(info, own) { $0 }
            guard let value = UInt64(text) else {
                throw reader.error(key, .outOfRange("'\(text)'", allowed: "whole numbers 0...\(UInt64.max)"))
            }
            return value
        }
    }
}

extension Setting<SimulatedDuration> {
    static func duration(
        _ key: String, atLeast shortest: String = "0s", _ usual: SettingUsual, _ words: String
    ) -> Setting {
        Setting(SettingInfo(key, .duration(atLeast: shortest, or: nil), usual, words)) { reader, info, own in
            let value = try reader.quantity(info, own, Quantity.duration)
            try reader.check(value, atLeast: shortest, key)
            return value
        }
    }
}

extension Setting<SimulatedDuration?> {
    /// A duration, or the word that stands for `nil`.
    static func duration(
        _ key: String, atLeast shortest: String = "0s", or word: String, _ usual: SettingUsual,
        _ words: String
    ) -> Setting {
        Setting(SettingInfo(key, .duration(atLeast: shortest, or: word), usual, words)) { reader, info, own in
            let value = try reader.quantity(info, own) { text throws(Quantity.Failure) in
                text == word ? nil : try Quantity.duration(text)
            }
            if let value { try reader.check(value, atLeast: shortest, key, or: word) }
            return value
        }
    }
}

extension Setting<Int> {
    static func count(
        _ key: String, in range: ClosedRange<Int>, _ usual: SettingUsual, _ words: String
    ) -> Setting {
        Setting(SettingInfo(key, .count(range), usual, words)) { reader, info, own in
            let value = try reader.quantity(info, own, Quantity.count)
            try reader.check(value, in: range, key)
            return value
        }
    }

    /// A size in bytes.
    static func bytes(
        _ key: String, in range: ClosedRange<Int> = 0...1_000_000_000_000_000, _ usual: SettingUsual,
        _ words: String
    ) -> Setting {
        Setting(SettingInfo(key, .bytes, usual, words)) { reader, info, own in
            let value = try reader.quantity(info, own, Quantity.bytes)
            guard range.contains(value) else {
                let (least, most) = (
                    Quantity.text(bytes: range.lowerBound), Quantity.text(bytes: range.upperBound)
                )
                throw reader.error(key, .outOfRange("\(value)", allowed: "\(least)...\(most)"))
            }
            return value
        }
    }
}

extension Setting<Double> {
    /// A number without a unit; a share is one.
    ///
    /// - Parameter range: Bounds that are themselves allowed.
    static func number(
        _ key: String, in range: ClosedRange<Double>, _ usual: SettingUsual, _ words: String
    ) -> Setting {
        Setting(SettingInfo(key, .number(range, or: nil), usual, words)) { reader, info, own in
            let value = try reader.quantity(info, own, Quantity.share)
            try reader.check(value, in: range, key)
            return value
        }
    }

    static func share(_ key: String, _ usual: SettingUsual, _ words: String) -> Setting {
        number(key, in: 0...1, usual, words)
    }

    /// Bytes per second.
    static func bandwidth(_ key: String, _ usual: SettingUsual, _ words: String) -> Setting {
        Setting(SettingInfo(key, .bandwidth, usual, words)) {
            try $0.quantity($1, $2, Quantity.bytesPerSecond)
        }
    }
}

extension Setting<Double?> {
    /// A share, or the word that stands for `nil`.
    static func share(
        _ key: String, or word: String, _ usual: SettingUsual, _ words: String
    ) -> Setting {
        Setting(SettingInfo(key, .number(0...1, or: word), usual, words)) { reader, info, own in
            let value = try reader.quantity(info, own) { text throws(Quantity.Failure) in
                text == word ? nil : try Quantity.share(text)
            }
            if let value, !(0...1).contains(value) {
                throw reader.error(key, .outOfRange("\(value)", allowed: "\(word), or 0...1"))
            }
            return value
        }
    }
}

extension Setting<Bool> {
    static func flag(_ key: String, _ usual: SettingUsual, _ words: String) -> Setting {
        Setting(SettingInfo(key, .flag, usual, words)) { reader, info, own in
            let text = try reader.scalar(info, own) { $0 }
            switch text {
            case "true", "yes", "on": return true
            case "false", "no", "off": return false
            default: throw reader.error(key, .wrongKind(found: text, expected: "true or false"))
            }
        }
    }
}

extension Setting where Value: RawRepresentable & CaseIterable & Sendable, Value.RawValue == String {
    static func choice(_ key: String, _ usual: SettingUsual, _ words: String) -> Setting {
        let names = Value.allCases.map(\.rawValue)
        return Setting(SettingInfo(key, .choice(names), usual, words)) { reader, info, own in
            let text = try reader.scalar(info, own) { $0 }
            guard let value = Value(rawValue: text) else {
                throw reader.error(key, .unknownName(text, allowed: names))
            }
            return value
        }
    }

    /// One of the cases, or the values of the group of the same name.
    static func choiceOrGroup(_ key: String, _ usual: SettingUsual, _ words: String) -> Setting {
        let word = Setting.choice(key, usual, words)
        return Setting(SettingInfo(key, .group(or: word.info.kind), usual, words)) {
            try word.read($0, $1, $2)
        }
    }
}

extension Setting<Distribution> {
    /// Seconds: `9ms`, or one distribution with its parameters.
    static func delay(_ key: String, _ usual: SettingUsual, _ words: String) -> Setting {
        Setting(SettingInfo(key, .delay, usual, words)) { try $0.delay($1, $2) }
    }

    /// A distribution, or a length over which something is spread evenly.
    static func spread(_ key: String, _ usual: SettingUsual, _ words: String) -> Setting {
        let length = Setting<SimulatedDuration>.duration(key, usual, words)
        return Setting(SettingInfo(key, .delay, usual, words)) { reader, info, own in
            guard !reader.isGroup(key) else { return try reader.delay(info, own) }
            let length = try length.read(reader, length.info, own)
            return length > .zero ? .uniform(lower: 0, upper: length.seconds) : .constant(0)
        }
    }
}

extension Setting<[Double]> {
    static func numbers(
        _ key: String, counts: ClosedRange<Int>, in range: ClosedRange<Double>, _ usual: SettingUsual,
        _ words: String
    ) -> Setting {
        Setting(SettingInfo(key, .numbers(counts, in: range), usual, words)) { reader, info, _ in
            try reader.numbers(key, counts: counts, in: range)
        }
    }
}

extension Setting<QuantileCurve> {
    /// A curve such as `{ p50: 70, p90: 220, p99: 1200, min: 1, max: 2000 }`.
    ///
    /// - Parameter limits: Has the limits that the scenario leaves out.
    static func curve(_ key: String, limits: QuantileCurve, _ usual: SettingUsual, _ words: String) -> Setting
    {
        Setting(SettingInfo(key, .curve, usual, words)) { reader, _, _ in
            try reader.curve(key, default: limits)
        }
    }
}

extension Setting {
    /// A text that stands for a value, such as the name of a format.
    static func named(
        _ key: String, _ names: [String], _ usual: SettingUsual, _ words: String,
        _ value: @escaping @Sendable (String) -> Value?
    ) -> Setting {
        Setting(SettingInfo(key, .text, usual, words)) { reader, info, own in
            let text = try reader.scalar(info, own) { $0 }
            guard let value = value(text) else { throw reader.error(key, .unknownName(text, allowed: names)) }
            return value
        }
    }

    /// A list of texts; none when the key is absent.
    static func texts<Element>(
        _ key: String, _ usual: SettingUsual, _ words: String,
        _ parse: @escaping @Sendable (String) throws -> Element
    ) -> Setting where Value == [Element] {
        Setting(SettingInfo(key, .texts, usual, words)) { reader, _, _ in try reader.texts(key, parse) }
    }

    /// One of the cases or a list of them; `none` is the empty list, which would be lost when it is written again.
    static func some<Element: RawRepresentable & CaseIterable & Sendable>(
        _ key: String, _ usual: SettingUsual, _ words: String
    ) -> Setting where Value == [Element], Element.RawValue == String {
        let names = Element.allCases.map(\.rawValue)
        return Setting(SettingInfo(key, .some(names + ["none"]), usual, words)) { reader, info, own in
            var texts: [String]
            if let node = reader.value(key), node.scalar == nil {
                texts = try reader.texts(key) { $0 }
                guard !texts.isEmpty else {
                    throw reader.error(key, .wrongKind(found: "[]", expected: "a list of parts, or none"))
                }
            } else {
                texts = [try reader.scalar(info, own) { $0 }]
                if texts == ["none"] { return [] }
            }
            return try texts.map { text in
                guard let value = Element(rawValue: text) else {
                    throw reader.error(key, .unknownName(text, allowed: names))
                }
                return value
            }
        }
    }

    /// One of the cases, or several with their shares.
    static func mix<Element: RawRepresentable & CaseIterable & Equatable & Sendable>(
        _ key: String, _ usual: SettingUsual, _ words: String
    ) -> Setting where Value == [(Element, Double)], Element.RawValue == String {
        let names = Element.allCases.map(\.rawValue)
        return Setting(SettingInfo(key, .mix(names), usual, words)) { reader, info, _ in
            try reader.shares(info, of: Element.self)
        }
    }
}

extension Setting<[Double]> {
    /// A list of numbers, or the values of the group of the same name.
    static func numbersOrGroup(
        _ key: String, counts: ClosedRange<Int>, in range: ClosedRange<Double>, _ usual: SettingUsual,
        _ words: String
    ) -> Setting {
        let list = Setting.numbers(key, counts: counts, in: range, usual, words)
        return Setting(SettingInfo(key, .group(or: list.info.kind), usual, words)) {
            try list.read($0, $1, $2)
        }
    }
}
