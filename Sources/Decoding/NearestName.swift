/// The known name that a misspelt one probably means.
package enum NearestName {
    private static let longestName = 80

    /// - Returns: `nil` if no name is near: a quarter of the characters may differ, and two of a short name.
    package static func of(_ name: String, among names: some Sequence<String>) -> String? {
        let candidates = names.map { (distance: distance(name, $0), name: $0) }
        guard let best = candidates.min(by: { ($0.distance, $0.name) < ($1.distance, $1.name) }),
            best.distance <= max(2, min(name.count, best.name.count) / 4),
            best.distance < min(name.count, best.name.count)
        else { return nil }
        return best.name
    }

    /// Insertions, removals and replacements of characters without regard to case (Levenshtein, 1966).
    private static func distance(_ first: String, _ second: String) -> Int {
        let first = Array(first.lowercased().prefix(longestName))
        let second = Array(second.lowercased().prefix(longestName))
        var row = Array(0...second.count)
        for (number, character) in first.enumerated() {
            var diagonal = row[0]
            row[0] = number + 1
            for index in second.indices {
                let replaced = diagonal + (second[index] == character ? 0 : 1)
                diagonal = row[index + 1]
                row[index + 1] = min(replaced, row[index] + 1, diagonal + 1)
            }
        }
        return row[second.count]
    }
}
