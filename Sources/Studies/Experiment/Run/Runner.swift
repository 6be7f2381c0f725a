import EventSimulation
import FleetModel
import Foundation
import Scenarios
import Statistics

/// Runs points, with the replications of all of them sharing the threads: the one loop behind runs, sweeps, pieces
/// of sweeps, comparisons and searches.
///
/// Every point sees the same random numbers in its replication n, so differences between points are those of
/// the settings. Neither the number of threads nor an interruption changes the result.
package struct Runner: Sendable {
    /// A point to be run.
    struct Job: Sendable {
        var number: Int
        /// Upper bound of its replications.
        var replicationLimit: Int
        /// A part of its replications; `nil` for as many as the scenario's plan takes.
        var part: Range<Int>?
        /// Found elsewhere.
        var warmUp: WarmUpChoice?
        /// Its work was done elsewhere; no replication is run.
        var isCollected = false
        var prepare: @Sendable () throws -> Preparation
    }

    /// Numbers in front of this run.
    struct Restored: Sendable {
        var points = 0
        var replications = 0
    }
    package struct Progress: Sendable {
        /// The first point that is under way, from 1.
        package var point: Int
        package var points: Int
        package var replications: Int
        /// Upper bound, when a precision may end points earlier.
        package var replicationLimit: Int
        /// Replications that were there when this run began.
        package var restored: Int
        /// Events of this run.
        package var events: Int
        /// Seconds of simulated time of this run.
        package var simulatedSeconds: Double
        /// 99th percentile of the verdict latency in the point under way.
        package var latency: Double?
        package var latencyHalfWidth: Double?
    }

    private enum Step: Sendable {
        case prepared(Job, Result<Active, any Error>)
        case replicated(Int, number: Int, PointRun.Outcome)
    }

    /// A point under way.
    private struct Active: Sendable {
        var job: Job
        var run: PointRun
        var stop: StopSignal
        /// Replications that an earlier run had saved.
        var restored: Int

        mutating func next() -> Int? { job.isCollected ? nil : run.next() }
    }

    private enum Work: Sendable {
        case prepare(Job)
        case replicate(Active, number: Int)
    }

    /// The points that wait, and those under way.
    private struct Schedule {
        private var pending: ArraySlice<Job>
        var active: [Int: Active] = [:]

        init(_ jobs: [Job]) { pending = jobs[...] }

        /// The first point that is under way.
        var firstActive: Int? { active.keys.min() }

        /// The next replication of the first point that has one, or else the next point.
        mutating func next() -> Work? {
            for point in active.keys.sorted() {
                if let number = active[point]?.next(), let state = active[point] {
                    return .replicate(state, number: number)
                }
            }
            return pending.popFirst().map(Work.prepare)
        }

        /// Takes a point away of which no further replication counts.
        mutating func end(ifComplete point: Int) -> Active? {
            guard active[point]?.run.isComplete == true else { return nil }
            return active.removeValue(forKey: point)
        }
    }

    private let jobs: [Job]
    private let restored: Restored
    private let threads: Int
    /// The place that replications go to as soon as they have ended, and come from after an interruption.
    private let store: ResultStore?
    /// Follows single lookups; of a run of one point.
    private let recording: RunRecording?
    /// Told of a point that is about to be run.
    private let prepared: @Sendable (Preparation) -> Void
    private let progress: @Sendable (Progress) -> Void

    init(
        _ jobs: [Job], restored: Restored = Restored(), threads: Int, store: ResultStore? = nil,
        recording: RunRecording? = nil,
        prepared: @escaping @Sendable (Preparation) -> Void = { _ in },
        progress: @escaping @Sendable (Progress) -> Void = { _ in }
    ) {
        precondition(threads > 0, "a run needs at least one thread, got \(threads)")
        self.jobs = jobs
        self.restored = restored
        self.threads = threads
        self.store = store
        self.recording = recording
        self.prepared = prepared
        self.progress = progress
    }

    /// Runs one point in memory.
    ///
    /// - Parameter part: Some of its replications; `nil` for as many as the scenario's plan takes.
    package static func run(
        _ preparation: Preparation, part: Range<Int>? = nil, threads: Int, stop: StopSignal = StopSignal(),
        progress: @escaping @Sendable (Progress) -> Void = { _ in }
    ) async throws -> PointOutcome {
        let limit = part?.count ?? preparation.scenario.replications.maximum
        let job = Job(number: 0, replicationLimit: limit, part: part) { preparation }
        let outcomes = try await Runner([job], threads: threads, progress: progress)
            .run(stop: stop) { $1 }
        return outcomes[0]
            ?? PointOutcome(
                preparation: preparation, warmUp: preparation.givenWarmUp, records: [], finished: false)
    }

    /// - Parameter conclude: Makes the result of a point of what its replications came to, in turn.
    /// - Returns: The results by point; of points that an interruption cut short, what is there of them.
    func run<Value: Sendable>(
        stop: StopSignal, conclude: (Job, PointOutcome) throws -> Value
    ) async throws -> [Int: Value] {
        var values: [Int: Value] = [:]
        var schedule = Schedule(jobs)
        var tally = Tally(jobs, restored)
        try await withThrowingTaskGroup(of: Step.self) { group in
            var running = 0
            func startNext() {
                while running < threads, !stop.isRaised, let work = schedule.next() {
                    group.addTask { perform(work, under: stop) }
                    running += 1
                }
            }
            func concludeIfComplete(_ point: Int) throws {
                guard let state = schedule.end(ifComplete: point) else { return }
                // Replications still under way are not needed.
                state.stop.raiseUrgently()
                values[point] = try conclude(state.job, state.run.outcome)
            }
            startNext()
            while let step = try await group.next() {
                running -= 1
                switch step {
                case .prepared(let job, let outcome):
                    let state = try outcome.get()
                    schedule.active[job.number] = state
                    tally.restore(state.restored)
                    prepared(state.run.preparation)
                    startNext()
                    try store?.add(inputsOf: state.run.preparation)
                    try concludeIfComplete(job.number)
                case .replicated(let point, let number, let outcome):
                    // First work for the free thread, then what is left to do here.
                    startNext()
                    guard var state = schedule.active[point] else { break }
                    try take(number, outcome, &state, &tally)
                    schedule.active[point] = state
                    progress(tally.progress(point: schedule.firstActive ?? point, state.run))
                    try concludeIfComplete(point)
                }
                startNext()
            }
        }
        for (point, state) in schedule.active { values[point] = try conclude(state.job, state.run.outcome) }
        return values
    }

    /// Takes in a replication that ended, and keeps it.
    private func take(
        _ number: Int, _ outcome: PointRun.Outcome, _ state: inout Active, _ tally: inout Tally
    ) throws {
        let configuration = state.run.configuration
        if case .success(let record?) = outcome {
            try store?.save(record, deviceCount: configuration.deviceCount, point: state.job.number)
            tally.count(record, configuration)
        }
        try state.run.take(number, outcome)
        try recording?.advance(to: state.run.records.count)
    }

    private func perform(_ work: Work, under stop: StopSignal) -> Step {
        switch work {
        case .prepare(let job): .prepared(job, Result { try prepare(job, under: stop) })
        case .replicate(let state, let number):
            .replicated(state.job.number, number: number, Result { try replicate(number, state) })
        }
    }

    private func prepare(_ job: Job, under stop: StopSignal) throws -> Active {
        let pointStop = StopSignal(under: stop)
        let preparation = try job.prepare()
        // Pilots of several points run at the same time.
        let warmUp =
            try job.warmUp ?? preparation.findWarmUp(threads: max(1, threads / jobs.count), stop: pointStop)
        guard let warmUp else {
            let nothing = PointRun(preparation, preparation.givenWarmUp, part: job.part)
            return Active(job: job, run: nothing, stop: pointStop, restored: 0)
        }
        var run = PointRun(preparation, warmUp, part: job.part)
        let known = try store?.records(of: job.number, preparation.scenario) ?? []
        for record in known { try run.take(Int(record.replication), .success(record)) }
        return Active(job: job, run: run, stop: pointStop, restored: known.count)
    }

    private func replicate(_ number: Int, _ state: Active) throws -> ReplicationRecord? {
        // Replications share the threads only when there are fewer of them in the whole run.
        let limit = jobs.reduce(0) { $0 + $1.replicationLimit }
        let preparation = state.run.preparation
        let log = try recording?.log(of: number, preparation)
        let record = try preparation.replicate(
            number, state.run.configuration, threads: max(1, threads / max(1, limit)), stop: state.stop,
            log: log)
        if let log, record != nil { try recording?.keep(log.end()) }
        return record
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

    init(_ jobs: [Runner.Job], _ restored: Runner.Restored) {
        points = jobs.count + restored.points
        replications = restored.replications
        self.restored = restored.replications
        limit = jobs.reduce(restored.replications) { $0 + $1.replicationLimit }
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

    func progress(point: Int, _ run: PointRun) -> Runner.Progress {
        let latencies = run.records.compactMap { $0.verdictLatency.quantile(0.99)?.seconds }
        let estimate = MeanEstimate(replicationMeans: latencies)
        return Runner.Progress(
            point: point + 1, points: points, replications: replications, replicationLimit: limit,
            restored: restored, events: events, simulatedSeconds: simulatedSeconds,
            latency: estimate?.mean ?? latencies.first, latencyHalfWidth: estimate?.halfWidth)
    }
}
