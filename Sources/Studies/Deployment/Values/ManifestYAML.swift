package import Yams

/// A document of a YAML file, with the comment that stands before it.
package struct ManifestDocument: Equatable, Sendable {
    /// A line each; what would end one becomes a space.
    package var comment: [String]
    package var value: ManifestValue

    package init(_ value: ManifestValue, comment: [String] = []) {
        self.comment = comment
        self.value = value
    }
}

package enum ManifestYAML {
    package static func render(_ documents: [ManifestDocument]) throws -> String {
        try documents.map { document in
            let comment = document.comment.map { "# " + commentLine($0) + "\n" }.joined()
            return comment
                + (try Yams.serialize(node: document.value.node, width: -1, allowUnicode: true))
        }.joined(separator: "---\n")
    }

    /// A text that stays in its line, whatever it says.
    static func commentLine(_ text: String) -> String {
        String(
            String.UnicodeScalarView(
                text.unicodeScalars.map { scalar in
                    switch scalar.properties.generalCategory {
                    case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .surrogate,
                        .unassigned:
                        " "
                    default: scalar
                    }
                }))
    }
}

extension ManifestValue {
    package var node: Node {
        switch self {
        case .text(let text): Self.node(text)
        case .integer(let integer): Node("\(integer)", Tag(.int))
        case .number(let number): Node("\(number)", Tag(.float))
        case .flag(let flag): Node("\(flag)", Tag(.bool))
        case .list(let list): Node(list.map(\.node), Tag(.seq))
        case .fields(let fields):
            Node(fields.map { (Self.node($0.key), $0.value.node) }, Tag(.map))
        }
    }

    /// A text that no reader takes for a number, a flag or nothing: all but plain words are quoted.
    private static func node(_ text: String) -> Node {
        let words: Set<String> = ["true", "false", "yes", "no", "on", "off", "null", "y", "n"]
        let isPlain =
            text.wholeMatch(of: /[A-Za-z\/][A-Za-z0-9._\/-]*/) != nil && !words.contains(text.lowercased())
        return Node(text, Tag(.str), isPlain ? .plain : .doubleQuoted)
    }
}
