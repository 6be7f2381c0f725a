package import Experiment
package import RunMetrics

/// The same change made to several scenarios: which side is worse in what, for each of them.
///
/// Each scenario is a paired ``Comparison`` of what an outage costs. The p-values of all scenarios and figures are one
/// family for Holm's adjustment, because they are read as one table.
package struct StudyComparison: Codable, Equatable, Sendable {
    package static let schema = "urlfilter.study/2"

    /// Metrics that are compared, in the order of the table.
    package static let metrics: [Metric] = [.leaked, .falselyBlocked, .brokenPages, .recovery]

    /// One scenario.
    package struct Entry: Codable, Equatable, Sendable {
        package var name: String
        package var baseline: Comparison.Side
        package var candidate: Comparison.Side
        /// One per metric that the scenario has, in the order of ``metrics``.
        package var figures: [Figure]
    }

    /// One metric of one scenario on both sides.
    package struct Figure: Codable, Equatable, Sendable {
        package var row: Comparison.Row
        /// Intervals of the two means.
        package var baseline: Interval?
        package var candidate: Interval?
    }

    package var schema = Self.schema
    /// Settings that the candidates change, as `path=value`.
    package var changes: [String]
    package var confidence: Double
    package var noiseBand: Double
    package var entries: [Entry]
    /// Names of the two sides.
    package var sides: Sides
    /// Scenarios that were asked for; an interruption leaves some out.
    package var planned: Int
    /// Which side to take, of faults that are compared open and closed; absent for other changes.
    package var decision: FaultDecision?

    package struct Sides: Codable, Equatable, Sendable {
        package var baseline: String
        package var candidate: String

        package init(baseline: String, candidate: String) {
            self.baseline = baseline
            self.candidate = candidate
        }
    }

    package var isInterrupted: Bool { entries.count < planned }

    package var regressions: Int {
        entries.reduce(0) { $0 + $1.figures.count { $0.row.verdict == .worse } }
    }

    /// A scenario that ran on both sides.
    package struct Pair: Sendable {
        package var name: String
        package var baseline: RunResult
        package var candidate: RunResult

        package init(name: String, baseline: RunResult, candidate: RunResult) {
            self.name = name
            self.baseline = baseline
            self.candidate = candidate
        }
    }

    /// - Parameters:
    ///   - sides: Of a change: as it stands, and the change.
    ///   - planned: `nil`: as many as there are.
    package init(
        _ pairs: [Pair], changes: [String], sides: Sides? = nil, planned: Int? = nil,
        confidence: Double = 0.95,
        noiseBand: Double
    ) throws(ComparisonError) {
        var entries: [Entry] = []
        for pair in pairs {
            let comparison = try Comparison(
                pair.baseline, pair.candidate, names: ("\(pair.name), as it stands", "\(pair.name), changed"),
                confidence: confidence, noiseBand: noiseBand)
            entries.append(
                Entry(
                    name: pair.name, baseline: comparison.baseline, candidate: comparison.candidate,
                    figures: Self.figures(pair, comparison)))
        }
        var judged = Comparison.judged(
            entries.flatMap { $0.figures.map(\.row) }, confidence: confidence, noiseBand: noiseBand)[...]
        for entry in entries.indices {
            for figure in entries[entry].figures.indices {
                if let row = judged.popFirst() { entries[entry].figures[figure].row = row }
            }
        }
        self.changes = changes
        self.confidence = confidence
        self.noiseBand = noiseBand
        self.entries = entries
        self.sides = sides ?? Sides(baseline: "as it stands", candidate: changes.joined(separator: " "))
        self.planned = planned ?? pairs.count
    }

    private static func figures(_ pair: Pair, _ comparison: Comparison) -> [Figure] {
        metrics.compactMap { metric in
            guard let row = comparison.rows.first(where: { $0.isOf(metric) }) else { return nil }
            func interval(_ result: RunResult) -> Interval? { result.points.first?[metric]?.interval }
            return Figure(row: row, baseline: interval(pair.baseline), candidate: interval(pair.candidate))
        }
    }
}
