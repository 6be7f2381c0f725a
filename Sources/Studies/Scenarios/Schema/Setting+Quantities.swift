import EventSimulation
import RandomStreams
import Workload

// Settings that are numbers: with a unit, as laws of times, as curves, and lists of them.

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
    package static func duration(
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
    package static func count(
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
    package static func number(
        _ key: String, in range: ClosedRange<Double>, _ usual: SettingUsual, _ words: String
    ) -> Setting {
        Setting(SettingInfo(key, .number(range, or: nil), usual, words)) { reader, info, own in
            let value = try reader.quantity(info, own, Quantity.share)
            try reader.check(value, in: range, key)
            return value
        }
    }

    package static func share(_ key: String, _ usual: SettingUsual, _ words: String) -> Setting {
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
    package static func share(
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
