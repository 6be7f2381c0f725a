import Decoding

/// The settings as text: tables of the article "Scenarios", and one setting for `urlfilter help scenarios KEY`.
package enum SettingTable {
    /// Rows of a table in Markdown: key, default, meaning.
    ///
    /// - Parameter group: Of ``Schema/groups``.
    package static func markdown(_ group: any SettingGroup) -> [String] {
        group.settings.map { setting in
            let cells = [
                code(setting.key), usual(setting, isShort: true),
                setting.words + range(setting.kind) + plausible(setting),
            ]
            return "| " + cells.map { $0.replacing("|", with: "\\|") }.joined(separator: " | ") + " |"
        }
    }

    /// - Returns: Settings whose path or key is the word, each with all that is known of it; empty if there is none.
    package static func help(_ word: String) -> [String] {
        let pattern = Schema.pattern(of: word)
        var known: [(setting: SettingInfo, paths: [String])] = []
        for group in Schema.groups {
            for setting in group.settings {
                let paths = group.places.map { Schema.path(setting.key, in: $0) }
                if setting.key == word || paths.contains(pattern) { known.append((setting, paths)) }
            }
        }
        return known.map { setting, paths in
            """
            \(paths.joined(separator: "\n"))
                \(setting.words + range(setting.kind))
                default: \(usual(setting, isShort: false))\(plausibleLine(setting))
            """.replacing("`", with: "")
        }
    }

    /// Keys near a word that is none.
    package static func nearest(_ word: String) -> [String] {
        let names = word.contains(".") ? Schema.entries.map(\.path) : Schema.entries.map(\.setting.key)
        return Spelling.nearest(3, to: Schema.pattern(of: word), among: Array(Set(names)).sorted())
    }

    private static func code(_ text: String) -> String { "`\(text)`" }

    static func usual(_ setting: SettingInfo, isShort: Bool) -> String {
        switch setting.usual {
        case .value(let text, let source): isShort ? code(text) : "\(text) (\(source))"
        case .lognormal(let median, let p95, let source):
            isShort ? "median \(code(median)), p95 \(code(p95))" : "median \(median), p95 \(p95) (\(source))"
        case .exponential(let mean, let source):
            isShort ? "exponential, mean \(code(mean))" : "exponential, mean \(mean) (\(source))"
        case .follows(let words): words
        case .required: "required"
        case .absent: "–"
        }
    }

    /// Values that its default may be instead.
    private static func plausible(_ setting: SettingInfo) -> String {
        setting.plausible.map { "; plausible: \($0.text)" } ?? ""
    }

    private static func plausibleLine(_ setting: SettingInfo) -> String {
        setting.plausible.map { "\n    plausible: \($0.text) (\($0.source))" } ?? ""
    }

    /// Values that it may have, where they are not plain from the default.
    private static func range(_ kind: SettingKind) -> String {
        switch kind {
        case .choice(let names) where names.count > 1: "; one of " + names.map(code).joined(separator: ", ")
        case .mix(let names): "; of " + names.map(code).joined(separator: ", ")
        case .some(let names): "; a list of " + names.map(code).joined(separator: ", ")
        case .group(.choice(let names)): "; " + names.map(code).joined(separator: ", ") + ", or a group"
        case .duration(let least, let word):
            [least == "0s" ? nil : "; at least \(code(least))", word.map { "; or \(code($0))" }]
                .compactMap(\.self).joined()
        case .count(let range): "; \(range.lowerBound) to \(range.upperBound)"
        case .number(0...1, let word): word.map { "; a share, or \(code($0))" } ?? ""
        case .number(let range, let word):
            "; \(Self.text(range.lowerBound)) to \(Self.text(range.upperBound))"
                + (word.map { ", or \(code($0))" } ?? "")
        default: ""
        }
    }

    private static func text(_ number: Double) -> String {
        abs(number) < 1e9 && number == number.rounded() ? "\(Int(number))" : "\(number)"
    }
}
