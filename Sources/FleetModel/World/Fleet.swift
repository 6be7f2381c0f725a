package import EventSimulation
import RandomStreams
import URLFilter
import Workload

/// What can happen in the simulated world.
package enum FleetEvent: BitwiseCopyable, Sendable {
    /// The loads of this window of time are handed over.
    case window(UInt32)
    /// The next URL of a load is checked.
    case check(load: UInt32)
    /// URLs without hits of a device that had no prefilter when its window began.
    case misses(UInt32)
    case exchange(UInt32)
    case exchangeTimeouts
    case verdictTimeouts
    case prefilterFetches
    case prefilterFetch(device: UInt32)
    case prefilterArrives(device: UInt32, edition: UInt32)
    case appRestarts(device: UInt32)
    case freshness
    case setUp(device: UInt32)
    case refillTokens(device: UInt32)
    case configurationRefetches
    case keyRotations
    case faultBegins(UInt32)
    case faultEnds(UInt32)
    case seriesInterval
    case observationBegins
    case observationEnds
}

/// A fleet of devices, Apple's relay and the operator's services: one replication of the whole world.
///
/// See the article `FleetModel` for what it models and what it leaves out.
package struct Fleet: SimulationModel {
    package typealias Event = FleetEvent
    package typealias Failure = any Error

    let configuration: FleetConfiguration
    /// One per device group.
    let catalogs: [URLCatalog]
    let work: any ProtocolWork
    let replication: UInt32
    /// No fault of this run concerns the relay, so passing it is no event.
    let relayIsPlain: Bool

    let producer: LoadProducer
    var record: ReplicationRecord
    /// By ``Endpoint/place``; goes into the record at the end.
    var traffic = Array(repeating: EndpointTraffic(), count: Endpoint.allCases.count)
    var stages = StageTimes()
    /// All requests, and all URLs that wait for a verdict, from the device's point of view.
    var requests = FlowLedger<RequestEnd>()
    var waits = FlowLedger<WaitEnd>()
    var devices: [Device] = []
    /// Of the devices that ever had a hit; `Device.machine` is the number of one, counted from 1.
    var machines: [VerdictMachine<UInt64>] = []
    var windows = SlotPool<OpenWindow>()
    var loads = SlotPool<OpenLoad>()
    var misses = SlotPool<PendingMisses>()
    /// Devices that got their first prefilter since the last window was handed over.
    var newlyReady: [UInt32] = []
    var waiters = SlotPool<Waiter>()
    var exchanges = SlotPool<Exchange>()
    var verdictDeadlines = DeadlineLine<SlotName>()
    var exchangeDeadlines = DeadlineLine<SlotName>()
    var fetches = DeadlineLine<UInt32>()
    var refetches = DeadlineLine<UInt32>()
    var rotations = DeadlineLine<UInt32>()
    /// Edition that each device's app uses; empty when apps take every edition at once.
    var appEditions: [UInt32] = []
    var appTiming: RandomStream
    /// Which entries are in which edition of the list.
    let lives: EntryLives
    /// Edition whose PIR configuration each device has; empty when editions share one configuration.
    var configurationEditions: [UInt32] = []
    /// The update that is watched; `nil` when nothing is published in the observed period.
    var freshness: FreshnessWatch?
    var tokens: TokenStocks
    /// Batches that wait for a token, by device.
    var tokenQueues: [Int: [PendingBatch]] = [:]
    var services: Services
    var faults: FaultState

    /// - Parameters:
    ///   - catalogs: One per group of `configuration`, for its matching rules.
    ///   - threads: Threads that make loads, this one included. No result depends on it.
    package init(
        configuration: FleetConfiguration, catalogs: [URLCatalog], work: any ProtocolWork,
        replication: UInt32, threads: Int = 1
    ) throws {
        precondition(
            catalogs.count == configuration.groups.count,
            "\(configuration.groups.count) device groups need as many catalogs, got \(catalogs.count)")
        self.configuration = configuration
        self.catalogs = catalogs
        self.work = work
        self.replication = replication
        relayIsPlain = !configuration.faults.contains { $0.kind.concernsRelay }
        producer = LoadProducer(
            configuration, catalogs: catalogs, replication: replication, threads: threads)
        let observed = configuration.duration - configuration.warmUp
        record = ReplicationRecord(
            replication: replication, observedSeconds: observed.seconds,
            seriesInterval: configuration.seriesInterval, health: configuration.health)
        services = Services(
            configuration.services, seed: configuration.seed, replication: replication,
            originBandwidth: configuration.prefilter.originBandwidth, interval: configuration.seriesInterval)
        appTiming = RandomStream(
            seed: configuration.seed, replication: replication, entity: 0, purpose: .appRestarts)
        if configuration.prefilter.appRestart != nil {
            let first: UInt32 = configuration.start == .steady ? 1 : 0
            appEditions = Array(repeating: first, count: configuration.deviceCount)
        }
        if configuration.prefilter.changesConfiguration {
            let first: UInt32 = configuration.start == .steady ? 1 : 0
            configurationEditions = Array(repeating: first, count: configuration.deviceCount)
        }
        freshness = FreshnessWatch(configuration)
        lives = EntryLives(configuration.prefilter, duration: configuration.duration)
        faults = FaultState(groupCount: configuration.groups.count)
        let stock = max(configuration.device.tokenStock, configuration.device.tokensWhenEmpty, 1)
        tokens = TokenStocks(deviceCount: configuration.deviceCount, capacity: min(stock, Int(UInt8.max)))
        if configuration.start == .steady {
            for device in 0..<configuration.deviceCount {
                try work.settle(device: device, tokens: fullStock)
            }
        }
    }

    package mutating func start(_ agenda: inout Agenda<FleetEvent>) {
        for (index, fault) in configuration.faults.enumerated() {
            agenda.schedule(.faultBegins(UInt32(index)), at: .start.advanced(by: fault.begin))
            if fault.hasLength {
                agenda.schedule(
                    .faultEnds(UInt32(index)), at: .start.advanced(by: fault.begin + fault.length))
            }
        }
        agenda.schedule(.observationBegins, at: .start.advanced(by: configuration.warmUp))
        agenda.schedule(.observationEnds, at: .start.advanced(by: configuration.duration))
        agenda.schedule(.seriesInterval, after: configuration.seriesInterval)
        if let freshness { agenda.schedule(.freshness, at: freshness.series.published) }
        startDevices(&agenda)
        agenda.schedule(.window(0), at: .start)
    }

    package mutating func handle(
        _ event: FleetEvent, at now: SimulatedTime, _ agenda: inout Agenda<FleetEvent>
    ) throws {
        switch event {
        case .window(let number): try takeWindow(Int(number), &agenda)
        case .check(let slot): try checkNext(ofLoad: Int(slot), at: now, &agenda)
        case .misses(let slot):
            countMisses(misses.remove(Int(slot)), at: now)
        case .exchange(let slot): try advance(Int(slot), at: now, &agenda)
        case .exchangeTimeouts: try giveUpOverdue(at: now, &agenda)
        case .verdictTimeouts: try timeOutOverdue(at: now, &agenda)
        case .prefilterFetches:
            fetches.disarm()
            while let device = fetches.popDue(now) { fetchPrefilter(Int(device), at: now, &agenda) }
            fetches.arm(.prefilterFetches, &agenda)
        case .prefilterFetch(let device): fetchPrefilter(Int(device), at: now, &agenda)
        case .prefilterArrives(let device, let edition):
            prefilterArrives(Int(device), edition: edition, &agenda)
        case .appRestarts(let device): appRestarts(Int(device))
        case .freshness: sampleFreshness(at: now, &agenda)
        case .setUp(let device):
            try retrySetUp(Int(device), at: now, &agenda)
        case .refillTokens(let device):
            devices[Int(device)].refillIsArmed = false
            try requestTokens(Int(device), upTo: fullStock, at: now, &agenda)
        case .configurationRefetches:
            refetches.disarm()
            while let device = refetches.popDue(now) {
                try refetchConfiguration(Int(device), at: now, &agenda)
            }
            refetches.arm(.configurationRefetches, &agenda)
        case .keyRotations:
            rotations.disarm()
            while let device = rotations.popDue(now) { try rotateKey(Int(device), at: now, &agenda) }
            rotations.arm(.keyRotations, &agenda)
        case .faultBegins(let index):
            try beginFault(configuration.faults[Int(index)], at: now, &agenda)
        case .faultEnds(let index): try endFault(configuration.faults[Int(index)], at: now, &agenda)
        case .seriesInterval:
            services.endInterval(at: now)
            if isOpen(now.advanced(by: .nanoseconds(1))) {
                agenda.schedule(.seriesInterval, after: configuration.seriesInterval)
            }
        case .observationBegins: services.beginObservation(at: now)
        case .observationEnds: record.stations = services.records(at: now)
        }
    }

    /// Whether what starts at `time` belongs to the observed period.
    func counts(_ time: SimulatedTime) -> Bool {
        time.nanoseconds >= configuration.warmUp.nanoseconds
            && time.nanoseconds < configuration.duration.nanoseconds
    }

    /// Whether new page visits and checks may still begin.
    func isOpen(_ time: SimulatedTime) -> Bool { time.nanoseconds < configuration.duration.nanoseconds }
}

