import Foundation

/// A pass or fail condition on one metric, for example `lookup.latency p99 < 800ms`.
///
///     objective  = metric statistic operator limit
///     operator   = "<" | "<=" | "==" | ">=" | ">"
///
/// The limit is in the metric's unit: a duration, a share or a plain number.
package struct Objective: Hashable, Sendable {
    package enum Relation: String, CaseIterable, Sendable {
        case below = "<"
        case atMost = "<="
        case equal = "=="
        case atLeast = ">="
        case above = ">"

        func holds(_ left: Double, _ right: Double) -> Bool {
            switch self {
            case .below: left < right
            case .atMost: left <= right
            case .equal: left == right
            case .atLeast: left >= right
            case .above: left > right
            }
        }
    }

    /// As the user wrote it.
    package var expression: String
    package var metric: MetricName
    package var relation: Relation
    /// In the metric's SI base unit.
    package var limit: Double

    /// - Throws: ``ScenarioError/Problem`` in words of the expression.
    init(_ expression: String) throws(ObjectiveError) {
        let words = expression.split(separator: " ").map(String.init)
        guard words.count == 4 else { throw .notAnObjective(expression) }
        guard let metric = MetricName.all.first(where: { $0.name == words[0] && $0.statistic == words[1] })
        else {
            throw .unknownMetric(
                words[0] + " " + words[1], known: MetricName.all.map { $0.name + " " + $0.statistic })
        }
        guard let relation = Relation(rawValue: words[2]) else { throw .unknownRelation(words[2]) }
        do {
            limit =
                switch metric.unit {
                case .seconds: try Quantity.seconds(words[3])
                case .share, .number: try Quantity.share(words[3])
                case .bytes: Double(try Quantity.bytes(words[3]))
                }
        } catch {
            throw .badLimit(words[3], unit: metric.unit.rawValue)
        }
        self.expression = expression
        self.metric = metric
        self.relation = relation
    }
}

package enum ObjectiveError: Error, Equatable, CustomStringConvertible {
    case notAnObjective(String)
    case unknownMetric(String, known: [String])
    case unknownRelation(String)
    case badLimit(String, unit: String)

    package var description: String {
        switch self {
        case .notAnObjective(let text):
            "'\(text)' is not an objective; write for example 'lookup.latency p99 < 800ms'"
        case .unknownMetric(let name, let known):
            "no metric '\(name)'; it must be one of \(known.joined(separator: ", "))"
        case .unknownRelation(let text): "'\(text)' is not a relation; it must be one of < <= == >= >"
        case .badLimit(let text, let unit): "'\(text)' is not a limit in \(unit)"
        }
    }
}
