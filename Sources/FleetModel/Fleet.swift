package import EventSimulation
import RandomStreams
import URLFilter
import Workload

/// What can happen in the simulated world.
package enum FleetEvent: BitwiseCopyable, Sendable {
    case visit(device: UInt32)
    case check(UInt32)
    case traceRecord(feed: UInt32)
    case exchange(UInt32)
    case exchangeTimeout(UInt32)
    case verdictTimeout(waiter: UInt32)
    case prefilterFetch(device: UInt32)
    case prefilterArrives(device: UInt32, edition: UInt32)
    case setUp(device: UInt32)
    case refillTokens(device: UInt32)
    case refetchConfiguration(device: UInt32)
    case rotateKey(device: UInt32)
    case faultBegins(UInt32)
    case faultEnds(UInt32)
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

    var record: ReplicationRecord
    var devices: [Device] = []
    var machines: [VerdictMachine<UInt64>] = []
    var browsing: [BrowsingState?] = []
    var feeds: [TraceFeed] = []
    var checks = SlotPool<PendingCheck>()
    var waiters = SlotPool<Waiter>()
    var exchanges = SlotPool<Exchange>()
    var tokens: TokenStocks
    /// Batches that wait for a token, by device.
    var tokenQueues: [Int: [PendingBatch]] = [:]
    var services: Services
    var faults: FaultState
    /// Scratch space.
    var buffer = LookupStringBuffer()
    var template = PageTemplate()

    /// - Parameter catalogs: One per group of `configuration`, for its matching rules.
    package init(
        configuration: FleetConfiguration, catalogs: [URLCatalog], work: any ProtocolWork, replication: UInt32
    ) throws {
        precondition(
            catalogs.count == configuration.groups.count,
            "\(configuration.groups.count) device groups need as many catalogs, got \(catalogs.count)")
        self.configuration = configuration
        self.catalogs = catalogs
        self.work = work
        self.replication = replication
        let observed = configuration.duration - configuration.warmUp
        record = ReplicationRecord(
            replication: replication, observedSeconds: observed.seconds,
            seriesInterval: configuration.seriesInterval)
        services = Services(
            configuration.services, seed: configuration.seed, replication: replication,
            originBandwidth: configuration.prefilter.originBandwidth)
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
        startDevices(&agenda)
        startTraces(&agenda)
    }

    package mutating func handle(
        _ event: FleetEvent, at now: SimulatedTime, _ agenda: inout Agenda<FleetEvent>
    ) throws {
        switch event {
        case .visit(let device): try visit(Int(device), at: now, &agenda)
        case .check(let slot): try check(checks.remove(Int(slot)), at: now, &agenda)
        case .traceRecord(let feed): try replayRecord(feed: Int(feed), at: now, &agenda)
        case .exchange(let slot): try advance(Int(slot), at: now, &agenda)
        case .exchangeTimeout(let slot): try giveUp(Int(slot), at: now, &agenda)
        case .verdictTimeout(let waiter): timeOut(waiter: Int(waiter), at: now)
        case .prefilterFetch(let device): fetchPrefilter(Int(device), at: now, &agenda)
        case .prefilterArrives(let device, let edition):
            prefilterArrives(Int(device), edition: edition)
        case .setUp(let device):
            try retrySetUp(Int(device), at: now, &agenda)
        case .refillTokens(let device):
            devices[Int(device)].refillIsArmed = false
            try requestTokens(Int(device), upTo: fullStock, at: now, &agenda)
        case .refetchConfiguration(let device):
            try refetchConfiguration(Int(device), at: now, &agenda)
        case .rotateKey(let device): try rotateKey(Int(device), at: now, &agenda)
        case .faultBegins(let index):
            try beginFault(configuration.faults[Int(index)], at: now, &agenda)
        case .faultEnds(let index): try endFault(configuration.faults[Int(index)], at: now, &agenda)
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

/// A URL with at least one hit, on its way to the verdict machine.
struct PendingCheck {
    var device: Int
    var hits: HitSet
    var counted: Bool
}

/// A URL that waits for the answer to its batch.
struct Waiter {
    var device: Int
    var batch: BatchNumber?
    var started: SimulatedTime
    var listed: Bool
    var counted: Bool
    var timer: EventHandle?
}

/// Runs one replication to the end of its drain.
///
/// - Parameters:
///   - isCancelled: Asked every few thousand events; `true` stops the run.
/// - Returns: `nil` if the run was cancelled.
package func runReplication(
    _ configuration: FleetConfiguration, catalogs: [URLCatalog], work: any ProtocolWork, replication: UInt32,
    isCancelled: () -> Bool = { false }
) throws -> ReplicationRecord? {
    let fleet = try Fleet(
        configuration: configuration, catalogs: catalogs, work: work, replication: replication)
    var kernel = Kernel(model: fleet)
    let end = SimulatedTime.start.advanced(by: configuration.duration + configuration.drain)
    // Steps of simulated time, so that a request to stop is seen soon even in a long replication.
    let step = SimulatedDuration(nanoseconds: max(end.nanoseconds / 500, 1))
    while kernel.now < end {
        if isCancelled() { return nil }
        let next = min(kernel.now.advanced(by: step), end)
        try kernel.run(until: next)
    }
    return kernel.model.finish(eventCount: kernel.eventCount, fingerprint: kernel.fingerprint)
}

extension Fleet {
    /// Closes the books: what has no verdict yet is unfinished.
    func finish(eventCount: Int, fingerprint: UInt64) -> ReplicationRecord {
        var record = record
        record.eventCount = eventCount
        record.fingerprint = fingerprint
        checks.forEach { if $0.counted { record.urls.unfinished += 1 } }
        waiters.forEach { if $0.counted { record.urls.unfinished += 1 } }
        exchanges.forEach { exchange in
            if let batch = exchange.batch, batch.counted { record.lookups.unfinished += 1 }
        }
        for queue in tokenQueues.values { record.lookups.unfinished += queue.count { $0.counted } }
        return record
    }
}
