import Experiment
package import Questions

/// The architectures side by side as one HTML file, one figure for each criterion.
package struct AlternativesPage {
    private let result: AlternativesResult

    /// - Parameter arguments: Of the command, to do it again.
    /// - Returns: HTML that is well-formed XML, too, and refers to nothing outside itself.
    package static func render(_ result: AlternativesResult, arguments: [String]) -> String {
        let page = AlternativesPage(result: result)
        let frame = PageFrame(
            title: "\(result.scenario.name): which architecture?",
            facts: AlternativesText.conditions(result))
        return frame.page { body in
            Tile.write(page.tiles, to: &body)
            PageFrame.writeContents(["Answer", "Side by side", "Method"], to: &body)
            PageFrame.writeSection("Answer", to: &body) { section in
                PageFrame.writeList(AlternativesText.verdict(result), style: "answers", to: &section)
            }
            PageFrame.writeSection("Side by side", to: &body) { section in
                for figure in AlternativesFigures(result: result).figures { figure.write(to: &section) }
            }
            PageFrame.writeSection("Method", to: &body) { section in
                PageFrame.writeList(AlternativesText.notes(result), to: &section)
                MethodSection.write(command: arguments, to: &section)
            }
        }
    }

    private var tiles: [Tile] {
        let judged = result.rows.filter { $0.verdict != .notJudged }
        guard !judged.isEmpty else {
            return [Tile(value: "–", words: "the scenario states no objectives", style: "open")]
        }
        let met = result.names(.meetsAll)
        let quiet = result.rows.filter { $0.verdict == .meetsAll && $0.readWithAddress == nil }
        return [
            Tile(
                value: "\(met.count) of \(judged.count)", words: "architectures meet all objectives",
                style: met.isEmpty ? "fail" : "pass"),
            Tile(
                value: "\(quiet.count)",
                words: "of them tell nobody who knows the address what is loaded"),
        ]
    }
}
