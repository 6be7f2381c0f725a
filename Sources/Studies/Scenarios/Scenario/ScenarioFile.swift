package import Foundation
import Workload
package import Yams

/// Reads a scenario file and changes from the command line into one node tree.
///
/// The tree keeps the place of every value, so that ``ScenarioResolver`` can name it in a complaint.
package struct ScenarioFile {
    /// Larger files are refused before parsing; a scenario is a few kilobytes.
    package static let maximumByteCount = 1_000_000

    package let path: String
    /// Folder against which relative paths inside the file are resolved.
    package let folder: String
    package let root: Node

    package init(path: String) throws {
        guard let text = try? InputBytes.read(path, limit: Self.maximumByteCount) else {
            throw ScenarioError(file: path, field: "", problem: .syntax("cannot be read; is the path right?"))
        }
        try self.init(
            text: text, path: path, folder: URL(fileURLWithPath: path).deletingLastPathComponent().path)
    }

    package init(text: Data, path: String, folder: String) throws {
        guard text.count <= Self.maximumByteCount else {
            throw ScenarioError(
                file: path, field: "",
                problem: .syntax(
                    "is larger than \(Self.maximumByteCount) bytes; a scenario is a few kilobytes"))
        }
        guard let string = String(data: text, encoding: .utf8) else {
            throw ScenarioError(file: path, field: "", problem: .syntax("is not UTF-8 text"))
        }
        guard let node = try Self.tree(string, file: path), node.mapping != nil else {
            throw ScenarioError(file: path, field: "", problem: .syntax("holds no settings"))
        }
        self.init(path: path, folder: folder, root: node)
    }

    private init(path: String, folder: String, root: Node) {
        self.path = path
        self.folder = folder
        self.root = root
    }

    /// Applies `--set path=value`; the value is YAML, and an empty one goes back to the default.
    package func setting(_ assignment: String) throws -> ScenarioFile {
        guard let equals = assignment.firstIndex(of: "="), equals != assignment.startIndex else {
            throw ScenarioError(
                file: "--set", field: assignment,
                problem: .missing(example: "--set filter.shouldFailClosed=true"))
        }
        let field = String(assignment[..<equals])
        let text = String(assignment[assignment.index(after: equals)...])
        let value = try Self.tree(text, file: "--set \(field)") ?? Self.nothing
        return try setting(SettingPath(field), to: Self.withoutPlace(value))
    }

    /// Applies one assignment after the other, each as `--set` takes it.
    package func setting(_ assignments: [String]) throws -> ScenarioFile {
        try assignments.reduce(self) { try $0.setting($1) }
    }

    /// Sets one path to this text, whatever it may mean in YAML.
    package func setting(_ field: String, toText text: String) throws -> ScenarioFile {
        try setting(SettingPath(field), to: Node(text, Tag(.str)))
    }

    /// The same whatever the scenario's lookups come from.
    package func changing(_ field: String, toText text: String) throws -> ScenarioFile {
        try changing(SettingPath(field), to: Node(text, Tag(.str)))
    }

    /// The file with what the command line changed, without its group `vary`, as YAML.
    package func textOfOnePoint() throws -> String {
        let settings = (root.mapping ?? [:]).filter { $0.key.scalar?.string != "vary" }
        return try Yams.serialize(node: .mapping(Node.Mapping(settings.map { ($0.key, $0.value) })))
    }

    /// The path of a file that the scenario names.
    func resolve(_ file: String) -> String {
        file.hasPrefix("/") ? file : Self.withoutDetours(folder + "/" + file)
    }

    /// The path without `.` and `..`, which nobody wants to read; as it is where that would be another file, because a
    /// folder on the way is a link.
    private static func withoutDetours(_ path: String) -> String {
        guard path.hasPrefix("/") else { return path }
        let short = URL(fileURLWithPath: path).standardizedFileURL.path
        return realPath(path) == realPath(short) ? short : path
    }

    package func setting(_ path: SettingPath, to value: Node) throws -> ScenarioFile {
        try refuseUnobserved(path, value)
        return try changing(path, to: value)
    }

    private func changing(_ path: SettingPath, to value: Node) throws -> ScenarioFile {
        var changed = root
        try Self.assign(value, at: path.steps[...], of: path, in: &changed)
        return ScenarioFile(path: self.path, folder: folder, root: changed)
    }

    private static func assign(
        _ value: Node, at steps: ArraySlice<SettingPath.Step>, of path: SettingPath, in node: inout Node
    ) throws(ScenarioError) {
        guard let step = steps.first else {
            node = value
            return
        }
        let isEmpty = node.null != nil
        guard var mapping = node.mapping ?? (isEmpty ? Node.Mapping([]) : nil) else {
            throw refusal(
                path,
                "the part before '\(step.key)' is \(kind(of: node)); "
                    + (node.sequence == nil
                        ? "set it as a whole, for example --set 'group={ key: value }'"
                        : "name an element of it, for example devices[students]"))
        }
        let key = Node(step.key)
        var child = mapping[key] ?? nothing
        if let element = step.element {
            guard var list = child.sequence else {
                throw refusal(path, "'\(step.key)' is \(kind(of: child)), not a list")
            }
            let names = list.enumerated().map { $1.mapping?["name"]?.scalar?.string ?? "\($0)" }
            if element == SettingPath.everyElement, !list.isEmpty {
                for index in list.indices {
                    try assign(value, at: steps.dropFirst(), of: path, in: &list[index])
                }
                mapping[key] = .sequence(list)
                node = .mapping(mapping)
                return
            }
            guard
                let index = names.firstIndex(of: element)
                    ?? Int(element).flatMap({ names.indices.contains($0) ? $0 : nil })
            else {
                throw ScenarioError(
                    file: "--set", field: path.text, problem: .unknownName(element, allowed: names))
            }
            try assign(value, at: steps.dropFirst(), of: path, in: &list[index])
            child = .sequence(list)
        } else {
            if steps.count > 1, child.scalar != nil, child.null == nil,
                Schema.groupsWithPresets.contains(step.key)
            {
                child = .mapping(Node.Mapping([(Node("preset"), child)]))
            }
            try assign(value, at: steps.dropFirst(), of: path, in: &child)
        }
        mapping[key] = child
        node = .mapping(mapping)
    }

    package static var nothing: Node { Node("", Tag(.null), .plain) }

    private static func refusal(_ path: SettingPath, _ sentence: String) -> ScenarioError {
        ScenarioError(file: "--set", field: path.text, problem: .conflict(sentence))
    }

    private static func kind(of node: Node) -> String {
        if node.null != nil { return "not set" }
        if let scalar = node.scalar { return "the single value '\(scalar.string)'" }
        return node.sequence == nil ? "a group" : "a list"
    }

    /// A value from the command line has no line in the file.
    package static func withoutPlace(_ node: Node) -> Node {
        switch node {
        case .scalar(var scalar):
            scalar.mark = nil
            return .scalar(scalar)
        case .mapping(let mapping):
            return .mapping(Node.Mapping(mapping.map { (withoutPlace($0.key), withoutPlace($0.value)) }))
        case .sequence(let sequence): return .sequence(Node.Sequence(sequence.map(withoutPlace)))
        default: return node
        }
    }

    /// - Returns: `nil` for a text without any value.
    package static func tree(_ text: String, file: String) throws -> Node? {
        try refuseAnchors(text, file: file)
        do {
            return try Yams.compose(yaml: text)
        } catch let error as YamlError {
            throw Self.error(from: error, file: file)
        }
    }

    /// Aliases can blow a small file up to a tree that fills the memory; a scenario needs none. So nothing
    /// that could be an anchor is let through to the parser, not even inside quotes or comments.
    private static func refuseAnchors(_ text: String, file: String) throws(ScenarioError) {
        var line = 1
        var column = 1
        var mayBegin = true
        var follows = false
        for byte in text.utf8 {
            let isName = byte == UInt8(ascii: "_") || byte == UInt8(ascii: "-") || isAlphanumeric(byte)
            if follows, isName {
                throw ScenarioError(
                    file: file, line: line, column: column - 1, field: "",
                    problem: .syntax("a YAML anchor; write the value out, or put a space after the '&'"))
            }
            follows = mayBegin && byte == UInt8(ascii: "&")
            mayBegin = !isAlphanumeric(byte)
            if byte == UInt8(ascii: "\n") {
                line += 1
                column = 1
            } else if byte & 0xC0 != 0x80 {
                column += 1
            }
        }
    }

    private static func isAlphanumeric(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "a")...UInt8(ascii: "z"):
            true
        default: false
        }
    }

    private static func error(from error: YamlError, file: String) -> ScenarioError {
        func problem(_ sentence: String, line: Int = 0, column: Int = 0) -> ScenarioError {
            ScenarioError(
                file: file, line: line, column: column, field: "", problem: .syntax("not YAML: \(sentence)"))
        }
        switch error {
        case .scanner(let context, let sentence, let mark, _),
            .parser(let context, let sentence, let mark, _),
            .composer(let context, let sentence, let mark, _):
            return problem(
                context.map { "\($0.text), \(sentence)" } ?? sentence, line: mark.line, column: mark.column)
        case .reader(let sentence, let offset?, _, let text):
            let before = text.prefix(offset).split(separator: "\n", omittingEmptySubsequences: false)
            return problem(sentence, line: before.count, column: (before.last?.count ?? 0) + 1)
        case .duplicatedKeysInMapping(let keys, let context):
            return problem(
                "the key '\(keys.joined(separator: "', '"))' is given twice", line: context.mark.line,
                column: context.mark.column)
        default: return problem("\(error)")
        }
    }
}
