import Yams

// Settings that are words: free ones, names of a list, and several of them.

extension Setting<String> {
    package static func text(_ key: String, _ usual: SettingUsual, _ words: String) -> Setting {
        Setting(SettingInfo(key, .text, usual, words)) { try $0.scalar($1, $2) { $0 } }
    }

    /// A word of a list; which value it stands for is the reader's business.
    package static func word(_ key: String, of names: [String], _ usual: SettingUsual, _ words: String)
        -> Setting
    {
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
}

extension Setting where Value: RawRepresentable & CaseIterable & Sendable, Value.RawValue == String {
    package static func choice(_ key: String, _ usual: SettingUsual, _ words: String) -> Setting {
        let names = Value.allCases.map(\.rawValue)
        return Setting(SettingInfo(key, .choice(names), usual, words)) { reader, info, own in
            let text = try reader.scalar(info, own) { $0 }
            guard let value = Value(rawValue: text) else {
                throw reader.error(key, .unknownName(text, allowed: names))
            }
            return value
        }
    }
}

extension Setting {
    /// The same, or the settings of the group of the same name, which the reader then takes instead.
    var orGroup: Setting {
        Setting(SettingInfo(key, .group(or: info.kind), info.usual, info.words), read: read)
    }

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
    package static func texts<Element>(
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
