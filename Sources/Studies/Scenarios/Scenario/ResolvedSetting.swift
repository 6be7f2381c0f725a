/// A setting as it was resolved, for `scenario.resolved.yaml` and for the reader of a result.
package struct ResolvedSetting: Codable, Hashable, Sendable {
    /// Path as `--set` takes it, for example `devices[students].count`.
    package var path: String
    package var value: String
    /// `nil` when the scenario or the command line set it; otherwise where the default comes from.
    package var defaultSource: String?
    /// The value follows from another setting, such as a browsing profile, as long as it is not set by this path.
    package var isDerived = false
    /// Nobody told it, and it may plausibly be something else; `nil`: it is told, or decided.
    package var isOpen: Bool?

    /// Neither the scenario nor anybody else says it: this program assumes it.
    package var isAssumed: Bool { defaultSource.map(Assumption.isNamed(in:)) ?? false }
}

/// The mark of a value that nobody published.
package enum Assumption {
    /// - Parameter source: Of a default, of a preset or of a price, as text.
    package static func isNamed(in source: String) -> Bool { source.contains("assumption") }
}

/// The settings as a scenario file: it says the same when it is run again.
///
/// Defaults carry their source as a comment; derived values are comments altogether.
package struct ResolvedScenario {
    private var lines: [String] = []
    /// Groups and list elements that the last line stands in.
    private var open: [String] = []
    /// A list element has begun and has no line yet.
    private var dashIsDue = false

    package static func yaml(_ settings: [ResolvedSetting]) -> String {
        var text = ResolvedScenario()
        text.name(assumptions(in: settings))
        for setting in settings { text.add(setting) }
        return text.lines.joined(separator: "\n") + "\n"
    }

    /// Paths of what is written down but known no better for it.
    private static func assumptions(in settings: [ResolvedSetting]) -> [String] {
        var paths: [String] = []
        for setting in settings where setting.isOpen == true && !setting.isDerived {
            let law = setting.path.firstRange(of: ".lognormal.")
            let path = law.map { String(setting.path[..<$0.lowerBound]) } ?? setting.path
            if !paths.contains(path) { paths.append(path) }
        }
        return paths
    }

    private mutating func name(_ assumptions: [String]) {
        guard !assumptions.isEmpty else { return }
        lines.append("\(Schema.run.assumptions.key):")
        lines += assumptions.map { "  - " + Self.scalar($0) }
    }

    private mutating func add(_ setting: ResolvedSetting) {
        var steps = Self.steps(of: setting.path)
        let leaf = steps.removeLast()
        let shared = zip(open, steps).prefix { $0 == $1 }.count
        if setting.isDerived {
            let rest = (steps.dropFirst(shared) + [leaf]).joined(separator: ".")
            let source = setting.defaultSource.map { " (\($0))" } ?? ""
            lines.append(Self.indent(shared) + "# \(rest): \(setting.value)\(source)")
            return
        }
        open.removeLast(open.count - shared)
        for step in steps.dropFirst(shared) {
            if step.hasPrefix("[") { dashIsDue = true } else { append("\(step):") }
            open.append(step)
        }
        let comment = setting.defaultSource.map { "  # default: \($0)" } ?? ""
        let key = leaf.hasPrefix("[") ? "- " : "\(leaf): "
        append(key + Self.scalar(setting.value) + comment)
    }

    private mutating func append(_ line: String) {
        lines.append(Self.indent(dashIsDue ? open.count - 1 : open.count) + (dashIsDue ? "- " : "") + line)
        dashIsDue = false
    }

    private static func indent(_ depth: Int) -> String { String(repeating: "  ", count: depth) }

    /// `devices[students].count` as `devices`, `[students]`, `count`. No name holds a dot or a bracket.
    private static func steps(of path: String) -> [String] {
        path.split(separator: ".").flatMap { part in
            guard let bracket = part.firstIndex(of: "[") else { return [String(part)] }
            return [String(part[..<bracket]), String(part[bracket...])]
        }
    }

    /// Quoted unless nothing in the text can mean something else in YAML.
    private static func scalar(_ value: String) -> String {
        let isPlain = value.unicodeScalars.allSatisfy { scalar in
            scalar.isASCII
                && (scalar.properties.isAlphabetic || "0123456789._/%".unicodeScalars.contains(scalar))
        }
        if isPlain, value.first != "%", !["", "null", "Null", "NULL"].contains(value) { return value }
        return "\"" + value.unicodeScalars.map(escaped).joined() + "\""
    }

    private static func escaped(_ scalar: Unicode.Scalar) -> String {
        switch scalar {
        case "\"", "\\": "\\\(scalar)"
        case " "..."~": "\(scalar)"
        case _ where scalar.properties.isAlphabetic: "\(scalar)"
        default:
            "\\U" + String(repeating: "0", count: 8 - String(scalar.value, radix: 16).count)
                + String(scalar.value, radix: 16)
        }
    }
}
