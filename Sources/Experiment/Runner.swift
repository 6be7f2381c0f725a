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
        var configuration = preparation.configuration
        var warmUpMethod = preparation.warmUpMethod
        var isPilotKept = false
        if case .automatic = preparation.scenario.warmUp {
            guard let warmUp = try pilotWarmUp(stop: stop) else { return ([], false) }
            configuration.warmUp = warmUp.length
            warmUpMethod = warmUp.method
            isPilotKept = true
        }
        preparation.resolvedWarmUp.withLock { $0 = (configuration.warmUp, warmUpMethod) }
        let fixed = configuration
        return try await withThrowingTaskGroup(of: (Int, Outcome).self) { [isPilotKept] group in
            var next = 0
            var waiting: [Int: Outcome] = [:]
            var records: [ReplicationRecord] = []
            var rule = StoppingRule(plan, expectedVisits: preparation.plannedVisits.expectation)
            func startNext() {
                guard next < plan.maximum, !stop.isRaised else { return }
                let number = next
                next += 1
                group.addTask { (number, Result { try replicate(number, fixed, stop: stop) }) }
            }
            for _ in 0..<threads { startNext() }
            while let (number, outcome) = try await group.next() {
                waiting[number] = outcome
                // An error counts when its turn comes: one thread would never have met a later one.
                while let record = try waiting.removeValue(forKey: records.count)?.get() {
                    records.append(record)
                    try store?.save(record, deviceCount: fixed.deviceCount)
                    report(records, plan)
                    if records.count == 1, !isPilotKept { try keepWarmUp(record.series, of: "replication 0") }
                    rule.add(
                        ReplicationMetrics(record, deviceCount: fixed.deviceCount),
                        plannedVisits: preparation.plannedVisits.count(replication: record.replication))
                    if rule.isPrecise {
                        stop.abandonRest()
                        group.cancelAll()
                        return (records, true)
                    }
                }
                startNext()
            }
            return (records, records.count == plan.maximum)
        }
    }

    /// `nil` inside for a replication that was given up.
    private typealias Outcome = Result<ReplicationRecord?, any Error>

    private func replicate(
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

    private func report(_ records: [ReplicationRecord], _ plan: ReplicationPlan) {
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
    ) throws -> (length: SimulatedDuration, method: String)? {
        var configuration = preparation.configuration
        configuration.warmUp = .zero
        // The pilot has a number of its own, so that it shares no random stream with a counted replication.
        guard let pilot = try replicate(Self.pilotNumber, configuration, stop: stop) else { return nil }
        try keepWarmUp(pilot.series, of: "pilot")
        do {
            let intervals = try WarmUp.mser5(pilot.series.meanLatencies(count: intervalCount))
            return (
                configuration.seriesInterval * intervals,
                "MSER-5 on the mean verdict latency of a pilot replication"
            )
        } catch {
            return (.zero, "none, MSER-5 found no answer: \(error)")
        }
    }

    /// Stores what MSER-5 sees in a replication, so that the choice of the warm-up can be looked at.
    private func keepWarmUp(_ series: FleetSeries, of source: String) throws {
        guard let store, let curve = try? WarmUp.mser5Curve(series.meanLatencies(count: intervalCount))
        else { return }
        try store.save(curve, of: source, interval: series.interval)
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

    package init() {}

    package func raise() { level.add(1, ordering: .relaxed) }
    package var isRaised: Bool { level.load(ordering: .relaxed) > 0 }
    package var isUrgent: Bool { level.load(ordering: .relaxed) > 1 || abandoned.load(ordering: .relaxed) }

    /// The result is complete; replications still under way are not needed.
    func abandonRest() { abandoned.store(true, ordering: .relaxed) }
}
