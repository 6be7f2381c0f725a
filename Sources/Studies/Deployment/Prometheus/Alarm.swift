/// A rule that calls somebody.
struct Alarm {
    var name: String
    var expression: String
    /// Seconds that it has to hold.
    var patience: Int
    var severity: String
    var region: String
    var summary: String
    var description: String

    var rule: ManifestValue {
        [
            "alert": .text(name), "expr": .text(expression), "for": .text(Figure.duration(patience)),
            "labels": ["severity": .text(severity), "region": .text(region)],
            "annotations": ["summary": .text(summary), "description": .text(description)],
        ]
    }
}
