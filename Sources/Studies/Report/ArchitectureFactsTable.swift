import Scenarios

/// The tables of facts about architectures in the article "Architectures", as lines of Markdown.
package enum ArchitectureFactsTable: String, CaseIterable {
    /// Sight of a mechanism, its browsers and places, and whether people are told.
    case sight
    /// Needs, by the names that `alternatives --have` knows.
    case needs

    package var markdown: [String] {
        let rows = ArchitectureChoice.allCases.map { ["`\($0.rawValue)`"] + cells($0.facts) }
        let heading = ["`architecture`"] + headings
        return ([heading, heading.map { _ in "---" }] + rows).map {
            "| " + $0.joined(separator: " | ") + " |"
        }
    }

    private var headings: [String] {
        switch self {
        case .sight: ["sees", "browsers", "where", "block page"]
        case .needs: ["needs (`--have`)", "note"]
        }
    }

    private func cells(_ facts: ArchitectureFacts) -> [String] {
        switch self {
        case .sight:
            [
                ArchitectureWords.words(facts.sees.value), ArchitectureWords.words(facts.browsers.value),
                ArchitectureWords.platforms(facts) + (facts.isEverywhere.value ? "" : "; not at home"),
                ArchitectureWords.words(facts.blockPage.value),
            ]
        case .needs:
            [
                facts.isYardstick
                    ? "not to be had" : ArchitectureWords.ways(facts) { "`\($0.rawValue)`" } ?? "a profile",
                facts.remark ?? "",
            ]
        }
    }
}
