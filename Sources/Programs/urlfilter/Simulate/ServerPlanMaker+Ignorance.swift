import CommandSupport
import Experiment
import Questions
import Scenarios

/// The plan over what nobody knows.
extension ServerPlanMaker {
    /// Devices of a point at least: fewer than a run's, since only means of the sample are asked for. Assumption.
    private static let fewestDevices = 100

    /// Adds how far the demand moves, and how often servers are too small.
    ///
    /// - Parameters:
    ///   - best: The chosen design.
    ///   - planner: Of it.
    /// - Returns: Everything about the sample; `nil` where chance alone is asked for, and where everything is known.
    func addIgnorance(
        to answer: inout ServerPlanResult, _ designs: Designs, best: Int, _ planner: ServerPlanner
    ) async throws -> IgnoranceResult? {
        let request = command.ignorance.request
        let chosen = designs.points[best]
        // A forecast has the traffic of the sample that it was made from.
        let point =
            chosen.sample == nil
            ? designs.points.first { $0.traffic == chosen.traffic && $0.sample != nil } : chosen
        guard !request.chanceOnly, let point, let sample = point.sample else { return nil }
        let extra = self.sample(
            .ordinary, point.settings, point.scenario, devices: sample.scenario.devices)
        let plan = try command.options.plan(command.scenario, extra: extra)
        let inputs = try (plan.points.first?.scenario.plausible ?? []).without(request.known)
        let sweep = try Sweep(
            plan, options: command.options.preparation, version: Program.version, sharing: shared)
        var draws = IgnoranceStudy.Draws(inputs, points: request.points)
        draws.folder = command.planning.output
        draws.fewestDevices = Self.fewestDevices
        switch await simulation.design(of: sample, sweep, draws) {
        case .finished(let design):
            answer.addIgnorance(
                design, of: sample, planner, risk: command.planning.risk ?? PlanRisk.usualRisk)
            return design.result
        case .cutShort(let result): answer.ignorance = result
        case nil: break
        }
        return nil
    }
}
