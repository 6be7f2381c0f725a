import EventSimulation
import FleetModel
import Foundation
import Statistics
import Synchronization

/// Runs the points of a sweep, with the replications of all of them sharing the threads.
///
/// Every point sees the same random numbers in its replication n, so differences between points are those of
/// the settings. Neither the number of threads nor an interruption changes the result.
package struct SweepRunner: Sendable {
    package struct Progress: Sendable {
        /// The first point that is under way, from 1.
        package var point: Int
        package var points: Int
        package var replications: Int
        /// Upper bound, when a precision may end points earlier.
        package var replicationLimit: Int
        /// Replications that were there when this run began.
        package var restored: Int
        /// Of this run.
        package var events: Int
        /// Seconds of simulated time of this run.
        package var simulatedSeconds: Double
        /// 99th percentile of the verdict latency in the point under way.
        package var latency: Double?
        package var latencyHalfWidth: Double?
    }

    let plan: SweepPlan
    let options: Preparation.Options
    let store: SweepStore?
    /// Points whose work was done elsewhere; no replication is run then.
    let collected: Collected?
    let progress: @Sendable (Progress) -> Void
    /// Told in words what is prepared.
    let note: @Sendable (String) -> Void

    struct Collected: Sendable {
        var points: Set<Int>
        /// What pilot replications suggested, by point.
        var pilots: [Int: WorkResult.Pilot]
    }

    private enum Step: Sendable {
        case prepared(Int, Result<Active?, any Error>)
        case replicated(Int, number: Int, PointRun.Outcome)
    }

    /// A point under way.
    private struct Active: Sendable {
        var runner: Runner
        var run: PointRun
        var stop: StopSignal
        var pilot: FleetSeries?
        /// Replications that an earlier run had saved.
        var restored: Int
    }

    /// - Returns: The results by point; of points that an interruption cut short, what is there of them.
    func run(stop: StopSignal) async throws -> [Int: RunResult] {
        var results = try store?.results(plan) ?? [:]
        var pending = plan.points.map(\.number)
            .filter { results[$0] == nil && collected?.points.contains($0) != false }[...]
        let shared = SharedParts()
        var active: [Int: Active] = [:]
        var tally = Tally(plan, results)
        try await withThrowingTaskGroup(of: Step.self) { group in
            var running = 0
            func startNext() {
                while running < options.threads, !stop.isRaised {
                    if let point = active.keys.sorted().first(where: {
                        collected == nil && active[$0]?.run.hasNext == true
                    }),
                        var state = active[point], let number = state.run.next()
                    {
                        active[point] = state
                        let (runner, configuration) = (state.runner, state.run.configuration)
                        let pointStop = state.stop
                        group.addTask {
                            let outcome = Result {
                                try runner.replicate(number, configuration, stop: pointStop)
                            }
                            return .replicated(point, number: number, outcome)
                        }
                    } else if let point = pending.popFirst() {
                        group.addTask {
                            .prepared(point, Result { try prepare(point, sharing: shared, stop: stop) })
                        }
                    } else {
                        return
                    }
                    running += 1
                }
            }
            func finishIfComplete(_ point: Int) throws {
                guard let state = active[point], state.run.isComplete else { return }
                state.stop.abandonRest()
                active[point] = nil
                results[point] = try finish(point, state)
            }
            startNext()
            while let step = try await group.next() {
                running -= 1
                switch step {
                case .prepared(let point, let outcome):
                    guard let state = try outcome.get() else { break }
                    active[point] = state
                    tally.restore(state.restored)
                    startNext()
                    try add(inputsOf: state.runner.preparation)
                    try finishIfComplete(point)
                case .replicated(let point, let number, let outcome):
                    // First work for the free thread, then what is left to do here.
                    startNext()
                    guard var state = active[point] else { break }
                    if case .success(let record?) = outcome {
                        try store?.save(
                            record, deviceCount: state.run.configuration.deviceCount, point: point)
                        tally.count(record, state.run.configuration)
                    }
                    _ = try state.run.take(number, outcome)
                    active[point] = state
                    progress(tally.progress(point: active.keys.min() ?? point, state.run))
                    try finishIfComplete(point)
                }
                startNext()
            }
        }
        for (point, state) in active where !state.run.records.isEmpty {
            results[point] = ResultBuilder(state.runner.preparation, records: state.run.records)
                .result(finished: false)
        }
        return results
    }

    private func prepare(_ point: Int, sharing shared: SharedParts, stop: StopSignal) throws -> Active? {
        let pointStop = StopSignal(under: stop)
        let preparation = try Preparation.prepare(
            plan.points[point].scenario, options: options, sharing: shared, progress: note)
        let runner = Runner(preparation: preparation, threads: threadsPerReplication, store: nil) { _ in }
        guard let start = try runner.makePointRun(stop: pointStop, pilot: collected?.pilots[point]) else {
            return nil
        }
        var run = start.run
        let known = try store?.records(of: plan.points[point]) ?? []
        for record in known { _ = try run.take(Int(record.replication), .success(record)) }
        return Active(
            runner: runner, run: run, stop: pointStop, pilot: start.pilot, restored: known.count)
    }

    /// Replications share the threads only when there are fewer of them in the whole sweep.
    private var threadsPerReplication: Int { max(1, options.threads / max(1, plan.replicationLimit)) }

    private func finish(_ point: Int, _ state: Active) throws -> RunResult {
        let result = ResultBuilder(state.runner.preparation, records: state.run.records)
            .result(finished: true)
        guard let store else { return result }
        let source = state.pilot == nil ? "replication 0" : "pilot"
        let series = state.pilot ?? state.run.records.first?.series
        try store.finish(
            point, result: result,
            settings: zip(plan.settings.map(\.path), plan.points[point].values).map { ($0, $1) },
            curve: series.flatMap { state.runner.warmUpCurve($0) }.map { ($0, source) }, run: state.run)
        return result
    }

    private func add(inputsOf preparation: Preparation) throws {
        guard let store else { return }
        try store.add(preparation.hashedInputs(except: store.inputs()))
    }
}

