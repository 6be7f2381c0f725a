import Experiment
import Questions
import RunMetrics
import Wording

/// Figures under the names that readers know them by.
extension Format {
    static func plainName(_ row: Comparison.Row) -> String {
        Metric(row.metric, row.statistic).map(\.plainName) ?? row.words
    }

    static func plainName(_ objective: ObjectiveResult) -> String {
        Metric(objective.metric, objective.statistic).map(\.plainName)
            ?? "\(objective.metric) \(objective.statistic)"
    }

    /// An objective with its metric in a reader's words: `people wait, p99 < 800ms`.
    static func words(_ objective: ObjectiveResult) -> String {
        plainName(objective) + " " + condition(objective)
    }

    /// Relation and limit of an objective: `< 800ms`.
    static func condition(_ objective: ObjectiveResult) -> String {
        objective.expression.split(separator: " ").dropFirst(2).joined(separator: " ")
    }
}
