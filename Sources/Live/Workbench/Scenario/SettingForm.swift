import Scenarios

/// The declared settings as a form needs them: what each may be, in which words, and where its default comes from.
struct SettingForm: Encodable {
    struct Field: Encodable {
        /// Place as in the schema: `[]` stands for any element of a list.
        var place: String
        var key: String
        var words: String
        /// Control that it gets: `text`, `flag`, `choice` or `yaml`.
        var control: String
        var choices: [String]?
        /// Values that it may have, in words.
        var range: String
        var usual: String?
        var source: String?
        var isAssumed: Bool
        var isRequired: Bool
    }

    let fields: [Field] = Schema.entries.map { entry in
        let setting = entry.setting
        let control = Self.control(setting.kind)
        let (usual, source) = Self.usual(setting.usual)
        var isRequired = false
        if case .required = setting.usual { isRequired = true }
        return Field(
            place: entry.place, key: setting.key, words: setting.words, control: control.name,
            choices: control.choices, range: Self.range(setting.kind), usual: usual, source: source,
            isAssumed: source.map(Assumption.isNamed(in:)) ?? false, isRequired: isRequired)
    }

    private static func control(_ kind: SettingKind) -> (name: String, choices: [String]?) {
        switch kind {
        case .flag: ("flag", nil)
        case .choice(let names): ("choice", names)
        case .mix(let names), .some(let names): ("text", names)
        case .group(let short): ("yaml", control(short).choices)
        case .delay, .curve, .numbers, .texts: ("yaml", nil)
        case .text, .file, .seed, .duration, .bytes, .bandwidth, .count, .number: ("text", nil)
        }
    }

    private static func usual(_ usual: SettingUsual) -> (text: String?, source: String?) {
        switch usual {
        case .value(let text, let source): (text, source)
        case .lognormal(let median, let p95, let source): ("median \(median), p95 \(p95)", source)
        case .exponential(let mean, let source): ("exponential, mean \(mean)", source)
        case .follows(let words): (nil, words)
        case .required(let example): (nil, "required, for example \(example)")
        case .absent: (nil, nil)
        }
    }

    private static func range(_ kind: SettingKind) -> String {
        switch kind {
        case .duration(let least, let word):
            "a duration such as 90s, 24h or 250ms" + (least == "0s" ? "" : ", at least \(least)")
                + (word.map { ", or \($0)" } ?? "")
        case .bytes: "bytes, such as 30kB or 1MiB"
        case .bandwidth: "bits or bytes a second, such as 100Mbit/s or 5MB/s"
        case .count(let range): "a count from \(range.lowerBound) to \(range.upperBound)"
        case .number(0...1, let word): "a share such as 0.02, 2% or 1/50" + (word.map { ", or \($0)" } ?? "")
        case .number(let range, let word):
            "a number from \(range.lowerBound) to \(range.upperBound)" + (word.map { ", or \($0)" } ?? "")
        case .seed: "a whole number"
        case .delay: "a duration, or a law such as { lognormal: { median: 20ms, p95: 80ms } }"
        case .curve: "values at percentiles, such as { p50: 10, p95: 40, max: 100 }"
        case .numbers(let counts, _): "a list of \(counts.lowerBound) to \(counts.upperBound) numbers"
        case .texts: "a list of texts"
        case .mix(let names): "one of \(names.joined(separator: ", ")), or shares such as a=70%,b=30%"
        case .some(let names): "some of \(names.joined(separator: ", "))"
        case .file: "a file, relative to the scenario"
        case .group(let short): range(short) + ", or a group of settings"
        case .flag, .choice, .text: ""
        }
    }
}
