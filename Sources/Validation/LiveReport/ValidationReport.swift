import LiveValidation
package import Questions
package import QueueValidation
import Report
import Statistics
import Wording

/// Figures of the model and what they were held against, one row per figure.
package struct ValidationReport: Codable, Sendable {
    package static let schema = "urlfilter.validation/1"

    package struct Row: Codable, Sendable {
        /// `theory`: a simulated queue beside its closed form. `coverage`: how often an interval contains the truth,
        /// beside how often it claims to. `watch`: windows until a false alarm or until a change is noticed, beside
        /// what is promised or known. `live`: the median error
        /// of forecasts of a measured stack beside its goal, or how often runs lie in their intervals. `wholeWay`: what
        /// was predicted of a run with faults beside what was seen. `operators`: how many operators that the program
        /// does not know an interval contains, beside what it should.
        package var kind: String
        /// The queueing system, or the load of the live stack.
        package var system: String
        package var quantity: String
        /// The closed form, or what was measured.
        package var reference: Double
        package var simulated: Double
        package var interval: Interval
        /// `simulated / reference - 1`; absent for a reference of zero.
        package var relativeError: Double?
        /// The relative error that passes; absent where the interval has to contain the reference.
        package var margin: Double?
        package var passed: Bool
    }

    package struct Interval: Codable, Sendable {
        package var low: Double
        package var high: Double
        /// Probability, 0 to 1.
        package var confidence: Double
    }

    package var schema = Self.schema
    package var rows: [Row]
    package var passed: Bool
    /// Source of the live rows: each run and its predictions.
    package var live: LiveReport?
    package var wholeWay: WholeWayReport?
    package var operators: OperatorResult?

    package init(rows: [Row]) {
        self.rows = rows
        passed = rows.allSatisfy(\.passed)
    }

    /// Rows of simulated queues, then those of intervals and of the live stack; each may be absent.
    ///
    /// - Parameter isComplete: False after Ctrl-C; what was not compared has not passed.
    package init(
        theory systems: [Validation.SystemRows], coverage: [IntervalCoverage.Row] = [],
        alarms: [AlarmValidation.Row] = [], live: LiveReport?, wholeWay: WholeWayReport? = nil,
        operators: OperatorResult? = nil, isComplete: Bool = true
    ) {
        // One after the other: a sum of all takes the compiler minutes.
        var rows = Self(theory: systems).rows
        for row in coverage { rows.append(Self.row(of: row)) }
        for row in alarms { rows.append(Self.row(of: row)) }
        if let live { rows += Self.rows(live.score) }
        for figure in wholeWay?.judged ?? [] { rows.append(Self.row(of: figure)) }
        for row in operators?.rows ?? [] {
            if let judged = Self.row(of: row) { rows.append(judged) }
        }
        self.init(rows: rows)
        self.operators = operators
        self.live = live
        self.wholeWay = wholeWay
        if !isComplete || hasWrongVerdict || live?.isFinished == false || wholeWay?.isFinished == false {
            passed = false
        }
    }

    /// A figure is wrong, or a live verdict was.
    package var misses: Bool { rows.contains { !$0.passed } || hasWrongVerdict }

    private var hasWrongVerdict: Bool { live?.hasWrongVerdict == true || wholeWay?.hasWrongVerdict == true }

    private static func rows(_ score: LiveScore) -> [Row] {
        score.judged.map { row in
            Row(
                kind: "live", system: "\(row.test.rawValue) test at \(Format.share(row.load))",
                quantity: "median absolute error of \(row.quantity.title)", reference: row.goal ?? 0,
                simulated: row.medianAbsoluteError,
                interval: Interval(
                    low: row.low ?? row.meanError, high: row.high ?? row.meanError,
                    confidence: row.low == nil ? 0 : LiveOutcome.confidence),
                margin: row.goal, passed: row.passes)
        }
            + score.judgedCoverage.map { coverage in
                Row(
                    kind: "live", system: "speed test",
                    quantity: "share of runs whose \(coverage.quantity.title) lies in its interval",
                    reference: LiveOutcome.confidence, simulated: coverage.share,
                    interval: Interval(
                        low: coverage.low, high: coverage.high, confidence: LiveOutcome.confidence),
                    passed: !LiveScore.misses(coverage))
            }
    }

    private static func row(of figure: WholeWayFigure) -> Row {
        let seen = figure.seen ?? 0
        return Row(
            kind: "wholeWay", system: "\(figure.balancing), \(figure.phase.rawValue)",
            quantity: figure.quantity.rawValue, reference: seen, simulated: figure.predicted.value,
            interval: Interval(
                low: figure.predicted.low, high: figure.predicted.high, confidence: LiveOutcome.confidence),
            relativeError: seen == 0 ? nil : figure.predicted.value / seen - 1, passed: figure.passed)
    }

    /// - Returns: `nil` where no operator has an answer.
    private static func row(of operators: OperatorResult.Row) -> Row? {
        guard let bounds = operators.bounds else { return nil }
        return Row(
            kind: "operators", system: "knowing \(operators.tier.rawValue)",
            quantity: operators.figure.rawValue, reference: OperatorResult.goal, simulated: operators.share,
            interval: Interval(
                low: bounds.lowerBound, high: bounds.upperBound, confidence: LiveOutcome.confidence),
            passed: operators.holds)
    }

    private static func row(of coverage: IntervalCoverage.Row) -> Row {
        Row(
            kind: "coverage", system: coverage.interval, quantity: coverage.model,
            reference: coverage.nominal, simulated: coverage.covered.proportion,
            interval: Interval(
                low: coverage.covered.bounds.lowerBound, high: coverage.covered.bounds.upperBound,
                confidence: coverage.covered.confidence),
            relativeError: coverage.covered.proportion / coverage.nominal - 1,
            margin: IntervalCoverage.Row.tolerance, passed: coverage.holds)
    }

    private static func row(of alarm: AlarmValidation.Row) -> Row {
        Row(
            kind: "watch", system: alarm.world, quantity: alarm.quantity, reference: alarm.reference,
            simulated: alarm.estimate.mean,
            interval: Interval(
                low: alarm.estimate.bounds.lowerBound, high: alarm.estimate.bounds.upperBound,
                confidence: alarm.estimate.confidence),
            relativeError: alarm.estimate.mean / alarm.reference - 1,
            margin: alarm.isLeast ? nil : alarm.margin, passed: alarm.holds)
    }

    /// Rows of simulated queues; a row passes when its interval contains the closed form.
    package init(theory systems: [Validation.SystemRows]) {
        self.init(
            rows: systems.flatMap { system in
                system.rows.map { row in
                    Row(
                        kind: "theory", system: system.system, quantity: row.quantity, reference: row.theory,
                        simulated: row.estimate.mean,
                        interval: Interval(
                            low: row.estimate.bounds.lowerBound, high: row.estimate.bounds.upperBound,
                            confidence: row.estimate.confidence),
                        relativeError: row.theory == 0 ? nil : row.estimate.mean / row.theory - 1,
                        passed: row.agrees)
                }
            })
    }
}

extension LiveQuantity {
    fileprivate var title: String {
        switch self {
        case .p50, .p95, .p99: "verdict latency \(rawValue)"
        case .throughput: "lookups per second"
        }
    }
}
