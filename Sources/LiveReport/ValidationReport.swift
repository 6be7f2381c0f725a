package import LiveValidation
package import QueueValidation
import Report
import Statistics

/// What the model said and what it was held against, one row per figure.
package struct ValidationReport: Codable, Sendable {
    package static let schema = "urlfilter.validation/1"

    package struct Row: Codable, Sendable {
        /// `theory`: a simulated queue beside its closed form. `coverage`: how often an interval contains the truth,
        /// beside how often it claims to. `live`: a simulated fleet beside a measured stack.
        package var kind: String
        /// The queueing system, or the load of the live stack.
        package var system: String
        package var quantity: String
        /// The closed form, or what was measured.
        package var reference: Double
        /// Interval of a measured reference; a closed form has none.
        package var referenceInterval: Interval?
        package var simulated: Double
        package var interval: Interval
        /// `simulated / reference - 1`; absent for a reference of zero.
        package var relativeError: Double?
        /// The relative error that passes; absent where the interval has to contain the reference.
        package var margin: Double?
        package var passed: Bool
        /// Of a live row: `pass`, `miss` or `too noisy`; absent for theory.
        package var verdict: String?
        /// Of a live row: relative error of the model when it is given the service times of that very run.
        package var ownError: Double?
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
    /// How the live rows came about: calibration and circumstances of each load.
    package var live: LiveValidationResult?

    package init(rows: [Row]) {
        self.rows = rows
        passed = rows.allSatisfy(\.passed)
    }

    /// Rows of simulated queues, then those of intervals and of the live stack; each may be absent.
    ///
    /// - Parameter isComplete: False after Ctrl-C; what was not compared has not passed.
    package init(
        theory systems: [Validation.SystemRows], coverage: [IntervalCoverage.Row] = [],
        live: LiveValidationResult?, isComplete: Bool = true
    ) {
        let theory = Self(theory: systems)
        self.init(rows: theory.rows + coverage.map(Self.row) + (live?.loads ?? []).flatMap(Self.rows))
        self.live = live
        if !isComplete || live?.hasWrongVerdict == true || live?.finished == false { passed = false }
    }

    /// A figure is wrong, or a live verdict was; a load that was too noisy to judge is neither.
    package var misses: Bool {
        rows.contains { !$0.passed && $0.verdict != LoadComparison.Verdict.tooNoisy.rawValue }
            || live?.hasWrongVerdict == true
    }

    private static func rows(of load: LoadComparison) -> [Row] {
        load.rows.map { row in
            Row(
                kind: "live", system: "live stack at \(Format.share(load.load))",
                quantity: row.quantity.title, reference: row.live.value,
                referenceInterval: Interval(row.live),
                simulated: row.model.value,
                interval: Interval(row.model)
                    ?? Interval(low: row.model.value, high: row.model.value, confidence: 0),
                relativeError: row.relativeError, margin: row.margin, passed: row.verdict == .pass,
                verdict: row.verdict.rawValue, ownError: row.ownError)
        }
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

extension ValidationReport.Interval {
    /// Nil when the estimate has none.
    fileprivate init?(_ estimate: LiveEstimate) {
        guard let low = estimate.low, let high = estimate.high else { return nil }
        self.init(low: low, high: high, confidence: LiveEstimate.confidence)
    }
}

extension LiveQuantity {
    fileprivate var title: String {
        switch self {
        case .p50, .p95, .p99: "verdict latency \(rawValue), s"
        case .throughput: "lookups per second"
        }
    }
}
