import Scenarios

/// The points of a study that is no sweep of settings, simulated by the one loop; what a store has of them is not done
/// again.
struct StudyPoints: Sendable {
    let plan: SweepPlan
    let options: Preparation.Options
    let shared: SharedParts
    /// Names and values of a point in its store.
    let settings: @Sendable (_ number: Int) -> [(path: String, value: String)]

    /// - Parameters:
    ///   - store: What is finished is kept there; closed at the end.
    ///   - progress: Told of how many replications are done.
    /// - Returns: Points in the order of the plan; `nil` for those that an interruption left out.
    func run(
        _ store: ResultStore?, stop: StopSignal, note: @escaping @Sendable (String) -> Void,
        progress: @escaping @Sendable (Int) -> Void
    ) async throws -> [PointResult?] {
        let known = try store?.results(plan) ?? [:]
        let jobs = plan.points.filter { known[$0.number] == nil }.map { point in
            Runner.Job(number: point.number, replicationLimit: point.scenario.replications.maximum) {
                try Preparation.prepare(point.scenario, options: options, sharing: shared, progress: note)
            }
        }
        let done = plan.points.reduce(0) {
            $0 + (known[$1.number] == nil ? 0 : $1.scenario.replications.maximum)
        }
        let runner = Runner(
            jobs, restored: .init(points: known.count, replications: done), threads: options.threads,
            store: store
        ) { _ in
        } progress: {
            progress($0.replications)
        }
        let found = try await runner.run(stop: stop) { job, outcome in
            let result = outcome.result
            if outcome.finished {
                try store?.finish(job.number, outcome, result: result, settings: settings(job.number))
            }
            return result
        }
        try store?.close()
        let all = known.merging(found) { first, _ in first }
        return plan.points.map { all[$0.number].flatMap { $0.finished ? $0.points.first : nil } }
    }
}
