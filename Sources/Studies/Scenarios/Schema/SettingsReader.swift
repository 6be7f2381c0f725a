package import Yams

/// Collects what was read, so that the resolved scenario lists every setting once.
package final class SettingsLog {
    let file: String
    /// The path of a file that the scenario names.
    private let resolve: (String) -> String
    var settings: [ResolvedSetting] = []
    /// Values that may be something else.
    var candidates: [PlausibleCandidate] = []
    /// Paths that the scenario sets and says to be assumptions.
    var assumptions: Set<String> = []

    package init(file: String, resolve: @escaping (String) -> String = { $0 }) {
        self.file = file
        self.resolve = resolve
    }

    /// Notes where the file is that was read last: the resolved scenario lies in another folder.
    func resolveLast(_ path: String) -> String {
        let path = resolve(path)
        settings[settings.count - 1].value = path
        return path
    }
}

/// Reads one mapping of the scenario, key by key, with the place of every complaint.
///
/// A key that is absent has the default of its ``Setting``, or the one that the read names because it follows from
/// other settings, or none. ``finish()`` refuses keys that nobody read.
package final class SettingsReader {
    let node: Node?
    let path: String
    let log: SettingsLog
    /// The values follow from another setting: they are recorded as such.
    let isDerived: Bool
    private var known: [String] = []

    package init(node: Node?, path: String, log: SettingsLog, isDerived: Bool = false) throws {
        self.node = node
        self.path = path
        self.log = log
        self.isDerived = isDerived
        if let node, node.mapping == nil, !Self.isNull(node) {
            throw Self.error(
                log.file, node, path, .wrongKind(found: Self.excerpt(node), expected: "a group of settings"))
        }
    }

    /// A reader that has the declared defaults, whatever a scenario says.
    package static func defaults() throws -> SettingsReader {
        try SettingsReader(node: nil, path: "", log: SettingsLog(file: ""))
    }

    /// The reader of a nested group; of an empty one when the key is absent.
    package func group(_ key: String) throws -> SettingsReader {
        try SettingsReader(node: value(key), path: join(key), log: log, isDerived: isDerived)
    }

    package func has(_ key: String) -> Bool { value(key) != nil }

    /// Names of this group in the order of the file.
    var keys: [String] { node?.mapping?.keys.compactMap { $0.scalar?.string } ?? [] }

    func isGroup(_ key: String) -> Bool { value(key)?.mapping != nil }

    /// A reader of defaults only, for a group that the scenario names by a single word.
    func empty(at key: String) throws -> SettingsReader {
        try SettingsReader(node: nil, path: join(key), log: log, isDerived: true)
    }

    /// The elements of a list of groups; none when the key is absent.
    package func groups(_ key: String) throws -> [SettingsReader] {
        guard let node = value(key) else { return [] }
        guard let sequence = node.sequence else {
            throw error(key, .wrongKind(found: Self.excerpt(node), expected: "a list"))
        }
        return try sequence.enumerated().map { index, element in
            let name = element.mapping?["name"]?.scalar?.string ?? "\(index)"
            return try SettingsReader(node: element, path: "\(join(key))[\(name)]", log: log)
        }
    }

    /// The elements of a list of texts, each read by `parse`; its problems get the place of the element.
    func texts<Value>(
        _ key: String, _ parse: (String) throws -> Value
    ) throws -> [Value] {
        guard let node = value(key) else { return [] }
        guard let sequence = node.sequence else {
            throw error(key, .wrongKind(found: Self.excerpt(node), expected: "a list"))
        }
        return try sequence.enumerated().map { index, element in
            let path = "\(join(key))[\(index)]"
            guard let text = element.scalar?.string else {
                throw Self.error(
                    log.file, element, path, .wrongKind(found: Self.excerpt(element), expected: "a text"))
            }
            log.settings.append(ResolvedSetting(path: path, value: text))
            do {
                return try parse(text)
            } catch {
                throw Self.error(log.file, element, path, .conflict("\(error)"))
            }
        }
    }

    /// Refuses keys that no read asked for.
    package func finish() throws {
        for (key, value) in node?.mapping ?? [:] {
            let name = key.scalar?.string ?? "?"
            guard !known.contains(name) else { continue }
            throw Self.error(
                log.file, key.mark == nil ? value : key, path,
                .unknownKey(name, known: known))
        }
    }

    package func error(_ key: String, _ problem: ScenarioError.Problem) -> ScenarioError {
        Self.error(log.file, value(key) ?? node, join(key), problem)
    }

    /// A complaint about this group as a whole.
    package func error(_ problem: ScenarioError.Problem) -> ScenarioError {
        Self.error(log.file, node, path, problem)
    }

    /// Records a value that follows from another setting, as its own key is absent.
    func note(_ key: String, _ value: String, source: String) {
        log.settings.append(
            ResolvedSetting(path: join(key), value: value, defaultSource: source, isDerived: true))
    }

    func value(_ key: String) -> Node? {
        if !known.contains(key) { known.append(key) }
        guard let found = node?.mapping?[key], !Self.isNull(found) else { return nil }
        return found
    }

    /// Reads a single value, and records it.
    func scalar<Value>(
        _ setting: SettingInfo, _ own: SettingFallback?, _ parse: (String) throws -> Value
    ) throws -> Value {
        let key = setting.key
        if let node = value(key) {
            guard let scalar = node.scalar else {
                throw error(key, .wrongKind(found: Self.excerpt(node), expected: "a single value"))
            }
            let value = try parse(scalar.string)
            log.settings.append(
                ResolvedSetting(path: join(key), value: scalar.string, isDerived: isDerived))
            if scalar.mark != nil, log.assumptions.contains(join(key)) { propose(setting, scalar.string) }
            return value
        }
        let fallback: (text: String, source: String)
        if case .text(let text) = own?.value {
            fallback = (text, own?.source ?? "")
        } else {
            switch setting.usual {
            case .value(let text, let source): fallback = (text, source)
            case .required(let example): throw error(key, .missing(example: example))
            case .lognormal, .exponential, .follows, .absent:
                throw error(key, .missing(example: setting.kind.example))
            }
        }
        let value = try parse(fallback.text)
        log.settings.append(
            ResolvedSetting(
                path: join(key), value: fallback.text, defaultSource: fallback.source, isDerived: isDerived))
        propose(setting, fallback.text)
        return value
    }

    func join(_ key: String) -> String { path.isEmpty ? key : "\(path).\(key)" }

    /// `key: null`, `key: ~` and `key:` mean that the key is absent.
    private static func isNull(_ node: Node) -> Bool { node.null != nil }

    /// The value as one line of YAML.
    package static func excerpt(_ node: Node) -> String {
        switch node {
        case .scalar(let scalar): scalar.string
        case .sequence(let list): "[" + list.map(excerpt).joined(separator: ", ") + "]"
        case .mapping(let group):
            "{" + group.map { "\(excerpt($0.key)): \(excerpt($0.value))" }.joined(separator: ", ") + "}"
        default: "?"
        }
    }

    private static func error(
        _ file: String, _ node: Node?, _ field: String, _ problem: ScenarioError.Problem
    ) -> ScenarioError {
        // A value without a place came from the command line.
        ScenarioError(
            file: node != nil && node?.mark == nil ? "--set" : file, line: node?.mark?.line ?? 0,
            column: node?.mark?.column ?? 0, field: field, problem: problem)
    }
}
