import Decoding
import DeviceFleet
import EventSimulation
import FleetModel
import LiveStack
import RandomStreams
import Timing
package import URLFilter
import Workload

/// Part of the plan of a validation against running servers, fixed before it starts: the devices, the database, and the
/// simulations that predict.
package struct LiveWorld: Codable, Hashable, Sendable {
    package var devices: Int
    package var rlweParameters = "n_4096_logq_27_28_28_logt_5"
    /// Shards of the database, a power of two. One makes the PIR answer dominate the cost of a lookup.
    package var shards = 1
    package var seed: UInt64 = 1
    /// Simulations of each prediction.
    package var replications: Int
    package var calibrationSeconds: Double

    package init(devices: Int, replications: Int, calibrationSeconds: Double) {
        self.devices = devices
        self.replications = replications
        self.calibrationSeconds = calibrationSeconds
    }

    /// Beyond the end of any run: nothing comes due while one lasts.
    static let never: Nanoseconds = .hours(1_000_000)

    /// Numbers of devices that ask for nothing but lookups of their own accord.
    package static var constants: DeviceConstants {
        var constants = DeviceConstants()
        constants.evaluationKeyLife = never
        constants.prefilterFetchInterval = never
        return constants
    }
}

/// A block list as devices ask for it, and as the model does.
struct LiveTarget: Sendable {
    let index: BlockListIndex
    let prefilter: DevicePrefilter
    let catalog: URLCatalog
    /// URLs by number, as traces name them.
    let urls: [String]

    init(_ list: BlockList, filter: BloomFilter, urls: (DevicePrefilter) -> [String]) throws {
        index = BlockListIndex(list)
        prefilter = DevicePrefilter(filter: filter, rules: .documented)
        catalog = URLCatalog(
            filter: filter, list: index, rules: .documented, strayHits: try GeometricSkip(probability: 0))
        self.urls = urls(prefilter)
    }
}

extension ReplayFleet {
    /// A trace that can begin, with tokens in stock and empty caches.
    func ready(_ trace: LookupTrace, _ target: LiveTarget, stock: Int) async throws -> ReplayRun {
        var records = trace.records(urls: target.urls).makeIterator()
        let replayed = try ReplayTrace(
            deviceCount: trace.deviceCount, limit: trace.loads.count, hitsOnly: false,
            prefilter: target.prefilter, list: target.index, next: { records.next() })
        try await stockUp(to: stock)
        await resetCaches()
        return ReplayRun(
            fleet: self, trace: replayed, pace: ReplayPace(.trace(speed: 1), duration: trace.length + 1),
            limit: replayed.loads.count)
    }
}

extension FleetConfiguration {
    /// The model's copy of a live stack, with one PIR core: devices have no way of their own, and everything but the
    /// PIR server runs on the other cores, one after the other.
    ///
    /// - Parameters:
    ///   - end: Length of the run.
    ///   - device: Numbers that the live devices have, as is `generation`.
    init(
        of calibration: StackCalibration, _ trace: LookupTrace, urls: [String], rules: MatchingRules,
        seed: UInt64, end: Double, device: DeviceConstants, generation: GenerationRules
    ) {
        let replay = trace.replay(urls: urls)
        let free = StationConfiguration(instances: 1, cores: 1_000, queueCapacity: nil, cpuFactor: 1)
        let front = StationConfiguration(
            instances: 1, cores: calibration.frontCores, queueCapacity: nil, cpuFactor: 1)
        var pir = StationConfiguration(
            instances: 1, cores: 1, queueCapacity: LiveBench.queueLimit, cpuFactor: 1)
        pir.speed = calibration.speed
        pir.takeWaiting(followerShare: calibration.followerShare)
        self.init(
            seed: seed, duration: .seconds(end), warmUp: .zero, drain: .seconds(60),
            seriesInterval: .seconds(1), start: .steady,
            groups: [
                DeviceGroup(
                    name: "devices", count: replay.clientCount, workload: .trace(replay.trace),
                    access: AccessNetwork(oneWayDelay: .constant(0), uplink: 1e15, downlink: 1e15),
                    rules: rules, generation: generation)
            ],
            behaviour: DeviceBehaviour(
                configurationRefetch: .hours(1_000_000), exchangeTimeout: .seconds(60),
                retryPause: .seconds(30), retryCeiling: .minutes(15), cpuFactor: 1),
            services: ServiceConfiguration(
                relay: RelayConfiguration(
                    oneWayDelay: .constant(0), maximumRequestBody: nil, maximumResponseBody: nil),
                gateway: front, issuer: free, pir: pir, backendDelay: .constant(0), tokensPerUserPerDay: nil),
            urlFilter: URLFilterConfiguration(
                device: device, policy: .failOpen,
                prefilter: PrefilterConfiguration(
                    byteCount: 1, unchangedByteCount: 1, originBandwidth: nil, republishInterval: nil)),
            faults: [], freshURLs: .tested)
    }
}