/// A URL that waits for the answer to its batch.
struct Waiter {
    var device: Int
    var batch: BatchNumber
    var started: SimulatedTime
    var listed: Bool
    var counted: Bool
    /// The load that the URL belongs to.
    var load: Int
    /// The load's next URL waits for this one.
    var holds: Bool
}

/// Runs one replication to the end of its drain.
///
/// - Parameters:
///   - threads: Threads to use. The record does not depend on it.
///   - isCancelled: Asked every few thousand events; `true` stops the run.
/// - Returns: `nil` if the run was cancelled.
package func runReplication(
    _ configuration: FleetConfiguration, catalogs: [URLCatalog], work: any ProtocolWork, replication: UInt32,
    threads: Int = 1, isCancelled: () -> Bool = { false }
) throws -> ReplicationRecord? {
    let fleet = try Fleet(
        configuration: configuration, catalogs: catalogs, work: work, replication: replication,
        threads: threads)
    var kernel = Kernel(model: fleet)
    let end = SimulatedTime.start.advanced(by: configuration.duration + configuration.drain)
    // Steps of simulated time, so that a request to stop is seen soon even in a long replication.
    let step = SimulatedDuration(nanoseconds: max(end.nanoseconds / 500, 1))
    while kernel.now < end {
        if isCancelled() { return nil }
        let next = min(kernel.now.advanced(by: step), end)
        try kernel.run(until: next)
    }
    return kernel.model.finish(
        at: kernel.now, eventCount: kernel.eventCount, fingerprint: kernel.fingerprint)
}

extension Fleet {
    /// Closes the books: what has no verdict yet is unfinished.
    func finish(at now: SimulatedTime, eventCount: Int, fingerprint: UInt64) -> ReplicationRecord {
        var record = record
        record.eventCount = eventCount
        record.fingerprint = fingerprint
        var traffic = traffic
        for counts in producer.counts() { record.add(counts) }
        loads.forEach { load in
            if counts(load.start) { record.urls.unfinished += Int(load.endHit - load.nextHit) }
        }
        waiters.forEach { if $0.counted { record.urls.unfinished += 1 } }
        exchanges.forEach { exchange in
            if let batch = exchange.batch, batch.counted { record.lookups.unfinished += 1 }
            if !exchange.isGivenUp, counts(exchange.started) {
                traffic[exchange.endpoint.place].unfinished += 1
            }
        }
        for endpoint in Endpoint.allCases { record.endpoints[endpoint] = traffic[endpoint.place] }
        record.stages = stages.byName
        for queue in tokenQueues.values { record.lookups.unfinished += queue.count { $0.counted } }
        record.freshness = freshness?.series
        record.recoveries = record.health.recoveries(from: configuration)
        record.resourceChecks = resourceChecks(at: now)
        return record
    }
}
