import Experiment
package import ListAnalysis
import URLFilter
import Wording
import Workload

/// The terminal form of an ``Explanation``: strings first, then per generation the batch and the verdict.
package struct ExplainText {
    /// A lookup string and its place, from 1, under each generation that makes it.
    private struct Row {
        var string: Explanation.LookupString
        var places: [Int?]
    }

    private let explanation: Explanation
    private let showsAll: Bool
    private var lines: [String] = []

    /// - Parameter showsAll: Whether strings that neither hit nor are listed have a row too. They always have
    ///   one when nothing is known about hits.
    /// - Returns: Text that ends with a newline; about 80 columns but for long strings.
    package static func render(_ explanation: Explanation, showsAll: Bool) -> String {
        var text = ExplainText(explanation, showsAll: showsAll)
        text.addHeader()
        text.addStrings()
        text.addOutcomes()
        return text.lines.joined(separator: "\n") + "\n"
    }

    private init(_ explanation: Explanation, showsAll: Bool) {
        self.explanation = explanation
        self.showsAll = showsAll || explanation.prefilter == nil
    }

    private mutating func addHeader() {
        lines.append(Printable.text(Array(explanation.url.utf8)))
        if let readAs = explanation.readAs {
            lines.append("read as    \(readAs), as a browser sends it")
        }
        if let list = explanation.list {
            lines.append(
                "list       \(Format.count(list.entries, "entry")), keys \(list.keys), \(list.file)")
        }
        if let prefilter = explanation.prefilter {
            let shape =
                "bitCount \(prefilter.bitCount), hashCount \(prefilter.hashCount), "
                + "murmurSeed \(prefilter.murmurSeed)"
            lines.append("prefilter  \(shape)")
            let origin = prefilter.file ?? "built in memory from the list, as Apple's tool does at 0.001"
            lines.append("           \(origin)")
        }
        lines.append("")
    }

    private mutating func addStrings() {
        let rows = makeRows()
        let shown =
            showsAll ? rows : rows.filter { $0.string.hit == true || $0.string.listed == true }
        if !shown.isEmpty {
            lines.append(line(mark: "hit", listed: "listed", titles, "lookup string"))
            for row in shown {
                let places = row.places.map { $0.map { "#\($0)" } ?? "–" }
                var string = row.string.string
                if row.string.isFalseHit { string += "   false hit" }
                if row.string.isMissed { string += "   listed, but not in the prefilter" }
                lines.append(
                    line(
                        mark: row.string.hit == true ? "hit" : "–",
                        listed: row.string.listed.map { $0 ? "listed" : "–" } ?? "?", places, string))
            }
        }
        let hidden = rows.count - shown.count
        if hidden > 0 {
            let more = shown.isEmpty ? "" : " more"
            lines.append("  …\(hidden)\(more) without a hit (--all shows them)")
        }
        lines.append("")
    }

    private mutating func addOutcomes() {
        guard explanation.prefilter != nil else {
            for outcome in explanation.outcomes {
                lines.append(
                    "  \(Format.left(outcome.rules.title, 10))  \(outcome.lookupStrings.count) lookup strings"
                )
            }
            lines.append("give --list or --prefilter to see the hits and the verdict")
            return
        }
        lines.append("  rules       strings  queries  false hits  verdict")
        for outcome in explanation.outcomes {
            let falseHits = explanation.list == nil ? "?" : "\(outcome.falseHits.count)"
            lines.append(
                "  " + Format.left(outcome.rules.title, 10)
                    + Format.right("\(outcome.lookupStrings.count)", 9)
                    + Format.right("\(outcome.batch.count)", 9) + Format.right(falseHits, 12)
                    + "  " + verdict(of: outcome))
        }
        addReasons()
    }

    /// The entries that block, and those that fail to: once if all generations agree.
    private mutating func addReasons() {
        for outcome in explanation.outcomes {
            guard let entry = outcome.unmatchable else { continue }
            lines.append(
                "\(outcome.rules.title): NOT blocked by the entry '\(Printable.text(entry.utf8))', which cannot match"
            )
        }
        let blocked = explanation.outcomes.filter(\.blocks)
        guard let first = blocked.first else { return }
        let agree = explanation.outcomes.allSatisfy { $0.blocks && $0.because == first.because }
        for outcome in agree ? [first] : blocked {
            let scope = agree ? "" : "\(outcome.rules.title): "
            let noun = outcome.because.count == 1 ? "entry" : "entries"
            let entries = outcome.because.map { "'\($0)'" }.joined(separator: ", ")
            lines.append("\(scope)blocked because of the \(noun) \(entries)")
        }
    }

    private func verdict(of outcome: Explanation.Outcome) -> String {
        switch outcome.verdict.flatMap(Verdict.init(rawValue:)) {
        case .allowedByPrefilter: "allowed by prefilter"
        case .allowedByServer: "allowed by server"
        case .blockedByServer: "blocked by server"
        default: "up to the server; see --list"
        }
    }

    /// The union of all generations: the first one in its order, then what only later ones make.
    private func makeRows() -> [Row] {
        var rows: [Row] = []
        var positions: [String: Int] = [:]
        for (column, outcome) in explanation.outcomes.enumerated() {
            for (place, string) in outcome.lookupStrings.enumerated() {
                if positions[string.string] == nil {
                    positions[string.string] = rows.count
                    rows.append(
                        Row(string: string, places: Array(repeating: nil, count: explanation.outcomes.count)))
                }
                if let row = positions[string.string] { rows[row].places[column] = place + 1 }
            }
        }
        return rows
    }

    private var titles: [String] { explanation.outcomes.map(\.rules.title) }

    private func line(mark: String, listed: String, _ places: [String], _ string: String) -> String {
        var line = "  "
        if explanation.prefilter != nil { line += Format.left(mark, 5) + Format.left(listed, 8) }
        for (title, place) in zip(titles, places) { line += Format.right(place, max(title.count, 4)) + "  " }
        return line + string
    }
}
