extension Document {
    /// Markdown as issues and mails take it, with tables between bars.
    ///
    /// - Parameter level: ``Level/brief`` or ``Level/full``.
    /// - Returns: Text that ends with a newline.
    package func markdown(_ level: Level) -> String {
        var parts = ["# " + Self.escaped(title)]
        if !facts.isEmpty { parts.append(Self.escaped(facts.joined(separator: " · "))) }
        for section in sections {
            let found = section.blocks.filter { $0.level.contains(level) }.flatMap { $0.markdown(level) }
            guard !found.isEmpty else { continue }
            if !section.title.isEmpty { parts.append("## " + Self.escaped(section.title)) }
            parts += found
        }
        return parts.joined(separator: "\n\n") + "\n"
    }

    /// Characters that mean something to a reader of Markdown or HTML.
    private static let special = Set("\\`*_{}[]<>#|~&")

    /// Text on one line that means only itself.
    fileprivate static func escaped(_ text: String) -> String {
        var result = ""
        for character in text {
            if character.isNewline {
                result += " "
            } else {
                if special.contains(character) { result += "\\" }
                result.append(character)
            }
        }
        return result
    }

    /// The same as an item, which must not begin another list.
    fileprivate static func item(_ text: String) -> String {
        let text = escaped(text)
        return "- " + (text.first.map("-+=".contains) == true ? "\\" : "") + text
    }
}

extension Document.Block {
    fileprivate func markdown(_ level: Document.Level) -> [String] {
        switch content {
        case .verdict(let sentence, _): ["**\(Document.escaped(sentence))**"]
        case .sentences(let sentences, _): [sentences.map(Document.item).joined(separator: "\n")]
        case .warnings(let sentences, _):
            [sentences.map { "- **Warning:** " + Document.escaped($0) }.joined(separator: "\n")]
        case .table(let table): table.markdown(level)
        case .facts(let facts): facts.table.markdown(level)
        case .figure, .gap: []
        }
    }
}

extension Table {
    fileprivate func markdown(_ level: Document.Level) -> [String] {
        func line(_ cells: [String]) -> String {
            "| " + cells.map(Document.escaped).joined(separator: " | ") + " |"
        }
        let columns = columnIndices(at: level)
        let rule = columns.map { $0 == columns[0] || self.columns[$0].isWords ? "---" : "---:" }
        let cells = rowIndices(at: level).map { row in
            line(columns.map { rows[row][$0].text(isChosen: row == chosen && $0 == columns[0]) })
        }
        let lines =
            [
                line(columns.map { Self.plainHead(self.columns[$0].head) }),
                "| \(rule.joined(separator: " | ")) |",
            ]
            + cells
        let isCut = rowIndices(at: level).count < rows.count && !rest.isEmpty
        return (title.isEmpty ? [] : ["**\(Document.escaped(title))**"]) + [lines.joined(separator: "\n")]
            + (isCut ? [Document.escaped(rest)] : [])
            + (captionLevel.contains(level) && !caption.isEmpty ? [Document.escaped(caption)] : [])
    }
}

extension Table.Cell {
    /// The text with the mark of the row that is the answer.
    func text(isChosen: Bool) -> String { (isChosen ? "✓ " : "") + text }
}
