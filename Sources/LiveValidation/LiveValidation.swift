import DeviceFleet
import FleetModel
import Foundation
import LiveStack
import Measurement
import Parties
import RandomStreams
package import Timing
package import URLFilter
package import Workload

/// What `urlfilter validate --live` found.
package struct LiveValidationResult: Codable, Sendable {
    /// What the model was told, and from which run.
    package struct Calibration: Codable, Sendable {
        package var load: Double
        package var lookupsPerSecond: Double
        package var seconds: Double
        package var lookups: Int
        /// Samples that service times and ways are drawn from.
        package var services: Int
        package var ways: Int
        /// Seconds of the PIR core for a lookup alone, on average; and in the cost profile of `urlfilter measure`.
        package var service: Double
        package var profileService: Double
        /// Seconds of a lookup outside the PIR server, on average.
        package var way: Double
        package var followerShare: Double
        package var groupLimit: Int
        /// Most lookups per second of one core.
        package var capacity: Double
        /// CPU seconds of devices and servers together, per lookup.
        package var cpuPerLookup: Double
        package var otherCores: Double?
        package var noise: [String]
    }

    package var machine: Machine
    package var entries: Int
    package var shards: Int
    package var rlweParameters: String
    package var devices: Int
    package var seed: UInt64
    package var replications: Int
    package var calibration: Calibration
    package var loads: [LoadComparison]
    /// False after Ctrl-C.
    package var finished: Bool

    package init(
        machine: Machine, entries: Int, shards: Int, rlweParameters: String, devices: Int, seed: UInt64,
        replications: Int, calibration: Calibration, loads: [LoadComparison], finished: Bool
    ) {
        self.machine = machine
        self.entries = entries
        self.shards = shards
        self.rlweParameters = rlweParameters
        self.devices = devices
        self.seed = seed
        self.replications = replications
        self.calibration = calibration
        self.loads = loads
        self.finished = finished
    }

    package var hasWrongVerdict: Bool { loads.contains { $0.wrongVerdicts > 0 } }
    package var wasDisturbed: Bool { loads.contains { !$0.noise.isEmpty } }
}

