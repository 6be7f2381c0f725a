/// Which word somebody may have meant.
enum Spelling {
    /// The candidate that differs by the fewest edits, if it is close enough to be a typing slip.
    static func closest(to word: String, among candidates: [String]) -> String? {
        guard word.count <= 64 else { return nil }
        let ranked = candidates.map { ($0, editDistance(word.lowercased(), $0.lowercased())) }
        guard let best = ranked.min(by: { $0.1 < $1.1 }), best.1 <= max(2, word.count / 3) else { return nil }
        return best.0
    }

    /// The candidates that differ by the fewest edits, the nearest first.
    static func nearest(_ count: Int, to word: String, among candidates: [String]) -> [String] {
        guard word.count <= 64 else { return [] }
        let ranked = candidates.map { (name: $0, edits: editDistance(word.lowercased(), $0.lowercased())) }
        return ranked.sorted { ($0.edits, $0.name) < ($1.edits, $1.name) }.prefix(count).map(\.name)
    }

    private static func editDistance(_ left: String, _ right: String) -> Int {
        let right = Array(right)
        var row = Array(0...right.count)
        for (i, a) in left.enumerated() {
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
