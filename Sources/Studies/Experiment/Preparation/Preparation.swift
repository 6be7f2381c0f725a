package import FleetModel
package import Scenarios
package import Workload

/// A scenario that is ready to be replicated: its files as read, the costs of its cryptography, and the world that is
/// assembled of both.
package struct Preparation: Sendable {
    let inputs: ScenarioInputs
    let costs: ScenarioCosts
    package let configuration: FleetConfiguration
    /// The control variate of everything that grows with the traffic.
    let plannedVisits: PlannedVisits

    /// Options of one run that are not part of the question.
    package struct Options: Sendable {
        /// A bad line in a list or trace is an error.
        package var isStrict = false
        /// Cost profile to read, or to write if it does not exist; or a folder with one for each database. `nil`: a
        /// cache of this user.
        package var profile: String?
        /// Folder with the profiles that a sweep carries, before the cache of this user.
        var keptProfiles: String?
        package var threads = 1
        /// Whether the result has ``ArrivalResult``: a plan needs it, and only a plan.
        package var keepsArrivals = false

        package init() {}
    }

    /// - Parameters:
    ///   - shared: Holds what other points of the same sweep have read and built already.
    ///   - progress: Told in words what is being done.
    package static func prepare(
        _ scenario: Scenario, options: Options, sharing shared: SharedParts = SharedParts(),
        progress: @Sendable (String) -> Void
    ) throws -> Preparation {
        let inputs = try ScenarioInputs(reading: scenario, options: options, shared, progress: progress)
        let assembly = try FleetAssembly(inputs)
        // Measuring takes long, and so is done for a world that there can be.
        let costs = try ScenarioCosts(inputs, options: options, progress: progress)
        let configuration = assembly.configuration(costs, keepsArrivals: options.keepsArrivals)
        let plannedVisits = PlannedVisits(configuration)
        if plannedVisits.isIdle { throw PreparationError.nobodyBrowses }
        return Preparation(
            inputs: inputs, costs: costs, configuration: configuration, plannedVisits: plannedVisits)
    }

    /// The scenario, with what was counted in its files.
    package var scenario: Scenario { inputs.scenario }

    /// Reports on what became of each line of the block list, then of each trace.
    package var reports: [ReadReport] { [inputs.list.report] + inputs.traces.reports }

    /// One per part of a device group, for the scenario's own hash seed.
    package var catalogs: [URLCatalog] { inputs.prefilter.catalogs }

    /// Files that the result depends on.
    package var paths: [String] {
        inputs.paths + costs.paths + (scenario.prices.file.map { [$0] } ?? [])
    }

    /// Profile that costs are drawn from; absent in `real` fidelity.
    package var costProfile: CostProfile? { costs.profile }

    package var profileSummary: RunResult.ProfileSummary? { costs.summary }

    package var traceSummaries: [RunResult.TraceSummary] { inputs.traces.summaries }
}
