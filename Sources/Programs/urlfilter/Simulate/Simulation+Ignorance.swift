import CommandSupport
import Experiment
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
        do {
            let study = try IgnoranceStudy(of: result, sweep, inputs: inputs, points: request.points)
            guard let study else { return nil }
            let line = progress
            defer { line.finish() }
            return try await study.run(stop: stop) { _ in
            } progress: { done in
                line.show("what nobody knows: \(done) of \(study.count)")
            }
        } catch {
            return IgnoranceStudy.nothing("\(error)", inputs: inputs, points: request.points)
        }
    }
}

extension IgnoranceOptions {
    static let usual = IgnoranceStudy.Request(known: [], points: usualPoints, chanceOnly: false)

    var request: IgnoranceStudy.Request {
        IgnoranceStudy.Request(known: known, points: plausible, chanceOnly: chanceOnly)
    }
}
