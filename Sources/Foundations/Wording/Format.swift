import Decoding
import Foundation

/// Numbers as a reader of the terminal wants them.
package enum Format {
    /// `1234567` as `1 234 567`.
    package static func count(_ value: Int) -> String {
        let digits = String(value.magnitude)
        var groups: [String] = []
        var end = digits.endIndex
        while end > digits.startIndex {
            let start = digits.index(end, offsetBy: -3, limitedBy: digits.startIndex) ?? digits.startIndex
            groups.append(String(digits[start..<end]))
            end = start
        }
        return (value < 0 ? "-" : "") + groups.reversed().joined(separator: " ")
    }

    /// `1 entry`, `2 entries`, `3 days`, `1 500 lookups`.
    package static func count(_ value: Int, _ noun: String) -> String {
        let isEntry = noun.hasSuffix("y") && !["ay", "ey", "oy"].contains { noun.hasSuffix($0) }
        let plural = isEntry ? noun.dropLast() + "ies" : noun + "s"
        return "\(count(value)) \(value == 1 ? noun : plural)"
    }

    /// Smaller numbers are shown as such: what is below a billionth differs from 0 for a formula only.
    private static let smallest = 1e-9

    /// Three significant digits, without an exponent, which few people can read.
    package static func number(_ value: Double) -> String {
        guard value.isFinite else { return "–" }
        if value == 0 { return "0" }
        let magnitude = abs(value)
        if magnitude >= 1e15 { return value > 0 ? "over 10^15" : "below -10^15" }
        if magnitude >= 10_000 { return count(Int(saturating: value.rounded())) }
        if magnitude < smallest { return value > 0 ? "under 0.000000001" : "about 0" }
        // 9.996 becomes 10.0 and not 10.00.
        let decimals = max(0, 2 - Int(saturating: log10(magnitude * 1.0005).rounded(.down)))
        return String(format: "%.\(decimals)f", value)
    }

    package static func share(_ value: Double) -> String { number(value * 100) + " %" }

    /// A share of the time: digits of a server that does next to nothing mean nothing.
    package static func busy(_ value: Double) -> String {
        value > 0 && value < 0.001 ? "under 0.1 %" : share(value)
    }

    /// A share that somebody chose, without digits that say nothing: `95 %`.
    package static func percent(_ value: Double) -> String { plain(value * 100) + " %" }

    /// The shortest text of a round number, with k, M and G from five digits on: for the ticks of an axis.
    package static func plain(_ value: Double) -> String { plain(value, digits: 4) }

    package static func plain(_ value: Double, digits: Int) -> String {
        let scales = [(1e9, "G"), (1e6, "M"), (1e3, "k")]
        // What `%g` rounds to the next power of ten, it writes with an exponent.
        let exponent = pow(10, Double(digits)) - 0.5
        if abs(value) >= exponent, let (scale, suffix) = scales.first(where: { abs(value) >= $0.0 }) {
            return String(format: "%.\(digits)g", value / scale) + suffix
        }
        // `%g` would write an exponent from here on.
        guard abs(value) < 1e-4, value != 0 else { return String(format: "%.\(digits)g", value) }
        let decimals = digits - 1 - Int(saturating: log10(abs(value)).rounded(.down))
        let text = String(format: "%.\(min(decimals, 20))f", value)
        return String(text.reversed().drop { $0 == "0" }.drop { $0 == "." }.reversed())
    }

    /// Milliseconds, without the unit.
    package static func milliseconds(_ seconds: Double) -> String { number(seconds * 1000) }

    /// `3.7 to 55`: both ends of a range, or the one text that they have in common.
    package static func range(_ low: String, _ high: String) -> String {
        low == high ? low : "\(low) to \(high)"
    }

    package static func range<Value>(_ low: Value, _ high: Value, _ text: (Value) -> String) -> String {
        range(text(low), text(high))
    }

    package static func duration(_ seconds: Double) -> String {
        seconds == 0 ? "0 s" : TimeScale(ofTime: seconds).text(seconds)
    }

    /// A time that people wait, with its unit.
    package static func wait(_ seconds: Double) -> String { TimeScale(ofWait: seconds).text(seconds) }

    /// - Parameter seconds: At the begin of a run, that no figure counts.
    package static func warmUp(_ seconds: Double) -> String {
        seconds > 0 ? "\(duration(seconds)) warm-up" : "no warm-up"
    }

    package static func bytes(_ value: Double) -> String {
        switch value {
        case 1e9...: number(value / 1e9) + " GB"
        case 1e6...: number(value / 1e6) + " MB"
        case 1e4...: number(value / 1e3) + " kB"
        default: number(value) + " B"
        }
    }

    /// Columns of a text that knows of no terminal.
    package static let columns = 100

    /// Breaks at spaces so that no line is longer than `width`; lines after the first are indented.
    package static func wrapped(_ text: String, indent: String = "  ", width: Int = columns) -> [String] {
        var lines: [String] = []
        for word in words(text) {
            guard let last = lines.last else {
                lines = [word]
                continue
            }
            if last.count + 1 + word.count <= width {
                lines[lines.count - 1] = "\(last) \(word)"
            } else {
                lines.append(indent + word)
            }
        }
        return lines
    }

    /// Words that lines are made of: a number stays whole, and a percent sign with it.
    package static func words(_ text: some StringProtocol) -> [String] {
        text.split(separator: " ", omittingEmptySubsequences: false).reduce(into: []) { words, word in
            if let last = words.last, staysTogether(last, word) {
                words[words.count - 1] = "\(last) \(word)"
            } else {
                words.append(String(word))
            }
        }
    }

    /// Whether a blank between two words is no place for the end of a line: before a percent sign, and between the
    /// digits of a number.
    package static func staysTogether(_ before: some StringProtocol, _ word: some StringProtocol) -> Bool {
        if word.hasPrefix("%") { return !before.isEmpty }
        return (1...3).contains(before.reversed().prefix { $0.isWholeNumber }.count)
            && word.prefix { $0.isWholeNumber }.count == 3
    }

    /// Rows of cells in columns: the first aligned left, the others right, two spaces between them.
    package static func table(_ rows: [[String]]) -> [String] {
        let columns = rows.map(\.count).max() ?? 0
        let widths = (0..<columns).map { column in
            rows.map { column < $0.count ? $0[column].count : 0 }.max() ?? 0
        }
        return rows.map { row in
            row.enumerated().map { $0 == 0 ? left($1, widths[$0]) : right($1, widths[$0]) }
                .joined(separator: "  ")
        }
    }

    package static func withoutBlanksAtEnd(_ line: String) -> String {
        String(line.reversed().drop { $0 == " " }.reversed())
    }

    /// Pads to a width, counting characters and not bytes.
    package static func left(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
    }

    package static func right(_ text: String, _ width: Int) -> String {
        String(repeating: " ", count: max(0, width - text.count)) + text
    }
}
