import CommandSupport
import Experiment
import FleetModel
import Workload

/// Which of the varied designs are simulated, and which ones closed forms rule out.
extension ServerPlanMaker {
    /// One combination of varied settings.
    struct DesignPoint {
        var settings: [String: String]
        var scenario: Scenario
        var objectives: [ObjectiveResult] = []
    }

    struct Designs {
        var points: [DesignPoint]
        var search: JointSearch
    }

    /// Values that are searched with --search, unless --vary names others.
    static func searched(_ scenario: Scenario) -> [(path: String, values: [String])] {
        let parameters = [
            scenario.pir.rlweParameters, "n_4096_logq_27_28_28_logt_5", "n_4096_logq_27_28_28_logt_6",
            "n_8192_logq_3x55_logt_24",
        ]
        return [
            (Schema.shards, ["1", "4", "16"]),
            (
                Schema.rlweParameters,
                parameters.enumerated().filter { parameters.firstIndex(of: $1) == $0 }.map(\.element)
            ),
            (Schema.falsePositiveTolerance, ["0.001", "0.0001", "0.00001"]),
        ]
    }

    /// Simulates the first of each kind of traffic, with the coarsest prefilter, whose stray hits are most; what the
    /// others ask follows by closed forms.
    func designs() async throws -> Designs {
        var vary = VaryOptions()
        vary.assignments = command.planning.vary
        if command.planning.search {
            let named = Set(vary.assignments.map { $0.prefix { $0 != "=" } })
            vary.assignments += Self.searched(base).filter { !named.contains($0.path[...]) }
                .map { "\($0.path)=\($0.values.joined(separator: ","))" }
        }
        let plan = try SweepPlan(try command.options.file(command.scenario), more: vary)
        var points: [DesignPoint] = []
        // Without another point nothing is forecast.
        var known: [FilterDesign] = []
        for point in plan.points {
            let settings = plan.assignments(of: point)
            let found = DesignPoint(
                settings: settings,
                scenario: try command.options.resolve(
                    command.scenario, extra: Self.assignments(settings)))
            if plan.points.count > 1 {
                guard let design = try design(of: found) else { continue }
                known.append(design)
            }
            points.append(found)
        }
        let traffic = points.map { point in
            point.settings.filter { !FilterDesign.paths.contains($0.key) }
        }
        var demands: [Int: (demand: FleetDemand, objectives: [ObjectiveResult])] = [:]
        var forecasts: [Int: FleetDemand] = [:]
        for kind in Set(traffic) {
            let alike = points.indices.filter { traffic[$0] == kind }
            guard
                let first = known.isEmpty
                    ? alike.first
                    : alike.max(by: { (known[$0].stringRate, -$0) < (known[$1].stringRate, -$1) })
            else { continue }
            let sample = try await demand(points[first].settings, points[first].scenario)
            demands[first] = (sample.demand, sample.objectives)
            guard let found = sample.result.points.first, !known.isEmpty else { continue }
            let forecast = DemandForecast(
                sample.demand, found, design: known[first], of: points[first].scenario)
            for other in alike where other != first { forecasts[other] = forecast(known[other]) }
        }
        let planners = points.indices.compactMap { index in
            (demands[index]?.demand ?? forecasts[index]).map {
                ServerPlanner($0, of: points[index].scenario, rule: rule)
            }
        }
        var designs = Designs(
            points: points,
            search: JointSearch(planners, simulated: demands.mapValues { Self.meets($0.objectives) }))
        for (index, sample) in demands { designs.points[index].objectives = sample.objectives }
        return designs
    }

    /// - Returns: `nil` for a database that the parameters cannot hold, where nobody has named them.
    private func design(of point: DesignPoint) throws -> FilterDesign? {
        do {
            return try Preparation.design(
                of: point.scenario, options: command.options.preparation, sharing: shared,
                progress: simulation.note)
        } catch {
            let isOwn = point.scenario.pir.rlweParameters == base.pir.rlweParameters
            guard command.planning.search, !isOwn else { throw error }
            Terminal.note("left out \(Self.assignments(point.settings).joined(separator: ", ")): \(error)")
            return nil
        }
    }

    private static func meets(_ objectives: [ObjectiveResult]) -> Bool {
        !objectives.contains { $0.verdict == .fail }
    }

    /// Simulates until the rest is ruled out; with --exhaustive everything, with --quick nothing more.
    func search(_ designs: inout Designs) async throws {
        guard !command.planning.quick else { return }
        while let next = command.planning.exhaustive
            ? designs.search.designs.firstIndex(where: { !$0.isSimulated }) : designs.search.next
        {
            let point = designs.points[next]
            let sample = try await demand(point.settings, point.scenario)
            designs.points[next].objectives = sample.objectives
            designs.search.add(sample.demand, meetsObjectives: Self.meets(sample.objectives), to: next)
        }
    }
}
