import Wording

extension Document {
    /// - Parameters:
    ///   - level: ``Level/brief`` or ``Level/full``.
    ///   - width: Columns of the terminal. Sentences are broken here and nowhere else; only rows of tables may be
    ///     longer.
    /// - Returns: Text that ends with a newline.
    package func text(_ level: Level, width: Int = Format.columns) -> String {
        var lines = (level == .brief ? briefHeading ?? heading : heading).flatMap {
            Format.wrapped($0, width: width)
        }
        for block in sections.flatMap(\.blocks) where block.level.contains(level) {
            let next = block.lines(level, width: width)
            // One empty line is enough.
            lines += next.first == "" && lines.last == "" ? Array(next.dropFirst()) : next
        }
        if level == .brief, !more.isEmpty { lines += Format.wrapped(more, width: width) }
        return lines.joined(separator: "\n") + "\n"
    }
}

extension Document.Block {
    fileprivate func lines(_ level: Document.Level, width: Int) -> [String] {
        switch content {
        case .verdict(let sentence, _): Format.wrapped(sentence, width: width)
        case .sentences(let sentences, let margin):
            sentences.flatMap { margin.wrapped($0, width: width) }
        case .warnings(let sentences, let most):
            Self.lines(warnings: sentences, most: level == .brief ? most : nil, width: width)
        case .table(let table): table.lines(level, width: width)
        case .facts(let facts): facts.lines(width: width)
        case .figure: []
        case .gap: [""]
        }
    }

    private static func lines(warnings: [String], most: Int?, width: Int) -> [String] {
        var lines: [String] = []
        for (index, warning) in warnings.enumerated() {
            let next = Format.wrapped("! " + warning, width: width)
            // Where others follow, one line is theirs.
            let reserve = index < warnings.count - 1 ? 1 : 0
            if let most, lines.count + next.count + reserve > most {
                let noun = index == 0 ? "warning" : "more warning"
                return lines + ["! \(Format.count(warnings.count - index, noun))"]
            }
            lines += next
        }
        return lines
    }
}

extension Document.Margin {
    fileprivate func wrapped(_ sentence: String, width: Int) -> [String] {
        let margin = String(repeating: " ", count: first)
        return Format.wrapped(
            margin + sentence, indent: margin + String(repeating: " ", count: hang), width: width)
    }
}

extension Table {
    /// Columns that stand beside each other, below them those for which there is no room, and the notes.
    func lines(_ level: Document.Level, width: Int) -> [String] {
        let (texts, columns) = (texts(level), columnIndices(at: level))
        let widths = columns.indices.map { column in texts.map { $0[column].count }.max() ?? 0 }
        let tables = parts(widths, within: width).map { part in
            texts.map { row in
                Format.withoutBlanksAtEnd(
                    part.map { index in
                        index == 0 || self.columns[columns[index]].isWords
                            ? Format.left(row[index], widths[index])
                            : Format.right(row[index], widths[index])
                    }.joined(separator: "  "))
            }
        }
        let isCut = rowIndices(at: level).count < rows.count && !rest.isEmpty
        return (titleLevel.contains(level) ? ["", title] : []) + Array(tables.joined(separator: [""]))
            + (isCut ? ["  " + rest] : [])
            + (captionLevel.contains(level) && !caption.isEmpty
                ? Document.Margin().wrapped(caption, width: width) : [])
    }

    /// Head and rows as a terminal has them.
    private func texts(_ level: Document.Level) -> [[String]] {
        let columns = columnIndices(at: level)
        let margin = String(repeating: " ", count: indent)
        let heads = columns.map {
            self.columns[$0].head.split(separator: "\n", omittingEmptySubsequences: false)
        }
        let height = heads.map(\.count).max() ?? 1
        return (0..<height).map { line in
            heads.map { head in
                let place = line - height + head.count
                return place < 0 ? "" : String(head[place])
            }
        }
            + rowIndices(at: level).map { row in
                columns.enumerated().map { place, column in
                    let mark = place > 0 ? "" : row == chosen ? "→ " : margin
                    return mark + rows[row][column].text
                }
            }
    }

    private func parts(_ widths: [Int], within width: Int) -> [[Int]] {
        guard names > 0 else { return [Array(widths.indices)] }
        let first = Array(widths.indices.prefix(names))
        return widths.indices.dropFirst(names).reduce(into: [first]) { parts, column in
            let part = (parts.last ?? first) + [column]
            if part.reduce(2 * (part.count - 1), { $0 + widths[$1] }) <= width || parts.last == first {
                parts[parts.count - 1] = part
            } else {
                parts.append(first + [column])
            }
        }
    }
}
