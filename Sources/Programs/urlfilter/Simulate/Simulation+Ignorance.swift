import CommandSupport
import Experiment
import Questions
import Scenarios

extension Simulation {
    /// Says how far a run's figures move over what nobody knows.
    ///
    /// The run has its answer already, so nothing here ends the command: a design that cannot be made, or that was
    /// interrupted, says so in the result.
    ///
    /// - Returns: `nil` where chance alone is asked for, and where everything is known.
    func ignorance(
        of result: RunResult, _ sweep: Sweep, _ request: IgnoranceStudy.Request
    ) async -> IgnoranceResult? {
        guard !request.chanceOnly, let scenario = sweep.plan.points.first?.scenario,
            let inputs = try? scenario.plausible.without(request.known)
        else { return nil }
        return await design(of: result, sweep, .init(inputs, points: request.points))?.result
    }

    /// The points over what nobody knows, for questions about more than a run.
    ///
    /// - Parameter label: Put before the progress, for commands that make several.
    /// - Returns: `nil` where everything is known; a result with a note where no design can be made.
    func design(
        of result: RunResult, _ sweep: Sweep, _ draws: IgnoranceStudy.Draws, label: String? = nil
    ) async -> IgnoranceStudy.Outcome? {
        do {
            guard let study = try IgnoranceStudy(of: result, sweep, draws) else { return nil }
            let line = progress
            let prefix = label.map { "\($0): " } ?? ""
            defer { line.finish() }
            return try await study.design(stop: stop) { _ in
            } progress: { done in
                line.show("\(prefix)what nobody knows: \(done) of \(study.count)")
            }
        } catch {
            return .cutShort(IgnoranceStudy.nothing("\(error)", inputs: draws.inputs, points: draws.points))
        }
    }
}

/// Several scenarios over what nobody knows, under the same draws.
extension Simulation {
    /// A finished run, and what is left to know of its scenario.
    struct Asked {
        var name: String
        var plan: SweepPlan
        var inputs: [PlausibleInput]
        var run: RunResult
    }

    enum CommonDesigns {
        /// One for each, with the same places.
        case finished([IgnoranceDesign])
        /// Why there are none.
        case missing(String)
        /// Everything is known.
        case nothing
    }

    func designs(
        _ asked: [Asked], points: Int, sharing shared: SharedParts
    ) async throws -> CommonDesigns {
        let all = asked.map(\.inputs).union
        guard !all.isEmpty else { return .nothing }
        var designs: [IgnoranceDesign] = []
        for one in asked {
            let sweep = try Sweep(
                one.plan, options: options.preparation, version: Program.version, sharing: shared)
            let draws = IgnoranceStudy.Draws(one.inputs, among: all, points: points)
            switch await design(of: one.run, sweep, draws, label: one.name) {
            case .finished(let design): designs.append(design)
            case .cutShort(let result): return .missing("\(one.name): \(result.note ?? "")")
            case nil: return .nothing
            }
        }
        return .finished(designs)
    }
}

extension IgnoranceOptions {
    /// Inputs of each scenario that are left to know.
    ///
    /// - Throws: `ScenarioError` for a name that is none's, before anything is simulated.
    func inputs(of plans: [SweepPlan]) throws -> [[PlausibleInput]] {
        let own = plans.map { $0.points.first?.scenario.plausible ?? [] }
        _ = try own.union.without(known)
        return try own.map { inputs in
            try inputs.without(
                known.filter { word in
                    inputs.contains { $0.name == word || $0.settings.contains(word) }
                })
        }
    }

    static let usual = IgnoranceStudy.Request(known: [], points: usualPoints, chanceOnly: false)

    var request: IgnoranceStudy.Request {
        IgnoranceStudy.Request(known: known, points: plausible, chanceOnly: chanceOnly)
    }
}
