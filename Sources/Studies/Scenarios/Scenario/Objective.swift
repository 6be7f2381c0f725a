import Decoding
package import RunMetrics

/// A pass or fail condition on one metric, for example `lookup.latency p99 < 800ms`.
///
///     objective  = [group] metric statistic operator limit
///     group      = "devices[" name "]."
///     operator   = "<" | "<=" | "==" | ">=" | ">"
///
/// With a group it is about the devices of that one alone: `devices[students].lookup.latency p99 < 800ms`.
/// The limit is in the metric's unit: a duration, a share or a plain number.
package struct Objective: Hashable, Sendable {
    package enum Relation: String, CaseIterable, Sendable {
        case below = "<"
        case atMost = "<="
        case equal = "=="
        case atLeast = ">="
        case above = ">"

        package func holds(_ left: Double, _ right: Double) -> Bool {
            switch self {
            case .below: left < right
            case .atMost: left <= right
            case .equal: left == right
            case .atLeast: left >= right
            case .above: left > right
            }
        }
    }

    /// Text of the objective as the user wrote it.
    package var expression: String
    package var metric: Metric
    package var relation: Relation
    /// Limit in the metric's SI base unit.
    package var limit: Double

    package init(_ expression: String) throws(ObjectiveError) {
        let words = Self.words(expression)
        guard words.count == 4 else { throw .notAnObjective(expression) }
        guard let metric = Metric(words[0], words[1]) else {
            throw .unknownMetric(words[0] + " " + words[1])
        }
        guard let relation = Relation(rawValue: words[2]) else { throw .unknownRelation(words[2]) }
        guard let limit = Self.limit(words[3], in: metric.unit) else {
            throw .badLimit(words[3], unit: metric.unit)
        }
        self.limit = limit
        self.expression = expression
        self.metric = metric
        self.relation = relation
    }

    /// Splits at the spaces outside brackets: a group's name may have some.
    private static func words(_ expression: String) -> [String] {
        var isInside = false
        return expression.split { character in
            if character == "[" { isInside = true }
            if character == "]" { isInside = false }
            return character == " " && !isInside
        }.map(String.init)
    }

    private static func limit(_ text: String, in unit: Metric.Unit) -> Double? {
        switch unit {
        case .seconds: return try? Quantity.seconds(text)
        case .bytes: return (try? Quantity.bytes(text)).map(Double.init)
        case .number: return (try? Quantity.count(text)).map(Double.init) ?? Double(text).flatMap(finite)
        case .share:
            // 75 for 75 % would be a limit that nothing misses.
            guard let share = try? Quantity.share(text), (0...1).contains(share) else { return nil }
            return share
        }
    }

    private static func finite(_ value: Double) -> Double? { value.isFinite ? value : nil }
}

package enum ObjectiveError: InputFault, Equatable, CustomStringConvertible {
    case notAnObjective(String)
    case unknownMetric(String)
    case unknownRelation(String)
    case badLimit(String, unit: Metric.Unit)

    package var description: String {
        switch self {
        case .notAnObjective(let text):
            return "'\(text)' is not an objective; write for example 'lookup.latency p99 < 800ms'"
        case .unknownMetric(let name):
            let known = GroupMetrics.group(in: name).map { GroupMetrics($0).all } ?? Metric.all
            let nearest = Spelling.nearest(3, to: name, among: known.map(\.words))
            let hint =
                nearest.isEmpty
                ? "" : "the nearest are \(nearest.map { "'\($0)'" }.joined(separator: ", ")); "
            return "no metric '\(name)'; \(hint)'metrics' of 'urlfilter run --json' has all"
        case .unknownRelation(let text):
            return "'\(text)' is not a relation; it must be one of < <= == >= >"
        case .badLimit(let text, let unit): return "'\(text)' is not \(Self.limit(in: unit))"
        }
    }

    private static func limit(in unit: Metric.Unit) -> String {
        switch unit {
        case .seconds: "a duration such as 800ms"
        case .share: "a share such as 0.1% or 0.001"
        case .bytes: "a size such as 30kB"
        case .number: "a number such as 20 or 1.5M"
        }
    }
}
