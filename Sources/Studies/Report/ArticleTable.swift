import Wording

/// A table of an article: cells are wrapped inside their columns, so that it fits the terminal.
struct ArticleTable {
    private static let gap = 2
    /// Narrower columns are of no use.
    private static let leastWidth = 12
    /// An empty row stands for the rule below the heads.
    private let rows: [[String]]

    init(_ rows: [[String]]) { self.rows = rows }

    func lines(width: Int) -> [String] {
        let widths = columnWidths(in: width)
        return rows.flatMap { row -> [String] in
            guard !row.isEmpty else {
                return [widths.map { String(repeating: "-", count: $0) }.joined(separator: "  ")]
            }
            let cells = zip(row, widths).map { Self.wrapped($0, to: $1) }
            return (0..<(cells.map(\.count).max() ?? 0)).map { number in
                var line = zip(cells, widths).map { Format.left(number < $0.count ? $0[number] : "", $1) }
                    .joined(separator: "  ")
                while line.last == " " { line.removeLast() }
                return line
            }
        }
    }

    /// Widths of the longest cells, and the widest ones narrower until all fit.
    private func columnWidths(in width: Int) -> [Int] {
        let count = rows.map(\.count).max() ?? 0
        var widths = (0..<count).map { column in
            rows.map { column < $0.count ? $0[column].count : 0 }.max() ?? 0
        }
        var excess = widths.reduce(0, +) + Self.gap * (count - 1) - width
        while excess > 0, let widest = widths.indices.max(by: { widths[$0] < widths[$1] }),
            widths[widest] > Self.leastWidth
        {
            widths[widest] -= 1
            excess -= 1
        }
        return widths
    }

    private static func wrapped(_ text: String, to width: Int) -> [String] {
        Format.wrapped(text, indent: "", width: width).flatMap { line -> [String] in
            // A word longer than its column goes on in the next line.
            var (parts, rest): ([String], Substring) = ([], line[...])
            while rest.count > width {
                parts.append(String(rest.prefix(width)))
                rest = rest.dropFirst(width)
            }
            return parts + [String(rest)]
        }
    }
}
