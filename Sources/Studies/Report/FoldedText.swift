import Wording

/// Results are laid out for a hundred columns. A narrower terminal would break their lines anywhere.
package enum FoldedText {
    /// Breaks longer lines at spaces; what follows begins below the second column of the line, if it has one near.
    ///
    /// JSON stays as it is: somebody may copy it.
    package static func render(_ text: String, width: Int) -> String {
        guard let first = text.first, !"{[".contains(first) else { return text }
        return unbroken(text.split(separator: "\n", omittingEmptySubsequences: false), width: width)
            .map { folded($0, width: max(width, 20)) }.joined(separator: "\n")
    }

    /// Joins what ``Format/wrapped(_:indent:width:)`` broke at ``Format/columns``, for a terminal that would break both
    /// pieces anew.
    private static func unbroken(_ lines: [Substring], width: Int) -> [Substring] {
        guard width < Format.columns else { return lines }
        var joined: [Substring] = []
        // The last line, and where the first of those that it was joined to begins.
        var before: (indent: Int, line: Substring) = (0, "")
        for line in lines {
            let blanks = line.prefix { $0 == " " }.count
            if let last = joined.last, goesOn(before.line, line, by: blanks - before.indent) {
                joined[joined.count - 1] = last + " " + line.dropFirst(blanks)
                before.line = line
            } else {
                joined.append(line)
                before = (blanks, line)
            }
        }
        return joined
    }

    /// Whether a line goes on with a sentence for whose next word the line before had no room. Rows of tables have
    /// none.
    ///
    /// - Parameter indent: Of the line, beyond that of the first line of the sentence.
    private static func goesOn(_ before: Substring, _ line: Substring, by indent: Int) -> Bool {
        let word = Format.words(line.drop { $0 == " " }).first ?? ""
        let content = before.drop { $0 == " " }
        return !word.isEmpty && before.count + 1 + word.count > Format.columns
            && before.count <= Format.columns && !content.contains("  ")
            && (2...6 ~= indent || indent == 0 && !".:;".contains(before.last ?? "."))
    }

    private static func folded(_ line: Substring, width: Int) -> String {
        guard line.count > width else { return String(line) }
        let margin = String(repeating: " ", count: indent(of: line, below: width * 2 / 3))
        var (rows, rest): ([String], Substring) = ([], line)
        while rest.count > width {
            let end = lastBreak(of: rest, width: width) ?? rest.startIndex
            let row = rest[..<end]
            guard row.contains(where: { $0 != " " }) else {
                // Headings far to the right begin at the margin; a word that is longer is left to the terminal.
                let nearer = Substring(margin + rest.drop { $0 == " " })
                guard nearer.count < rest.count else { break }
                rest = nearer
                continue
            }
            rows.append(String(row))
            rest = Substring(margin + rest[end...].drop { $0 == " " })
        }
        return (rows + [String(rest)]).joined(separator: "\n")
    }

    /// The last blank that a line may end before, as ``Format/words(_:)`` has it.
    private static func lastBreak(of line: Substring, width: Int) -> Substring.Index? {
        line.prefix(width + 1).indices.last {
            line[$0] == " " && !Format.staysTogether(line[..<$0], line[line.index(after: $0)...])
        }
    }

    /// Begin of the second column, or two places behind the first.
    private static func indent(of line: Substring, below limit: Int) -> Int {
        let begin = line.prefix { $0 == " " }.count
        let column = line.dropFirst(begin).firstRange(of: #/\S {2,}/#).map {
            line.distance(from: line.startIndex, to: $0.upperBound)
        }
        return column.flatMap { $0 < limit ? $0 : nil } ?? min(begin + 2, limit)
    }
}
