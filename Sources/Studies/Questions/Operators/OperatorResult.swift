package import Experiment
import Statistics

/// How often the program's answers contain the truth of operators that it does not know, by what it is told of them.
package struct OperatorResult: Codable, Sendable {
    package static let schema = "urlfilter.operators/2"

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

    /// Servers that were bought for an operator, beside those that the same rule buys that knows the truth.
    package struct Servers: Codable, Equatable, Sendable {
        package var bought: Int
        package var needed: Int
        /// Money beyond the best, as a share of it, and that of one server more than are needed.
        package var regret: Double
        package var step: Double

        package var isEnough: Bool { bought >= needed }
        /// Whether they are enough, and cost as good as nothing more than the best.
        package var isGood: Bool { isEnough && regret <= PlanMerits.likeness }
        package var isWithinOne: Bool { isGood || (needed...(needed + 1)).contains(bought) }
        /// Whether one server more is no good choice any more.
        package var isCoarse: Bool { step > PlanMerits.likeness }
    }

    /// Choice of a tolerance and of servers for an operator, by what a tier knows.
    package struct Choice: Codable, Sendable {
        package var tier: Tier
        package var tolerance: Double
        /// Money that it costs more than the best one, as a share, each with the servers that it needs.
        package var regret: Double
        /// Servers for the filter as it is, against the best for it.
        package var kept: Servers
        /// Servers for the chosen tolerance, against the best tolerance with the best servers.
        package var changed: Servers

        package var isGood: Bool { regret <= PlanMerits.likeness }
    }

    /// How often servers were right, over operators.
    package struct Tally: Codable, Equatable, Sendable {
        package var good: Int
        package var withinOne: Int
        package var enough: Int
        package var coarse: Int
        /// Median of the money beyond the best, as a share of it.
        package var medianRegret: Double

        init(_ all: [Servers]) {
            good = all.count(where: \.isGood)
            withinOne = all.count(where: \.isWithinOne)
            enough = all.count(where: \.isEnough)
            coarse = all.count(where: \.isCoarse)
            medianRegret = OperatorResult.median(all.map(\.regret))
        }
    }

    package struct Choices: Codable, Sendable {
        package var tier: Tier
        package var operators: Int
        /// Operators whose tolerance costs at most 2 % more than the best.
        package var goodTolerances: Int
        package var kept: Tally
        package var changed: Tally
        /// Median of the equal draws that the weights are worth.
        package var effectiveDraws: Double
    }

    static func median(_ values: [Double]) -> Double {
        let sorted = values.sorted()
        guard !sorted.isEmpty else { return 0 }
        return (sorted[(sorted.count - 1) / 2] + sorted[sorted.count / 2]) / 2
    }

    /// An operator with its truth and the answers.
    package struct Operator: Codable, Sendable {
        package var number: Int
        /// Texts of the settings by name of the input.
        package var settings: [String: String]
        package var truths: [OperatorFigure: Double]
        package var answers: [Answer]
        package var choices: [Choice]
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