/// The calibrated model against the live stack: one trace per load through both.
package struct LiveValidation: Sendable {
    /// At the start and, between the loads, for each load.
    private static let firstStock = 4
    /// What the model keeps of a device's tokens.
    private static let largestStock = 250

    private let plan: LiveValidationPlan
    private let list: BlockList
    private let prefilter: DevicePrefilter
    private let urls: [String]

    /// - Parameters:
    ///   - list: Distinct keys.
    ///   - filter: Of the list.
    package init(_ plan: LiveValidationPlan, list: BlockList, filter: BloomFilter) {
        self.plan = plan
        self.list = list
        prefilter = DevicePrefilter(filter: filter, rules: .documented)
        urls = LookupURLs.make(of: list, prefilter: prefilter, seed: plan.seed)
    }

    /// - Parameters:
    ///   - isStopped: Asked a few times a second; when true, what is finished is the result.
    ///   - progress: What is being done, in words.
    /// - Returns: Nil if it was stopped before the calibration was done.
    package func callAsFunction(
        isStopped: @escaping @Sendable () -> Bool, progress: @escaping @Sendable (String) -> Void
    ) async throws -> LiveValidationResult? {
        guard !urls.isEmpty else { throw LiveValidationError.tooFewURLs(0, needed: 1) }
        guard !isStopped() else { return nil }
        progress("measuring the cost profile")
        let profile = try await Self.computed { [plan, list] in
            try CostProfiler.measure(
                entries: list, rlweParameters: plan.rlweParameters, shardCount: plan.shards)
        }
        guard !isStopped() else { return nil }
        progress("processing the PIR database of \(list.count) entries")
        let data = try await Self.computed { [plan, list] in
            try LiveData(
                list: list, usecase: PIRDatabase.usecaseName, rlweParameters: plan.rlweParameters,
                shardCount: plan.shards, seed: plan.seed)
        }
        let index = BlockListIndex(list)
        let count = plan.devices
        let bench = try await LiveBench(
            data: data, list: index, prefilter: prefilter, deviceCount: count, device: Self.constants,
            generation: Self.generation,
            isStopped: isStopped, progress: { progress("preparing devices: \($0)/\(count)") })
        do {
            let result = try await compare(bench, profile, index, isStopped: isStopped, progress: progress)
            await bench.stop()
            return result
        } catch {
            await bench.stop()
            throw error
        }
    }

    /// On a thread of its own: Swift's threads are for tasks that do not take long.
    private static func computed<Result: Sendable>(
        _ body: @escaping @Sendable () throws -> Result
    ) async throws -> Result {
        try await withCheckedThrowingContinuation { continuation in
            let thread = Thread { continuation.resume(with: Swift.Result(catching: body)) }
            // Number-theoretic transforms keep rows on the stack.
            thread.stackSize = 8 << 20
            thread.start()
        }
    }

    private func compare(
        _ bench: LiveBench, _ profile: CostProfile, _ index: BlockListIndex,
        isStopped: @escaping @Sendable () -> Bool, progress: @escaping @Sendable (String) -> Void
    ) async throws -> LiveValidationResult? {
        let catalog = URLCatalog(
            filter: prefilter.filter, list: index, rules: prefilter.rules,
            strayHits: try GeometricSkip(probability: 0))
        let model = ModelRun(
            plan, catalog: catalog, urls: urls, profile: profile, device: Self.constants,
            generation: Self.generation)
        let profileService = (profile[.queries]?.serviceAnswers.mean ?? 1e6) / 1e9
        func live(_ load: Double, _ trace: LookupTrace, stock: Int) async throws -> LiveObservation {
            try await bench.run(
                trace, urls: urls, window: plan.warmUp...(plan.warmUp + plan.seconds), stock: stock,
                isStopped: isStopped,
                progress: { seconds in
                    progress(
                        "load \(Int((load * 100).rounded())) %: \(Int(seconds)) of \(Int(trace.length)) s")
                })
        }
        let lowest = plan.calibrationLoad / profileService
        let (first, firstStock) = try trace(
            rate: lowest, number: 0, bursts: (plan.bursts, 3 * AnsweredGroup.limit))
        let observed = try await live(plan.calibrationLoad, first, stock: firstStock)
        guard !isStopped() else { return nil }
        let calibration = try StackCalibration(observed)
        var result = LiveValidationResult(
            machine: profile.machine, entries: list.count, shards: plan.shards,
            rlweParameters: plan.rlweParameters, devices: plan.devices, seed: plan.seed,
            replications: plan.replications,
            calibration: .init(
                plan, observed, calibration, rate: lowest, profileService: profileService), loads: [],
            finished: false)
        for (number, load) in plan.loads.enumerated() {
            let rate = load * calibration.capacity
            let (trace, stock) = try trace(rate: rate, number: UInt32(number + 1))
            let observed = try await live(load, trace, stock: stock)
            if isStopped() { return result }
            let services = observed.services(followerShare: calibration.followerShare)
            let own = calibration.delayed(
                by: (observed.meanWay ?? calibration.meanWay) - calibration.meanWay)
            result.loads.append(
                LoadComparison(
                    load: load, rate: rate, live: observed, calibration: calibration,
                    calibrationNoise: result.calibration.noise,
                    model: try model(trace, calibration, stock: stock, replications: plan.replications),
                    ownModel: try model(
                        trace, own, services: services.isEmpty ? nil : services, stock: stock,
                        replications: plan.replications),
                    margins: plan.margins))
        }
        result.finished = true
        return result
    }

    private func trace(
        rate: Double, number: UInt32, bursts: (count: Int, size: Int) = (0, 0)
    ) throws -> (LookupTrace, stock: Int) {
        let trace = try LookupTrace(
            rate: rate, end: plan.warmUp + plan.seconds, bursts: bursts, deviceCount: plan.devices,
            urlCount: urls.count, seed: plan.seed, number: number)
        let stock = trace.mostPerDevice + 1
        guard stock <= Self.largestStock else {
            throw LiveValidationError.tooManyTokens(stock, limit: Self.largestStock)
        }
        return (trace, stock)
    }

    /// Nothing comes due while a load lasts: what is compared are lookups.
    private static let never: Nanoseconds = 3_600_000_000_000 * 1_000_000

    private static var constants: DeviceConstants {
        var constants = DeviceConstants()
        constants.evaluationKeyLife = never
        constants.prefilterFetchInterval = never
        return constants
    }

    private static var generation: GenerationRules {
        var generation = GenerationRules()
        generation.tokens.stock = firstStock
        generation.tokens.refillBelow = 0
        generation.tokens.life = never
        return generation
    }
}

extension LiveValidationResult.Calibration {
    fileprivate init(
        _ plan: LiveValidationPlan, _ observed: LiveObservation, _ calibration: StackCalibration,
        rate: Double, profileService: Double
    ) {
        self.init(
            load: plan.calibrationLoad, lookupsPerSecond: rate, seconds: plan.seconds,
            lookups: calibration.lookups, services: calibration.services.count,
            ways: calibration.waysTo.count, service: calibration.meanService, profileService: profileService,
            way: calibration.meanWay, followerShare: calibration.followerShare,
            groupLimit: AnsweredGroup.limit, capacity: calibration.capacity,
            cpuPerLookup: observed.cpuPerLookup, otherCores: observed.otherCores,
            noise: LiveNoise.reasons(observed, service: calibration.meanService))
    }
}
