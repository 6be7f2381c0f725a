package import Experiment
import RunMetrics
package import Scenarios

/// The architectures over what nobody knows, all under the same draws.
package struct AlternativesPlausibility: Codable, Equatable, Sendable {
    package struct Row: Codable, Equatable, Sendable {
        package var architecture: ArchitectureChoice
        /// Share of the draws in which all objectives are met that are asked of it; absent without objectives, and
        /// where one has no value.
        package var meets: Double?
        /// Share of the draws in which it is the one to take: meets all, can be had, and has the smallest bill.
        package var chosen: Double
        /// Money and what it does, with what nobody knows of them.
        package var metrics: [IgnoranceMetric]
        /// Beside the first architecture of the table.
        package var contests: [PlausibleContest]
    }

    package var points: Int
    package var inputs: [PlausibleInput]
    package var rows: [Row]
    /// Share of the draws in which none is to take.
    package var none: Double

    package subscript(architecture: ArchitectureChoice) -> Row? {
        rows.first { $0.architecture == architecture }
    }

    /// Metrics that have both intervals here.
    static let metrics: [Metric] = [
        .leakedShare, .falselyBlocked, .brokenPages, .pageTime(percentile: 95),
    ]

    /// An architecture at every draw.
    private struct Course {
        var row: AlternativesResult.Row
        var design: IgnoranceDesign
        var results: [RunResult]
        var money: [Double?]
        var meets: [Bool?]

        init(
            _ row: AlternativesResult.Row, _ design: IgnoranceDesign, _ scenario: Scenario, _ prices: Prices
        ) {
            self.row = row
            self.design = design
            results = design.shifted
            money = results.map { result in
                result.points.first.flatMap {
                    AlternativesCost(result, $0, of: scenario, prices: prices)?.month.total
                }
            }
            let asked = scenario.objectives.filter { !row.unasked.contains($0.expression) }
            meets = results.map { result in
                guard !asked.isEmpty, let point = result.points.first else { return nil }
                let verdicts = asked.map { objective in
                    point[objective.metric].map { objective.relation.holds($0.value, objective.limit) }
                }
                return verdicts.contains(false) ? false : verdicts.contains(nil) ? nil : true
            }
        }

        func finding() -> [IgnoranceMetric] {
            let bill = row.moneyPerMonth.flatMap { design.finding(.money, now: $0, values: money) }
            return [bill].compactMap(\.self)
                + AlternativesPlausibility.metrics.compactMap { design.result[$0] }
        }
    }

    /// - Parameters:
    ///   - designs: By architecture, with the same places.
    ///   - scenario: Of all of them, but for the architecture.
    /// - Returns: `nil` unless every row has a design.
    package init?(
        _ table: AlternativesResult, _ designs: [ArchitectureChoice: IgnoranceDesign],
        of scenario: Scenario, prices: Prices
    ) {
        let courses = table.rows.compactMap { row in
            designs[row.architecture].map { Course(row, $0, scenario, prices) }
        }
        guard let first = courses.first, courses.count == table.rows.count,
            courses.allSatisfy({ $0.results.count == first.results.count })
        else { return nil }
        let count = first.results.count
        let closed = Set(table.choice.leftOut.map(\.architecture))
        let open = courses.filter { !$0.row.facts.isYardstick && !closed.contains($0.row.architecture) }
        let chosen = (0..<count).map { point in
            open.filter { $0.meets[point] == true }
                .min { ($0.money[point] ?? .infinity) < ($1.money[point] ?? .infinity) }?.row.architecture
        }
        points = count
        inputs = designs.values.map(\.result.inputs).max { $0.count < $1.count } ?? []
        none = Double(chosen.count { $0 == nil }) / Double(count)
        rows = courses.map { course in
            let known = course.meets.compactMap(\.self)
            return Row(
                architecture: course.row.architecture,
                meets: known.count == count ? Double(known.count { $0 }) / Double(count) : nil,
                chosen: Double(chosen.count { $0 == course.row.architecture }) / Double(count),
                metrics: course.finding(),
                contests: course.row.architecture == first.row.architecture
                    ? [] : Self.contests(first, course))
        }
    }

    private static func contests(_ first: Course, _ other: Course) -> [PlausibleContest] {
        let money = PlausibleContest(.money, .lower, first: first.money, second: other.money)
        return [money].compactMap(\.self)
            + metrics.compactMap { PlausibleContest($0, first: first.results, second: other.results) }
    }
}
