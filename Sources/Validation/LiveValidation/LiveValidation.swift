import DeviceFleet
import Foundation
import LiveStack
import Measurement
import Parties
package import URLFilter
package import Workload

/// The model against the live stack: every load of a plan is predicted, run, and kept.
///
/// Before each run of the speed test the stack is calibrated: some seconds of a light load, at the same machine a
/// moment before. From all calibrations so far come the phases of the machine, from the last one its level; the
/// forecast is saved before the run begins. The queue test needs none of that: its service time is known.
package struct LiveValidation: Sendable {
    /// Most tokens of one device that the model keeps.
    private static let largestStock = 250

    private let plan: LiveValidationPlan
    private let list: BlockList
    private let target: LiveTarget
    private let record: LiveRecord
    private let pinsCores: Bool

    /// - Parameters:
    ///   - list: Distinct keys.
    ///   - filter: Of the list.
    ///   - record: Runs that it has are not done again.
    ///   - pinsCores: Whether the PIR server's thread gets a core for itself; this process stays like that.
    package init(
        _ plan: LiveValidationPlan, list: BlockList, filter: BloomFilter, record: LiveRecord,
        pinsCores: Bool = true
    ) throws {
        self.pinsCores = pinsCores
        self.plan = plan
        self.list = list
        self.record = record
        target = try LiveTarget(list, filter: filter) {
            LookupURLs.make(of: list, prefilter: $0, seed: plan.world.seed)
        }
    }

    /// Does the runs that are left. What is finished is in the record, whatever ends it.
    ///
    /// - Parameters:
    ///   - isStopped: Asked a few times a second.
    ///   - progress: What is being done, in words.
    package func callAsFunction(
        isStopped: @escaping @Sendable () -> Bool, progress: @escaping @Sendable (String) -> Void
    ) async throws {
        guard !target.urls.isEmpty else { throw LiveValidationError.tooFewURLs(0, needed: 1) }
        let done = try record.finishedRuns()
        let runs = plan.runs.filter { !done.contains($0.number) }
        guard !runs.isEmpty, !isStopped() else { return }
        progress("processing the PIR database of \(list.count) entries")
        let data = try await Self.computed { [plan, list] in
            try LiveData(
                list: list, usecase: PIRDatabase.usecaseName, rlweParameters: plan.world.rlweParameters,
                shardCount: plan.world.shards, seed: plan.world.seed)
        }
        let count = plan.world.devices
        // Before the servers' threads begin, which inherit it.
        let cores = pinsCores ? CorePinning.separate() : nil
        let bench = try await LiveBench(
            data: data, target, deviceCount: count, core: cores?.pirCore, generation: Self.generation,
            isStopped: isStopped,
            progress: { progress("preparing devices: \($0)/\(count)") })
        do {
            let session = LiveSession(
                plan: plan, urlCount: target.urls.count, record: record, bench: bench,
                model: ModelRun(
                    plan, catalog: target.catalog, urls: target.urls, device: LiveWorld.constants,
                    generation: Self.generation),
                frontCores: cores?.others ?? ProcessInfo.processInfo.activeProcessorCount,
                largestStock: Self.largestStock, isStopped: isStopped, progress: progress)
            try await session.run(runs, of: plan.runs.count)
            await bench.stop()
        } catch {
            await bench.stop()
            throw error
        }
    }

    /// On a thread of its own: Swift's threads are for tasks that do not take long.
    static func computed<Result: Sendable>(
        _ body: @escaping @Sendable () throws -> Result
    ) async throws -> Result {
        try await withCheckedThrowingContinuation { continuation in
            let thread = Thread { continuation.resume(with: Swift.Result(catching: body)) }
            // Number-theoretic transforms keep rows on the stack.
            thread.stackSize = 8 << 20
            thread.start()
        }
    }

    private static var generation: GenerationRules {
        var generation = GenerationRules()
        // At the start; between the runs it is filled for each of them.
        generation.tokens.stock = 4
        generation.tokens.refillBelow = 0
        generation.tokens.life = LiveWorld.never
        return generation
    }
}
