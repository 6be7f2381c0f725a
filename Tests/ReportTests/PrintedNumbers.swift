/// Numbers as a reader sees them.
enum PrintedNumbers {
    /// Digits with their groups, as a reader would read them: `1 234.5`. A line may have ended between two groups.
    static func all(in text: String) -> Set<String> {
        let lines = text.split(separator: "\n").map { line in
            line.drop { $0 == " " }.replacing(#/ {2,}/#, with: " | ")
        }
        // The number of a percentile is no group of the one behind it.
        let flat = lines.joined(separator: " ").replacing(#/\bp\d+(?:\.\d+)?/#, with: "p")
        return Set(
            flat.matches(of: /\d{1,3}(?: \d{3})+(?!\d)|\d+(?:\.\d+)?(?:e-?\d+)?/).map { String($0.output) })
    }
}
