import Decoding
import Experiment
import Foundation

/// Numbers as a reader of the terminal wants them.
package enum Format {
    /// One line for objectives that did not pass; `nil` if all did.
    ///
    /// - Parameter name: What they are called, in the plural.
    static func failure(of objectives: [ObjectiveResult], _ name: String) -> String? {
        let missed = objectives.count { $0.verdict == .fail }
        let open = objectives.count { $0.verdict == .cannotTell }
        guard missed + open > 0 else { return nil }
        let parts = [(missed, "missed"), (open, "cannot be told")].filter { $0.0 > 0 }.map {
            "\($0.0) of \(objectives.count) \(name) \($0.1)"
        }
        return (missed > 0 ? "FAIL: " : "CANNOT TELL: ") + parts.joined(separator: ", ")
    }

    /// What stands behind a verdict: in how many replications it holds, and what an open one lacks.
    static func basis(of objective: ObjectiveResult) -> String { met(objective) + lack(of: objective) }

    /// In how many replications an objective holds; empty where that is not known.
    static func met(_ objective: ObjectiveResult) -> String {
        objective.met.map { ", met in \(count($0.count)) of \(count($0.of, "replication"))" } ?? ""
    }

    /// What an open verdict lacks, to be put behind it; empty for another.
    static func lack(of objective: ObjectiveResult) -> String {
        guard objective.verdict == .cannotTell else { return "" }
        if let more = objective.moreReplications {
            return ", about \(count(more, "more replication"))"
        }
        return objective.observed == nil
            ? ", more load or time" : ", more replications do not settle it"
    }

    /// The last word of a setting's path, where a table has no room for the whole.
    static func lastWord(ofPath path: String) -> String {
        path.split(separator: ".").last.map(String.init) ?? path
    }

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
    static func busy(_ value: Double) -> String { value > 0 && value < 0.001 ? "under 0.1 %" : share(value) }

    /// A share that somebody chose, without digits that say nothing: `95 %`.
    package static func percent(_ value: Double) -> String { plain(value * 100) + " %" }

    /// Milliseconds, without the unit.
    package static func milliseconds(_ seconds: Double) -> String { number(seconds * 1000) }

    package static func duration(_ seconds: Double) -> String {
        switch seconds {
        case 86_400...: number(seconds / 86_400) + " d"
        case 3600...: number(seconds / 3600) + " h"
        case 60...: number(seconds / 60) + " min"
        case 1...: number(seconds) + " s"
        case 1e-3...: number(seconds * 1e3) + " ms"
        case 0: "0 s"
        default: number(seconds * 1e6) + " us"
        }
    }

    /// - Parameter seconds: At the begin of a run, that no figure counts.
    static func warmUp(_ seconds: Double) -> String {
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

    /// Breaks at spaces so that no line is longer than `width`; lines after the first are indented.
    package static func wrapped(_ text: String, indent: String = "  ", width: Int = 100) -> [String] {
        var lines: [String] = []
        for word in text.split(separator: " ", omittingEmptySubsequences: false) {
            guard let last = lines.last else {
                lines = [String(word)]
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

    static func withoutBlanksAtEnd(_ line: String) -> String {
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
