package import Experiment
import Statistics

/// How often the program's answers contain the truth of operators that it does not know, by what it is told of them.
package struct OperatorResult: Codable, Sendable {
    package static let schema = "urlfilter.operators/1"

    /// Knowledge of a user; each tier has that of those before.
    package enum Tier: String, CaseIterable, Codable, CodingKeyRepresentable, Sendable {
        case nothing
        /// Whether the list names what everybody meets, or what hardly anybody does.
        case list
        /// A day of the PIR server's log.
        case day
        case week
    }

    package struct Row: Codable, Sendable {
        package var tier: Tier
        package var figure: OperatorFigure
        /// Operators whose truth lies in the interval of 95 %, of ``answered``.
        package var contained: Int
        package var answered: Int
        /// Median over operators of the interval's upper end over its lower one; of shares of its width.
        package var width: Double

        /// Interval of 95 % of the share.
        package var bounds: ClosedRange<Double>? {
            ProportionEstimate(successes: contained, trials: answered)?.bounds
        }

        /// Whether the share may be that of the goal.
        package var holds: Bool { bounds.map { $0.upperBound >= OperatorResult.goal } ?? false }

        package var share: Double { answered > 0 ? Double(contained) / Double(answered) : 0 }
    }

    package struct Choices: Codable, Sendable {
        package var tier: Tier
        /// Operators whose tolerance costs at most 2 % more than the best.
        package var goodTolerances: Int
        /// The same with as many servers as are chosen, which must be enough.
        package var goodPlans: Int
        /// Operators whose servers are enough.
        package var enough: Int
        package var operators: Int
        /// Median of the money beyond the best, as a share of it.
        package var medianRegret: Double
        /// Median of the equal draws that the weights are worth.
        package var effectiveDraws: Double
    }

    /// An operator with its truth and the answers.
    package struct Operator: Codable, Sendable {
        package var number: Int
        /// Texts of the settings by name of the input.
        package var settings: [String: String]
        package var truths: [OperatorFigure: Double]
        package var answers: [Answer]
        /// Why a tier has no answer, such as a log that nothing plausible explains.
        package var refusals: [Tier: String]
    }

    package struct Answer: Codable, Sendable {
        package var tier: Tier
        package var figure: OperatorFigure
        package var low: Double
        package var high: Double
    }

    package var schema = Self.schema
    package var study: OperatorStudy.Options
    package var devices: Int
    package var confidence: Double
    package var rows: [Row]
    package var choices: [Choices]
    package var operators: [Operator]

    /// Share of the operators that an interval of 95 % contains at least.
    package static let goal = 0.9
}
