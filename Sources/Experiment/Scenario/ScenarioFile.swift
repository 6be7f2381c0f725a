package import Foundation
import Yams

/// Reads a scenario file and changes from the command line into one node tree.
///
/// The tree keeps the place of every value, so that ``ScenarioResolver`` can name it in a complaint.
package struct ScenarioFile {
    /// Larger files are refused before parsing; a scenario is a few kilobytes.
    package static let maximumByteCount = 1_000_000

    package let path: String
    /// Folder against which relative paths inside the file are resolved.
    package let folder: String
    let root: Node

    package init(path: String) throws {
        guard let data = FileManager.default.contents(atPath: path) else {
            throw ScenarioError(file: path, field: "", problem: .syntax("cannot be read; is the path right?"))
        }
        try self.init(
            text: data, path: path,
            folder: URL(fileURLWithPath: path).deletingLastPathComponent().path)
    }

    package init(text: Data, path: String, folder: String) throws {
        guard text.count <= Self.maximumByteCount else {
            throw ScenarioError(
                file: path, field: "",
                problem: .outOfRange("\(text.count) bytes", allowed: "0...\(Self.maximumByteCount) bytes"))
        }
        guard let string = String(data: text, encoding: .utf8) else {
            throw ScenarioError(file: path, field: "", problem: .syntax("is not UTF-8 text"))
        }
        self.path = path
        self.folder = folder
        do {
            guard let node = try Yams.compose(yaml: string), node.mapping != nil else {
                throw ScenarioError(file: path, field: "", problem: .syntax("holds no settings"))
            }
            root = node
        } catch let error as YamlError {
            throw Self.error(from: error, path: path)
        }
        try Self.refuseAnchors(root, path: path, depth: 0)
    }

    private init(path: String, folder: String, root: Node) {
        self.path = path
        self.folder = folder
        self.root = root
    }

    /// Applies `--set path=value`. List elements are named: `devices[students].count=400`.
    package func setting(_ assignment: String) throws -> ScenarioFile {
        guard let equals = assignment.firstIndex(of: "="), equals != assignment.startIndex else {
            throw ScenarioError(
                file: "--set", field: assignment,
                problem: .missing(example: "--set filter.shouldFailClosed=true"))
        }
        let field = String(assignment[..<equals])
        let text = String(assignment[assignment.index(after: equals)...])
        let value: Node
        do {
            value = try Yams.compose(yaml: text) ?? Node("", Tag(.null))
        } catch let error as YamlError {
            throw Self.error(from: error, path: "--set \(field)")
        }
        var steps = field.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard !steps.contains("") else {
            throw ScenarioError(
                file: "--set", field: field, problem: .syntax("has an empty part in its path"))
        }
        var changed = root
        try Self.assign(Self.withoutPlace(value), at: &steps, in: &changed, field: field)
        return ScenarioFile(path: path, folder: folder, root: changed)
    }

    /// Lets every device group replay a trace instead of its own browsing.
    package func replacingBrowsing(withTrace path: String) throws -> ScenarioFile {
        var file = self
        for group in root.mapping?["devices"]?.sequence ?? [] {
            guard let name = group.mapping?["name"]?.scalar?.string else { continue }
            file = try file.setting("devices[\(name)].browsing={trace: \"\(path)\"}")
        }
        return file
    }

    /// The path of a file that the scenario names.
    func resolve(_ file: String) -> String {
        file.hasPrefix("/") ? file : folder + "/" + file
    }

    private static func assign(_ value: Node, at steps: inout [String], in node: inout Node, field: String)
        throws
    {
        var name = steps.removeFirst()
        var element: String?
        if let bracket = name.firstIndex(of: "["), name.hasSuffix("]") {
            element = String(name[name.index(after: bracket)...].dropLast())
            name = String(name[..<bracket])
        }
        var mapping = node.mapping ?? Node.Mapping([])
        if let element {
            var sequence = mapping[Node(name)]?.sequence ?? Node.Sequence([])
            guard let index = sequence.firstIndex(where: { $0.mapping?["name"]?.scalar?.string == element })
            else {
                let names = sequence.compactMap { $0.mapping?["name"]?.scalar?.string }
                throw ScenarioError(
                    file: "--set", field: field, problem: .unknownName(element, allowed: names))
            }
            if steps.isEmpty {
                sequence[index] = value
            } else {
                try assign(value, at: &steps, in: &sequence[index], field: field)
            }
            mapping[Node(name)] = .sequence(sequence)
        } else if steps.isEmpty {
            mapping[Node(name)] = value
        } else {
            var child = mapping[Node(name)] ?? .mapping(Node.Mapping([]))
            if child.mapping == nil { child = .mapping(Node.Mapping([])) }
            try assign(value, at: &steps, in: &child, field: field)
            mapping[Node(name)] = child
        }
        node = .mapping(mapping)
    }

    /// A value from the command line has no line in the file.
    private static func withoutPlace(_ node: Node) -> Node {
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

    /// Aliases could blow a small file up to a large tree; a scenario needs none.
    private static func refuseAnchors(_ node: Node, path: String, depth: Int) throws {
        func refusal(_ text: String) -> ScenarioError {
            ScenarioError(
                file: path, line: node.mark?.line ?? 0, column: node.mark?.column ?? 0, field: "",
                problem: .syntax(text))
        }
        guard depth < 32 else { throw refusal("is nested more than 32 levels deep") }
        if node.anchor != nil { throw refusal("uses a YAML anchor; write the value out") }
        switch node {
        case .mapping(let mapping):
            for (key, value) in mapping {
                try refuseAnchors(key, path: path, depth: depth + 1)
                try refuseAnchors(value, path: path, depth: depth + 1)
            }
        case .sequence(let sequence):
            for element in sequence { try refuseAnchors(element, path: path, depth: depth + 1) }
        default: break
        }
    }

    private static func error(from error: YamlError, path: String) -> ScenarioError {
        switch error {
        case .scanner(_, let problem, let mark, _), .parser(_, let problem, let mark, _),
            .composer(_, let problem, let mark, _):
            return ScenarioError(
                file: path, line: mark.line, column: mark.column, field: "", problem: .syntax(problem))
        case .duplicatedKeysInMapping(let keys, _):
            return ScenarioError(
                file: path, field: "",
                problem: .syntax("has a key twice: \(keys.joined(separator: ", "))"))
        default: return ScenarioError(file: path, field: "", problem: .syntax("\(error)"))
        }
    }
}
