/// Results are laid out for a hundred columns. A narrower terminal would break their lines anywhere.
package enum FoldedText {
    /// Breaks longer lines at spaces; what follows begins below the second column of the line, if it has one near.
    ///
    /// JSON stays as it is: somebody may copy it.
    package static func render(_ text: String, width: Int) -> String {
        guard let first = text.first, !"{[".contains(first) else { return text }
        return text.split(separator: "\n", omittingEmptySubsequences: false)
            .map { folded($0, width: max(width, 20)) }.joined(separator: "\n")
    }

    private static func folded(_ line: Substring, width: Int) -> String {
        guard line.count > width else { return String(line) }
        let margin = String(repeating: " ", count: indent(of: line, below: width * 2 / 3))
        var (rows, rest): ([String], Substring) = ([], line)
        while rest.count > width {
            // A word that is longer than the terminal is left to it.
            let end = rest.prefix(width + 1).lastIndex(of: " ") ?? rest.startIndex
            let row = rest[..<end]
            guard row.contains(where: { $0 != " " }) else { break }
            rows.append(String(row))
            rest = Substring(margin + rest[end...].drop { $0 == " " })
        }
        return (rows + [String(rest)]).joined(separator: "\n")
    }

    /// Where the second column begins, or two places behind the first.
    private static func indent(of line: Substring, below limit: Int) -> Int {
        let begin = line.prefix { $0 == " " }.count
        let column = line.dropFirst(begin).firstRange(of: #/\S {2,}/#).map {
            line.distance(from: line.startIndex, to: $0.upperBound)
        }
        return column.flatMap { $0 < limit ? $0 : nil } ?? min(begin + 2, limit)
    }
}
