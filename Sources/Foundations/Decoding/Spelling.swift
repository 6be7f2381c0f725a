/// Which word somebody may have meant.
package enum Spelling {
    /// Characters of a word that is compared: a longer one is no slip, and comparing costs their product.
    private static let longestWord = 64
    private static let longestName = 80

    /// Letters from which a word that is part of a name points to it.
    private static let shortestPart = 4

    /// The candidate that differs by the fewest edits, if it is close enough to be a typing slip; else one that the
    /// word is a part of, or the other way round: `failClosed` means `shouldFailClosed`.
    package static func closest(to word: String, among candidates: [String]) -> String? {
        guard word.count <= longestWord, let best = ranked(word, candidates).first else { return nil }
        return best.edits <= max(2, word.count / 3)
            ? best.name : ranked(word, candidates.filter { isPart(word, $0) }).first?.name
    }

    /// The candidates that differ by the fewest edits, the nearest first; before them those that have the word in them.
    package static func nearest(_ count: Int, to word: String, among candidates: [String]) -> [String] {
        guard word.count <= longestWord else { return [] }
        let parts = ranked(word, candidates.filter { isPart(word, $0) })
        let others = ranked(word, candidates.filter { !isPart(word, $0) })
        return (parts + others).prefix(count).map(\.name)
    }

    private static func isPart(_ word: String, _ name: String) -> Bool {
        let (word, name) = (word.lowercased(), name.lowercased())
        return min(word.count, name.count) >= shortestPart && (name.contains(word) || word.contains(name))
    }

    /// The name that a misspelt one of somebody else's format probably means: a quarter of the characters may differ,
    /// and two of a short name, but not all of one.
    package static func meant(by name: String, among names: some Sequence<String>) -> String? {
        guard let best = ranked(String(name.prefix(longestName)), names).first else { return nil }
        let shorter = min(name.count, best.name.count)
        return best.edits <= max(2, shorter / 4) && best.edits < shorter ? best.name : nil
    }

    private static func ranked(
        _ word: String, _ candidates: some Sequence<String>
    ) -> [(name: String, edits: Int)] {
        candidates.map { (name: $0, edits: editDistance(word, $0)) }
            .sorted { ($0.edits, $0.name) < ($1.edits, $1.name) }
    }

    /// Insertions, removals and replacements of characters without regard to case (Levenshtein, 1966).
    private static func editDistance(_ left: String, _ right: String) -> Int {
        let right = Array(right.lowercased())
        var row = Array(0...right.count)
        for (i, a) in left.lowercased().enumerated() {
            var diagonal = row[0]
            row[0] = i + 1
            for (j, b) in right.enumerated() {
                let above = row[j + 1]
                row[j + 1] = min(row[j] + 1, above + 1, diagonal + (a == b ? 0 : 1))
                diagonal = above
            }
        }
        return row[right.count]
    }
}
