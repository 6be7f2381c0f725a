package import QueueValidation
import Statistics

/// What the model said and what it was held against, one row per figure.
package struct ValidationReport: Codable, Sendable {
    package static let schema = "urlfilter.validation/1"

    package struct Row: Codable, Sendable {
        /// `theory`: a simulated queue beside its closed form. `live`: a simulated fleet beside a measured stack.
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

    package init(rows: [Row]) {
        self.rows = rows
        passed = rows.allSatisfy(\.passed)
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
