import Foundation

/// A spreadsheet program as far as the sheets of this program need one: cells of a CSV file, of which some are formulas.
struct SheetCalculator {
    /// By line and column, from 0.
    let cells: [[String]]

    init(_ csv: String) {
        cells = csv.split(separator: "\r\n", omittingEmptySubsequences: false).map { line in
            var fields = [""]
            var isQuoted = false
            for character in line {
                switch character {
                case "\"": isQuoted.toggle()
                case "," where !isQuoted: fields.append("")
                default: fields[fields.count - 1].append(character)
                }
            }
            return fields
        }
    }

    /// The number of a cell such as `$B$4`; `nil` for words and what cannot be calculated.
    func value(_ name: some StringProtocol) -> Double? {
        let plain = String(name).filter { $0 != "$" }
        guard let letter = plain.utf8.first, let line = Int(plain.dropFirst()), line >= 1, line <= cells.count
        else { return nil }
        let column = Int(letter) - Int(UInt8(ascii: "A"))
        guard cells[line - 1].indices.contains(column) else { return nil }
        let text = cells[line - 1][column]
        guard text.hasPrefix("=") else { return Double(text) }
        var rest = Substring(text.dropFirst())
        guard let found = sum(&rest), rest.isEmpty else { return nil }
        return found
    }

    private func sum(_ text: inout Substring) -> Double? {
        guard var result = product(&text) else { return nil }
        while let sign = text.first, "+-".contains(sign) {
            text.removeFirst()
            guard let next = product(&text) else { return nil }
            result += sign == "+" ? next : -next
        }
        return result
    }

    private func product(_ text: inout Substring) -> Double? {
        guard var result = power(&text) else { return nil }
        while let sign = text.first, "*/".contains(sign) {
            text.removeFirst()
            guard let next = power(&text) else { return nil }
            result = sign == "*" ? result * next : result / next
        }
        return result
    }

    private func power(_ text: inout Substring) -> Double? {
        guard let base = atom(&text) else { return nil }
        guard text.first == "^" else { return base }
        text.removeFirst()
        return atom(&text).map { pow(base, $0) }
    }

    private func atom(_ text: inout Substring) -> Double? {
        if text.first == "(" {
            text.removeFirst()
            let inside = sum(&text)
            guard text.first == ")" else { return nil }
            text.removeFirst()
            return inside
        }
        if let match = text.prefixMatch(of: #/([A-Z]{2,})\(([^)]*)\)/#) {
            text = text[match.range.upperBound...]
            return function(String(match.output.1), match.output.2.split(separator: ",").map(String.init))
        }
        if let match = text.prefixMatch(of: #/\$?[A-Z]\$?[0-9]+/#) {
            text = text[match.range.upperBound...]
            return value(match.output)
        }
        guard let match = text.prefixMatch(of: #/[0-9.]+(e[-+]?[0-9]+)?/#) else { return nil }
        text = text[match.range.upperBound...]
        return Double(match.output.0)
    }

    private func function(_ name: String, _ arguments: [String]) -> Double? {
        let ranges = arguments.map(values)
        switch name {
        case "SUM": return ranges[0].reduce(0, +)
        case "AVERAGE": return ranges[0].reduce(0, +) / Double(ranges[0].count)
        case "SUMIF": return zip(ranges[0], ranges[2]).reduce(0) { $0 + ($1.0 == ranges[1][0] ? $1.1 : 0) }
        default: return nil
        }
    }

    /// Cells from one corner to the other, or one cell.
    private func values(_ range: String) -> [Double] {
        let corners = range.filter { $0 != "$" }.split(separator: ":")
        guard let first = corners.first, let last = corners.last, let left = first.utf8.first,
            let right = last.utf8.first, let from = Int(first.dropFirst()), let to = Int(last.dropFirst()),
            from <= to, left <= right
        else { return [] }
        return (from...to).flatMap { line in
            (left...right).map { value("\(UnicodeScalar($0))\(line)") ?? .nan }
        }
    }

    /// Line of the first cell with these words, as a spreadsheet counts.
    func line(_ words: String) -> Int? { cells.firstIndex { $0[0] == words }.map { $0 + 1 } }
}
