import Decoding

/// The settings as a JSON Schema (draft 2020-12), so that an editor completes and checks a scenario.
///
/// YAML has numbers, and quantities with units are texts: where the program takes both, so does the schema. What
/// depends on two settings, such as shares that add up to more than 1, only the program finds.
package enum SchemaDocument {
    package static let text: String = {
        var root = group(at: "")
        root["$schema"] = .text("https://json-schema.org/draft/2020-12/schema")
        root["title"] = .text("A scenario of the URL Filter Workbench")
        root["required"] = .list([.text("blocklist"), .text("devices")])
        root["$defs"] = .group([
            "duration": duration, "delay": delay, "share": share, "curve": curve, "range": range,
            "numberText": pattern(digits + "(%|/" + digits + ")?"), "countText": pattern(digits + "[kMG]?"),
            "bytes": quantity(["B", "kB", "MB", "GB", "KiB", "MiB", "GiB"]),
            "bandwidth": quantity(["B/s", "kB/s", "MB/s", "GB/s", "kbit/s", "Mbit/s", "Gbit/s"]),
        ])
        // What is encoded holds nothing that could fail.
        return (try? JSONText.render(JSON.group(root))) ?? ""
    }()

    indirect enum JSON: Encodable {
        case text(String)
        case number(Double)
        case flag(Bool)
        case list([JSON])
        case group([String: JSON])

        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            switch self {
            case .text(let value): try container.encode(value)
            case .number(let value):
                if let whole = Int(exactly: value) {
                    try container.encode(whole)
                } else {
                    try container.encode(value)
                }
            case .flag(let value): try container.encode(value)
            case .list(let value): try container.encode(value)
            case .group(let value): try container.encode(value)
            }
        }
    }

    // MARK: - Groups

    private static let byPlace = Dictionary(grouping: Schema.entries, by: \.place)

    /// All places, and the groups around them, that have no settings of their own.
    private static let places: Set<String> = {
        var places: Set<String> = []
        for entry in Schema.entries {
            var place = entry.place
            while places.insert(place).inserted, let point = place.lastIndex(of: ".") {
                place = String(place[..<point])
            }
        }
        return places
    }()

    private static func group(at place: String) -> [String: JSON] {
        var properties: [String: JSON] = [:]
        var required: [JSON] = []
        for inner in places where isIn(inner, place) {
            let key = place.isEmpty ? inner : String(inner.dropFirst(place.count + 1))
            if key.hasSuffix("[]") {
                properties[String(key.dropLast(2))] = .group([
                    "type": .text("array"), "items": .group(group(at: inner)),
                ])
            } else {
                properties[key] = .group(group(at: inner))
            }
        }
        for entry in byPlace[place] ?? [] {
            let setting = entry.setting
            properties[setting.key] = .group(value(of: setting, group: properties[setting.key]))
            if case .required = setting.usual, isAlwaysNeeded(entry) { required.append(.text(setting.key)) }
        }
        if place.isEmpty { properties["vary"] = varied }
        var schema: [String: JSON] = [
            "type": .text("object"), "properties": .group(properties), "additionalProperties": .flag(false),
        ]
        if !required.isEmpty { schema["required"] = .list(required) }
        return schema
    }

    /// A trace or a file of prices may be given, a list and names must.
    private static func isAlwaysNeeded(_ entry: Schema.Entry) -> Bool {
        entry.setting.key == "name" || entry.path == "blocklist.file"
    }

    private static func isIn(_ inner: String, _ place: String) -> Bool {
        guard inner != place, !inner.isEmpty else { return false }
        guard place.isEmpty || inner.hasPrefix(place + ".") else { return false }
        return !inner.dropFirst(place.isEmpty ? 0 : place.count + 1).contains(".")
    }

    private static let varied = JSON.group([
        "type": .text("object"),
        "description": .text("makes points: a list, a range such as 1..9:2, or log:1e-4..1e-2:5"),
    ])

    // MARK: - Values

    private static func value(of setting: SettingInfo, group: JSON?) -> [String: JSON] {
        var schema = shape(of: setting.kind, group: group)
        schema["description"] = .text(
            setting.words.replacing("`", with: "") + usual(setting) + plausible(setting))
        if case .value(let text, _) = setting.usual { schema["default"] = .text(text) }
        return schema
    }

    private static func usual(_ setting: SettingInfo) -> String {
        switch setting.usual {
        case .required, .absent: ""
        case .follows(let words): ". Default: \(words.replacing("`", with: ""))"
        case .value, .lognormal, .exponential: ". Default: \(SettingTable.usual(setting, isShort: false))"
        }
    }

    private static func plausible(_ setting: SettingInfo) -> String {
        setting.plausible.map { ". Plausible: \($0.text) (\($0.source))" } ?? ""
    }

    private static func shape(of kind: SettingKind, group: JSON?) -> [String: JSON] {
        switch kind {
        case .text: ["type": .list([.text("string"), .text("number"), .text("boolean")])]
        case .file: ["type": .text("string")]
        case .seed: either([number(0...1.8446744073709552e19, isWhole: true), pattern("[0-9]+")])
        case .flag: ["enum": .list([.flag(true), .flag(false)] + ["yes", "no", "on", "off"].map(JSON.text))]
        case .duration(_, let word): either([reference("duration")] + (word.map { [exactly($0)] } ?? []))
        case .bytes: reference("bytes").fields
        case .bandwidth: reference("bandwidth").fields
        case .count(let range):
            either([
                number(Double(range.lowerBound)...Double(range.upperBound), isWhole: true),
                reference("countText"), reference("range"),
            ])
        case .number(0...1, nil): either([reference("share"), reference("range")])
        case .number(let bounds, let word):
            either(share(bounds) + (word.map { [exactly($0)] } ?? []) + [reference("range")])
        case .delay: reference("delay").fields
        case .numbers(let counts, let range):
            [
                "type": .text("array"), "minItems": .number(Double(counts.lowerBound)),
                "maxItems": .number(Double(counts.upperBound)), "items": .group(either(share(range))),
            ]
        case .curve: reference("curve").fields
        case .choice(let names): ["enum": .list(names.map(JSON.text))]
        case .mix(let names):
            either([
                .group(["enum": .list(names.map(JSON.text))]), pattern("[^=]+=[^=]+(,[^=]+=[^=]+)*"),
                .group([
                    "type": .text("object"), "additionalProperties": .flag(false),
                    "properties": .group(
                        Dictionary(uniqueKeysWithValues: names.map { ($0, reference("share")) })),
                ]),
            ])
        case .some(let names):
            either([
                .group(["enum": .list(names.map(JSON.text))]),
                .group(["type": .text("array"), "items": .group(["enum": .list(names.map(JSON.text))])]),
            ])
        case .texts: ["type": .text("array"), "items": .group(["type": .text("string")])]
        case .group(let short):
            either([.group(shape(of: short, group: nil)), group ?? .group(["type": .text("object")])])
        }
    }

    private static func either(_ options: [JSON]) -> [String: JSON] {
        options.count == 1 ? options[0].fields : ["anyOf": .list(options)]
    }

    private static func reference(_ name: String) -> JSON { .group(["$ref": .text("#/$defs/\(name)")]) }

    private static func exactly(_ text: String) -> JSON { .group(["const": .text(text)]) }

    private static func pattern(_ text: String) -> JSON {
        .group(["type": .text("string"), "pattern": .text("^\(text)$")])
    }

    private static func number(_ range: ClosedRange<Double>, isWhole: Bool = false) -> JSON {
        .group([
            "type": .text(isWhole ? "integer" : "number"), "minimum": .number(range.lowerBound),
            "maximum": .number(range.upperBound),
        ])
    }

    private static func share(_ range: ClosedRange<Double>) -> [JSON] {
        [number(range), reference("numberText")]
    }

    /// A number with the blanks that group its digits.
    private static let digits = " *[-+]?[0-9_ .]+(e[-+]?[0-9]+)? *"

    private static func quantity(_ units: [String]) -> JSON {
        .group(either([pattern(digits + "(" + units.joined(separator: "|") + ") *"), reference("range")]))
    }

    private static let duration = JSON.group(
        either([
            number(0...0), pattern("((" + digits + "(ns|us|µs|ms|min|s|m|h|d))+| *0) *"), reference("range"),
        ]))

    /// A range instead of a number: what nobody knows better.
    private static let range: JSON = {
        let ends = pattern("[^.].*[.][.].+")
        let single = JSON.group(["type": .list([.text("string"), .text("number")])])
        return .group(
            either([
                ends,
                .group([
                    "type": .text("object"), "additionalProperties": .flag(false),
                    "required": .list([.text(SettingsReader.rangeKey)]),
                    "properties": .group([
                        SettingsReader.valueKey: single, SettingsReader.rangeKey: ends,
                    ]),
                ]),
            ]))
    }()

    private static let share = JSON.group(either(share(0...1)))

    private static let delay = JSON.group(either([reference("duration"), law]))

    /// A law of durations with its parameters.
    private static let law: JSON = {
        let duration = reference("duration")
        func kind(_ parameters: [String: JSON]) -> JSON {
            .group([
                "type": .text("object"), "additionalProperties": .flag(false),
                "properties": .group(parameters),
            ])
        }
        let shape = JSON.group(either(share(0.01...1_000)))
        return .group([
            "type": .text("object"), "minProperties": .number(1), "maxProperties": .number(1),
            "additionalProperties": .flag(false),
            "properties": .group([
                "lognormal": kind(["median": duration, "p95": duration, "p99": duration]),
                "exponential": kind(["mean": duration]), "uniform": kind(["from": duration, "to": duration]),
                "weibull": kind(["shape": shape, "scale": duration]),
                "gamma": kind(["shape": shape, "scale": duration]),
            ]),
        ])
    }()

    private static let curve = JSON.group([
        "type": .text("object"), "additionalProperties": .flag(false),
        "patternProperties": .group(["^(p[0-9.]+|min|max)$": .group(either(share(0...1e12)))]),
    ])
}

extension SchemaDocument.JSON {
    fileprivate var fields: [String: Self] { if case .group(let fields) = self { fields } else { [:] } }
}
