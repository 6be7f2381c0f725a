package import LiveValidation
import Report
import Timing
import Wording

/// A validation against running servers, as far as it got.
package protocol LiveFindings {
    associatedtype Outcome: LiveRun
    var outcomes: [Outcome] { get }
    /// False while runs of the plan are left.
    var isFinished: Bool { get }
    /// Shorter and fewer runs than the default.
    var isQuick: Bool { get }
}

extension LiveFindings {
    package var hasWrongVerdict: Bool { outcomes.contains { $0.wrongVerdicts > 0 } }

    /// The verdicts in words, such as "0 wrong verdicts in 1 200 lookups".
    var verdictWords: String {
        let wrong = outcomes.reduce(0) { $0 + $1.wrongVerdicts }
        return "\(wrong) wrong verdicts in \(Format.count(outcomes.reduce(0) { $0 + $1.lookups })) lookups"
    }

    /// Sentences on runs that other programs disturbed.
    ///
    /// - Parameter more: What that means, after the reasons.
    func disturbanceWords(_ more: String = "") -> [String] {
        outcomes.filter { !$0.disturbances.isEmpty }.map {
            "! \($0.name): \($0.disturbances.joined(separator: "; "))\(more)"
        }
    }
}

/// A validation against the live stack as far as it got.
package struct LiveReport: LiveFindings, Codable, Sendable {
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
}
