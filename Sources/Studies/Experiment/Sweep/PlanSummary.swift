import FleetModel
package import Scenarios

/// Resolution of a scenario, before anything is run: points, replications, an estimate of the time, and
/// every value with its source.
package struct PlanSummary: Codable, Equatable, Sendable {
    package static let schema = "urlfilter.plan/1"

    package struct Point: Codable, Equatable, Sendable {
        /// Number from 1, in the order of the design.
        package var number: Int
        package var settings: [String: String]
    }

    package struct Estimate: Codable, Equatable, Sendable {
        /// Seconds for all replications on idle `threads`; the least when a precision may end points early.
        package var least: Double
        package var most: Double
        package var threads: Int
        /// Work that the estimate was measured on, in words.
        package var trial: String
        /// Wall seconds of the trial.
        package var trialSeconds: Double

        /// The same for more work, of which the trial's is a part.
        package func times(_ factor: Double) -> Estimate {
            var estimate = self
            estimate.least *= factor
            estimate.most *= factor
            return estimate
        }
    }

    package var schema = Self.schema
    package var scenario: String
    package var design: String
    package var varied: [SweepSummary.Varied]
    package var points: [Point]
    /// Rows of the design, of which several may be the same point.
    package var rows: Int
    package var leastReplications: Int
    package var mostReplications: Int
    /// Absent without a trial.
    package var estimate: Estimate?
    /// Settings of the first point; `defaultSource` names where a value comes from that nobody set.
    package var settings: [ResolvedSetting]
    /// Inputs of the first point that nobody told; absent in plans of earlier versions.
    package var plausible: [PlausibleInput]?
    /// Closed forms of a single point, with what nobody knows of them; absent for several points, and in plans of
    /// earlier versions.
    package var forecast: ScenarioForecast?
    /// Files that the scenario reads.
    package var inputs: [String]

    /// - Parameters:
    ///   - known: Inputs and settings of them that are told on the command line.
    ///   - forecast: Of a single point.
    package init(
        _ plan: SweepPlan, estimate: Estimate?, known: [String] = [], forecast: ScenarioForecast? = nil
    ) throws(ScenarioError) {
        scenario = plan.points.first?.scenario.name ?? ""
        design = plan.design.text
        varied = plan.settings.map { .init(path: $0.path, values: $0.text, isWhole: $0.isWhole) }
        points = plan.points.map { .init(number: $0.number + 1, settings: plan.assignments(of: $0)) }
        rows = plan.rows.count
        leastReplications = plan.points.reduce(0) { sum, point in
            let replications = point.scenario.replications
            return sum + (replications.precision == nil ? replications.maximum : replications.minimum)
        }
        mostReplications = plan.replicationLimit
        self.estimate = estimate
        self.forecast = forecast
        settings = plan.points.first?.scenario.settings ?? []
        plausible = try plan.points.first?.scenario.plausible.without(known)
        inputs = Array(Set(plan.points.flatMap { $0.scenario.inputFiles(Preparation.Options()) })).sorted()
    }
}

extension SweepPlan {
    /// The resolved scenario with its group `vary`: it asks the same when it is run.
    package var resolvedYAML: String { ResolvedScenario.yaml(points.first?.scenario.settings ?? []) + yaml }
}

extension Scenario {
    package var deviceCount: Int { devices.reduce(0) { $0 + $1.count } }
}
