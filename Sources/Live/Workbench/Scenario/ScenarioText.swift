import Foundation
import Scenarios
import Yams

/// A scenario's text with one setting changed: lines and comments around it stay as they are.
///
/// Places in the text are guesses by the marks of the parser. Each guess is read again and held against what `--set`
/// makes of the same change, so a wrong one is never used; if none is right, the whole text is written anew.
struct ScenarioText {
    struct Change: Encodable {
        var text: String
        /// The text was written anew, and its comments are gone.
        var lostComments: Bool
    }

    private let text: String
    private let path: String
    private let file: ScenarioFile

    /// - Parameter path: Of the file, for messages and for what it names.
    init(_ text: String, path: String) throws {
        self.text = text
        self.path = path
        file = try Self.file(text, path)
    }

    private static func file(_ text: String, _ path: String) throws -> ScenarioFile {
        try ScenarioFile(
            text: Data(text.utf8), path: path,
            folder: URL(fileURLWithPath: path).deletingLastPathComponent().path)
    }

    /// - Parameters:
    ///   - setting: As `--set` takes it, such as `devices[students].count`.
    ///   - value: An empty one goes back to the default.
    ///   - isText: The value is a text, whatever it may mean in YAML.
    func setting(_ setting: String, to value: String, isText: Bool) throws -> Change {
        let wanted =
            isText && !value.isEmpty
            ? try file.setting(setting, toText: value) : try file.setting("\(setting)=\(value)")
        let form = Self.form(wanted.root)
        if form == Self.form(file.root) { return Change(text: text, lostComments: false) }
        let forms = isText && !value.isEmpty ? [value, value.debugDescription] : [value]
        for guess in forms.flatMap({ guesses(Self.steps(of: setting), $0) }) {
            guard let read = try? Self.file(guess, path), Self.form(read.root) == form else { continue }
            return Change(text: guess, lostComments: false)
        }
        return Change(text: try Yams.serialize(node: wanted.root), lostComments: text.contains("#"))
    }

    /// The tree as text that is the same for equal trees; keys without a value are as if they were not there.
    private static func form(_ node: Node) -> String {
        if let mapping = node.mapping {
            let pairs = mapping.filter { $0.value.null == nil }.map { "\(form($0.key)):\(form($0.value))" }
            return pairs.isEmpty ? "" : "{" + pairs.sorted().joined(separator: ",") + "}"
        }
        if let sequence = node.sequence { return "[" + sequence.map(form).joined(separator: ",") + "]" }
        return (node.scalar?.string ?? "").debugDescription
    }

    // MARK: - Guesses

    private struct Step {
        var key: Substring
        /// Name in brackets behind it.
        var element: Substring?
    }

    /// - Parameter path: That `--set` has taken.
    private static func steps(of path: String) -> [Step] {
        path.split(separator: ".").map { part in
            guard let bracket = part.firstIndex(of: "["), part.last == "]" else { return Step(key: part) }
            return Step(key: part[..<bracket], element: part[part.index(after: bracket)...].dropLast())
        }
    }

    private func guesses(_ path: [Step], _ value: String) -> [String] {
        var node = file.root
        var rest = path[...]
        while let step = rest.first {
            guard let mapping = node.mapping, let found = mapping[String(step.key)] else {
                return value.isEmpty ? [] : inserted(Array(rest), value, in: node)
            }
            node = found
            if let element = step.element {
                guard let list = found.sequence,
                    let index = list.indices.first(where: {
                        (list[$0].mapping?["name"]?.scalar?.string ?? "\($0)") == element
                    }) ?? Int(element).flatMap({ list.indices.contains($0) ? $0 : nil })
                else { return [] }
                node = list[index]
            }
            rest = rest.dropFirst()
        }
        guard let start = place(of: node) else { return [] }
        return value.isEmpty ? removed(start) : replaced(start, value)
    }

    private func place(of node: Node) -> String.Index? {
        guard let mark = node.mark else { return nil }
        return index(line: mark.line, column: mark.column)
    }

    /// - Parameters:
    ///   - line: From 1, as `column`, which counts scalars.
    private func index(line: Int, column: Int) -> String.Index? {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        guard lines.indices.contains(line - 1) else { return nil }
        let scalars = lines[line - 1].unicodeScalars
        return scalars.index(scalars.startIndex, offsetBy: column - 1, limitedBy: scalars.endIndex)
    }

    /// Ends that a value may have on its line: at a comment, at the next element, at the end; and where it closes.
    private func ends(_ start: String.Index) -> [String.Index] {
        let line = text[start...].prefix { $0 != "\n" }
        var ends = line.indices.filter { ",}]".contains(line[$0]) }
        ends += ends.map { line.index(after: $0) }
        if let comment = line.firstRange(of: " #")?.lowerBound { ends.append(comment) }
        if let quote = line.first, "'\"".contains(quote),
            let close = line.dropFirst().firstIndex(of: quote)
        {
            ends.append(line.index(after: close))
        }
        ends.append(line.endIndex)
        return ends.map { end in
            var end = end
            while end > start, text[text.index(before: end)] == " " { end = text.index(before: end) }
            return end
        }
    }

    private func replaced(_ start: String.Index, _ value: String) -> [String] {
        ends(start).map { text[..<start] + value + text[$0...] }.map(String.init)
    }

    /// Without the key's line, without the key in a line of several, or with no value.
    private func removed(_ start: String.Index) -> [String] {
        let line = text[..<start].lastIndex(of: "\n").map { text.index(after: $0) } ?? text.startIndex
        var guesses: [String] = []
        if let end = text[start...].firstIndex(of: "\n") {
            guesses.append(String(text[..<line] + text[text.index(after: end)...]))
        }
        let key = text[line..<start].lastIndex { ",{".contains($0) }
        for end in ends(start) {
            if let key {
                let after = text.index(after: key)
                guesses.append(String(text[..<key] + text[end...]))
                guesses.append(String(text[..<after] + text[end...].drop { $0 == "," }))
            }
            guesses.append(String(text[..<start] + "null" + text[end...]))
        }
        return guesses
    }

    /// - Parameters:
    ///   - steps: Keys that do not exist yet.
    ///   - node: The group that they belong into.
    private func inserted(_ steps: [Step], _ value: String, in node: Node) -> [String] {
        guard steps.allSatisfy({ $0.element == nil }), let first = steps.first else { return [] }
        let inner = steps.dropFirst().reversed().reduce(value) { "{ \($1.key): \($0) }" }
        let entry = "\(first.key): \(inner)"
        guard let mapping = node.mapping, let start = place(of: node) else { return [] }
        // Braces: at the beginning and at the end.
        if text[start] == "{" {
            let after = text.index(after: start)
            let isEmpty = mapping.isEmpty
            return [String(text[..<after] + " \(entry)" + (isEmpty ? " " : ",") + text[after...])]
        }
        // Lines: behind the last key whose value is on its line, else before the first key.
        let indent = String(repeating: " ", count: (node.mark?.column ?? 1) - 1)
        var guesses: [String] = []
        for pair in mapping.reversed() {
            guard let place = place(of: pair.value) else { continue }
            let end = text[place...].firstIndex(of: "\n")
            guesses.append(
                String(text[..<(end ?? text.endIndex)]) + "\n\(indent)\(entry)"
                    + String(text[(end ?? text.endIndex)...]))
        }
        let separator = text.hasSuffix("\n") || text.isEmpty ? "" : "\n"
        guesses.insert(text + separator + indent + entry + "\n", at: 0)
        return guesses
    }
}
