import EventSimulation
package import FleetModel
import Foundation
import Statistics
import Synchronization

/// Runs the replications of a prepared scenario in parallel, in an order that does not show.
///
/// Replications share nothing but read-only tables. They are taken into the result in the order of their
/// numbers, and the rule that stops the run looks at that order only, so the number of threads changes
/// nothing but the time.
package struct Runner: Sendable {
    package let preparation: Preparation
    package let threads: Int
    /// Called with each replication that enters the result, from one thread at a time.
    package let progress: @Sendable (Progress) -> Void
    /// Where finished replications go at once, so that an interrupted run loses none.
    package let store: ResultStore?

    package struct Progress: Sendable {
        package var finished: Int
        package var maximum: Int
        package var events: Int
        package var lookups: Int
        package var latency: Double?
        package var latencyHalfWidth: Double?
    }

    package init(
        preparation: Preparation, threads: Int, store: ResultStore?,
        progress: @escaping @Sendable (Progress) -> Void
    ) {
        precondition(threads > 0, "a run needs at least one thread, got \(threads)")
        self.preparation = preparation
        self.threads = threads
        self.store = store
        self.progress = progress
    }

    /// - Returns: The records in order, and whether the plan was carried out to its end.
    package func run(stop: StopSignal) async throws -> (records: [ReplicationRecord], finished: Bool) {
        let plan = preparation.scenario.replications
        guard let start = try makePointRun(stop: stop) else { return ([], false) }
        var run = start.run
        if let pilot = start.pilot { try keepWarmUp(pilot, of: "pilot") }
        return try await withThrowingTaskGroup(of: (Int, PointRun.Outcome).self) { group in
            func startNext() {
                guard !stop.isRaised, let number = run.next() else { return }
                let configuration = run.configuration
                group.addTask {
                    (number, Result { try replicate(number, configuration, stop: stop) })
                }
            }
            for _ in 0..<threads { startNext() }
            while let (number, outcome) = try await group.next() {
                for record in try run.take(number, outcome) {
                    try store?.save(record, deviceCount: run.configuration.deviceCount)
                    let number = Int(record.replication)
                    report(run.records.prefix(number + 1), plan)
                    if number == 0, start.pilot == nil {
                        try keepWarmUp(record.series, of: "replication 0")
                    }
                }
                if run.isPrecise {
                    stop.abandonRest()
                    group.cancelAll()
                    return (run.records, true)
                }
                startNext()
            }
            return (run.records, run.isComplete)
        }
    }

    /// Finds the warm-up, by a pilot replication if the scenario asks for one.
    ///
    /// - Returns: `nil` if the pilot was interrupted; its series is there if there was one.
    ///
    /// - Parameter pilot: One that was run elsewhere.
    func makePointRun(
        stop: StopSignal, pilot known: WorkResult.Pilot? = nil
    ) throws -> (run: PointRun, pilot: FleetSeries?)? {
        var configuration = preparation.configuration
        var method = preparation.warmUpMethod
        var pilot: FleetSeries?
        if case .automatic = preparation.scenario.warmUp {
            guard let warmUp = try known?.warmUp ?? pilotWarmUp(stop: stop) else { return nil }
            configuration.warmUp = warmUp.length
            method = warmUp.method
            pilot = warmUp.series
        }
        preparation.resolvedWarmUp.withLock { $0 = (configuration.warmUp, method) }
        return (PointRun(preparation, configuration), pilot)
    }

    /// - Returns: `nil` for a replication that was given up.
    func replicate(
        _ number: Int, _ configuration: FleetConfiguration, stop: StopSignal
    ) throws -> ReplicationRecord? {
        try runReplication(
            configuration, catalogs: preparation.catalogs, work: try preparation.makeWork(UInt32(number)),
            replication: UInt32(number), threads: threads(of: number),
            isCancelled: { stop.isUrgent || Task.isCancelled })
    }

    /// The pilot runs alone; replications share the threads when there are fewer of them.
    private func threads(of number: Int) -> Int {
        let side = number == Self.pilotNumber ? 1 : preparation.scenario.replications.maximum
        return max(1, threads / min(threads, side))
    }

    private func report(_ records: ArraySlice<ReplicationRecord>, _ plan: ReplicationPlan) {
        let means = records.compactMap { $0.verdictLatency.mean?.seconds }
        let estimate = MeanEstimate(replicationMeans: means, confidence: plan.confidence)
        progress(
            Progress(
                finished: records.count, maximum: plan.maximum,
                events: records.reduce(0) { $0 + $1.eventCount },
                lookups: records.reduce(0) { $0 + $1.lookups.sent }, latency: estimate?.mean ?? means.first,
                latencyHalfWidth: estimate?.halfWidth))
    }

    /// MSER-5 on the mean verdict latency per interval of a pilot replication.
    ///
    /// - Returns: `nil` if the pilot was interrupted.
    private func pilotWarmUp(
        stop: StopSignal
    ) throws -> (length: SimulatedDuration, method: String, series: FleetSeries)? {
        var configuration = preparation.configuration
        configuration.warmUp = .zero
        // The pilot has a number of its own, so that it shares no random stream with a counted replication.
        guard let pilot = try replicate(Self.pilotNumber, configuration, stop: stop) else { return nil }
        do {
            let intervals = try WarmUp.mser5(pilot.series.meanLatencies(count: intervalCount))
            return (
                configuration.seriesInterval * intervals,
                "MSER-5 on the mean verdict latency of a pilot replication", pilot.series
            )
        } catch {
            return (.zero, "none, MSER-5 found no answer: \(error)", pilot.series)
        }
    }

    /// Stores what MSER-5 sees in a replication, so that the choice of the warm-up can be looked at.
    private func keepWarmUp(_ series: FleetSeries, of source: String) throws {
        guard let store, let curve = warmUpCurve(series) else { return }
        try store.save(curve, of: source, interval: series.interval)
    }

    func warmUpCurve(_ series: FleetSeries) -> MSERCurve? {
        try? WarmUp.mser5Curve(series.meanLatencies(count: intervalCount))
    }

    /// Whole intervals of the series before the drain.
    private var intervalCount: Int {
        Int(preparation.configuration.duration / preparation.configuration.seriesInterval)
    }

    private static let pilotNumber = 1_000_000
}

/// Asks a run to stop: once lets running replications finish, twice gives them up.
package final class StopSignal: Sendable {
    private let level = Atomic<Int>(0)
    private let abandoned = Atomic<Bool>(false)
    private let parent: StopSignal?

    /// - Parameter parent: Whose request counts too, for a part of a larger run.
    package init(under parent: StopSignal? = nil) { self.parent = parent }

    package func raise() { level.add(1, ordering: .relaxed) }
    package var isRaised: Bool { level.load(ordering: .relaxed) > 0 || parent?.isRaised ?? false }
    package var isUrgent: Bool {
        level.load(ordering: .relaxed) > 1 || abandoned.load(ordering: .relaxed) || parent?.isUrgent ?? false
    }

    /// The result is complete; replications still under way are not needed.
    func abandonRest() { abandoned.store(true, ordering: .relaxed) }
}
