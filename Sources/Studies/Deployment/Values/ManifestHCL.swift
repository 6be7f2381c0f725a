/// Values in the notation of OpenTofu and Terraform.
package enum ManifestHCL {
    /// Attributes of a file of variables, in their order.
    ///
    /// - Parameter comment: A line each, at the head.
    package static func render(_ fields: [ManifestValue.Field], comment: [String]) -> String {
        comment.map { "# " + ManifestYAML.commentLine($0) + "\n" }.joined()
            + fields.map { "\n\($0.key) = \(text($0.value, depth: 0))\n" }.joined()
    }

    private static func text(_ value: ManifestValue, depth: Int) -> String {
        let inside = String(repeating: "  ", count: depth + 1)
        let outside = String(repeating: "  ", count: depth)
        switch value {
        case .text(let text): return quoted(text)
        case .integer(let integer): return "\(integer)"
        case .number(let number): return "\(number)"
        case .flag(let flag): return "\(flag)"
        case .list(let list):
            return "[" + list.map { text($0, depth: depth) }.joined(separator: ", ") + "]"
        case .fields(let fields):
            let lines = fields.map { "\(inside)\(key($0.key)) = \(text($0.value, depth: depth + 1))\n" }
            return "{\n" + lines.joined() + outside + "}"
        }
    }

    private static func key(_ text: String) -> String {
        text.wholeMatch(of: /[a-z_][a-z0-9_]*/) != nil ? text : quoted(text)
    }

    /// A string literal: what begins a template is doubled, so that it is none.
    static func quoted(_ text: String) -> String {
        var quoted = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": quoted += "\\\""
            case "\\": quoted += "\\\\"
            case "\n": quoted += "\\n"
            case "\r": quoted += "\\r"
            case "\t": quoted += "\\t"
            case _ where scalar.value < 0x20 || scalar.value == 0x7F:
                let digits = String(scalar.value, radix: 16)
                quoted += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: quoted.unicodeScalars.append(scalar)
            }
        }
        return quoted.replacing("${", with: "$${").replacing("%{", with: "%%{") + "\""
    }
}