/// Counts what the progress line tells.
private struct Tally {
    private let points: Int
    private var replications: Int
    private var limit: Int
    private var restored: Int
    private var events = 0
    private var simulatedSeconds = 0.0
    private let maxima: [Int]

    init(_ plan: SweepPlan, _ results: [Int: RunResult]) {
        points = plan.points.count
        maxima = plan.points.map(\.scenario.replications.maximum)
        replications = results.values.reduce(0) { $0 + ($1.points.first?.replications ?? 0) }
        restored = replications
        let finished = results.keys.reduce(0) { $0 + plan.points[$1].scenario.replications.maximum }
        limit = plan.replicationLimit - finished + replications
    }

    mutating func restore(_ count: Int) {
        replications += count
        restored += count
    }

    mutating func count(_ record: ReplicationRecord, _ configuration: FleetConfiguration) {
        replications += 1
        events += record.eventCount
        simulatedSeconds += configuration.duration.seconds
    }

    func progress(point: Int, _ run: PointRun) -> SweepRunner.Progress {
        let latencies = run.records.compactMap { $0.verdictLatency.quantile(0.99)?.seconds }
        let estimate = MeanEstimate(replicationMeans: latencies)
        return SweepRunner.Progress(
            point: point + 1, points: points, replications: replications, replicationLimit: limit,
            restored: restored, events: events, simulatedSeconds: simulatedSeconds,
            latency: estimate?.mean ?? latencies.first, latencyHalfWidth: estimate?.halfWidth)
    }
}

extension Preparation {
    /// SHA-256 of the files behind the numbers; the scenario's settings are compared one by one instead.
    func hashedInputs(except known: [String: String] = [:]) -> [String: String] {
        var hashes: [String: String] = [:]
        for file in inputs where file != scenario.file && known[file] == nil {
            hashes[file] = SweepQuestion.sha256(ofFile: file)
        }
        return hashes
    }
}
