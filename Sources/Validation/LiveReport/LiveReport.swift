package import LiveValidation

/// A validation against the live stack as far as it got.
package struct LiveReport: Codable, Sendable {
    package var outcomes: [LiveOutcome]
    package var score: LiveScore
    /// False while runs of the plan are left.
    package var isFinished: Bool
    /// Shorter and fewer runs than the default.
    package var isQuick: Bool

    package init(_ outcomes: [LiveOutcome], isFinished: Bool, isQuick: Bool) {
        self.outcomes = outcomes
        score = LiveScore(outcomes)
        self.isFinished = isFinished
        self.isQuick = isQuick
    }

    /// Joins several validations in one report.
    package init(_ reports: [LiveReport]) {
        self.init(
            reports.flatMap(\.outcomes), isFinished: reports.allSatisfy(\.isFinished),
            isQuick: reports.contains(where: \.isQuick))
    }

    package var hasWrongVerdict: Bool { outcomes.contains { $0.wrongVerdicts > 0 } }
}
