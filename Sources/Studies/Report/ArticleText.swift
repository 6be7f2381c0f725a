import Wording

/// An article of the documentation as text for a terminal: the Markdown that our articles use, and no more.
///
/// Headings are underlined, paragraphs and lists wrapped, code stays as it is, and cells of tables are wrapped inside
/// their columns. There are no colours and no control characters, so nothing has to be switched off for `NO_COLOR`.
package enum ArticleText {
    /// - Parameter width: Columns of the terminal; code is not broken, whatever it says.
    package static func render(_ markdown: String, width: Int) -> String {
        var renderer = ArticleRenderer(width: max(width, 40))
        for line in markdown.split(separator: "\n", omittingEmptySubsequences: false) { renderer.take(line) }
        return renderer.finish()
    }

    /// The paragraph below the title.
    package static func abstract(of markdown: String) -> String {
        let lines = markdown.split(separator: "\n", omittingEmptySubsequences: false).dropFirst()
            .drop(while: \.isEmpty).prefix { !$0.isEmpty }
        return plain(lines.joined(separator: " "))
    }

    /// Without the marks of code, emphasis and links.
    static func plain(_ text: String) -> String {
        var parts: [String] = []
        for (place, part) in text.split(separator: "`", omittingEmptySubsequences: false).enumerated() {
            if place.isMultiple(of: 2) {
                parts.append(
                    String(part).replacing(/\*\*/, with: "").replacing(/\*(\S[^*]*?)\*/) { $0.output.1 }
                        .replacing(/\[([^\]]*)\]\([^)]*\)/) { $0.output.1 })
            } else {
                parts.append(String(part))
            }
        }
        return parts.joined(separator: "")
    }
}

/// Collects lines to blocks, and writes each when it ends.
private struct ArticleRenderer {
    let width: Int
    private var lines: [String] = []
    /// Text of the paragraph or list item that is being read.
    private var text = ""
    private var indent = ""
    private var rows: [[String]] = []
    private var isCode = false

    init(width: Int) { self.width = width }

    mutating func take(_ line: Substring) {
        if line.hasPrefix("```") {
            endBlock()
            isCode.toggle()
        } else if isCode {
            lines.append(line.isEmpty ? "" : "    " + line)
        } else if line.hasPrefix("<!--") {
            return
        } else if line.hasPrefix("|") {
            endParagraph()
            takeRow(line)
        } else if line.allSatisfy(\.isWhitespace) {
            endBlock()
            if lines.last?.isEmpty == false { lines.append("") }
        } else if line.hasPrefix("#") {
            endBlock()
            let title = ArticleText.plain(String(line.drop { $0 == "#" })).trimmingPrefix(" ")
            lines.append(String(title))
            if !line.hasPrefix("###") {
                lines.append(String(repeating: line.hasPrefix("##") ? "-" : "=", count: title.count))
            }
        } else if let mark = line.prefixMatch(of: #/([*-]|\d+\.) /#) {
            endBlock()
            indent = String(repeating: " ", count: mark.output.0.count)
            text = (mark.output.1 == "-" ? "*" : String(mark.output.1)) + " "
            append(line.dropFirst(mark.output.0.count))
        } else {
            append(line.drop { $0 == " " })
        }
    }

    mutating func finish() -> String {
        endBlock()
        while lines.last?.isEmpty == true { lines.removeLast() }
        return lines.joined(separator: "\n") + "\n"
    }

    private mutating func append(_ part: Substring) {
        text += (text.isEmpty || text.hasSuffix(" ") ? "" : " ") + part
    }

    private mutating func takeRow(_ line: Substring) {
        let cells = line.split(separator: "|", omittingEmptySubsequences: false).dropFirst().dropLast()
            .map { ArticleText.plain(String($0.drop { $0 == " " })).trimmingSuffix { $0 == " " } }
        let isRule = cells.allSatisfy { $0.count >= 3 && $0.allSatisfy { "-:".contains($0) } }
        rows.append(isRule ? [] : cells)
    }

    private mutating func endBlock() {
        endParagraph()
        guard !rows.isEmpty else { return }
        lines += ArticleTable(rows).lines(width: width)
        rows = []
    }

    private mutating func endParagraph() {
        guard !text.isEmpty else { return }
        lines += Format.wrapped(ArticleText.plain(text), indent: indent, width: width)
        (text, indent) = ("", "")
    }
}

extension StringProtocol {
    fileprivate func trimmingSuffix(while isDropped: (Character) -> Bool) -> String {
        var rest = self[...]
        while let last = rest.last, isDropped(last) { rest.removeLast() }
        return String(rest)
    }
}
