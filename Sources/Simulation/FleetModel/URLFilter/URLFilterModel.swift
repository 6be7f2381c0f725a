package import EventSimulation
import RandomStreams
import URLFilter

/// Events of devices with Apple's URL filter.
package enum URLFilterEvent: BitwiseCopyable, Sendable {
    case verdictTimeouts
    case prefilterFetches
    case prefilterFetch(device: UInt32)
    case appRestarts(device: UInt32)
    case freshness
    case setUp(device: UInt32)
    case refillTokens(device: UInt32)
    case configurationRefetches
    case keyRenewals
    case hedge(slot: UInt32, generation: UInt32)
    case backgroundRefill(device: UInt32)
    case publicConfiguration(device: UInt32, isThere: Bool)
    case report(device: UInt32)
    /// One whose instant is replayed.
    case configurationRefetch(device: UInt32)
}

/// Apple's URL filter: devices with a prefilter that ask the operator's servers about hits, through relay and gateway.
package struct URLFilterModel: FilterArchitecture {
    package typealias Event = URLFilterEvent

    /// Work of gateway and services on a message.
    enum Work: UInt8 {
        case open, answer, seal
    }

    let seed: UInt64
    let replication: UInt32
    let work: any ProtocolWork
    /// One for each group.
    let exchangeRules: [ExchangeRules]
    let constants: DeviceConstants
    let policy: FailurePolicy
    let prefilter: PrefilterConfiguration
    let instants: DeviceInstants?
    var devices: [Device] = []
    /// Machines of the devices that ever had a hit; `Device.machine` is the number of one, counted from 1.
    var machines: [VerdictMachine<HitKey>] = []
    /// One for each message, by its slot.
    var exchanges: [Exchange] = []
    var waiting = WaitingURLs()
    var timers = DeviceTimers()
    var editions: Editions
    /// The update that is watched; `nil` when nothing is published in the observed period.
    var freshness: FreshnessWatch?
    var tokens: TokenStocks
    /// Batches that wait for a token, by device.
    var tokenQueues: [Int: [PendingBatch]] = [:]
    var stages = StageTimes()
    var reports: BlockedReports
    /// The servers that devices fetch the prefilter from.
    var origins: Origins

    init(
        _ configuration: FleetConfiguration, work: any ProtocolWork, replication: UInt32, world: World
    ) throws {
        seed = configuration.seed
        self.replication = replication
        self.work = work
        exchangeRules = configuration.groups.map { ExchangeRules(configuration, $0.generation) }
        constants = configuration.urlFilter.device
        policy = configuration.urlFilter.policy
        prefilter = configuration.urlFilter.prefilter
        instants = configuration.instants
        editions = Editions(configuration, replication: replication)
        freshness = FreshnessWatch(configuration)
        tokens = TokenStocks(deviceCount: configuration.deviceCount)
        reports = BlockedReports(configuration)
        origins = Origins(prefilter, in: world)
    }

    package mutating func start(in world: inout World, _ agenda: inout Future) throws {
        let behaviour = world.configuration.behaviour
        world.record.urlFilter.lookups.retried = behaviour.lookupRetries > 0 ? 0 : nil
        world.record.urlFilter.lookups.hedged = behaviour.hedgeAfter.map { _ in 0 }
        if let freshness { agenda.schedule(.filter(.freshness), at: freshness.series.published) }
        try startDevices(in: world, &agenda)
    }

    package mutating func handle(
        _ event: URLFilterEvent, in world: inout World, _ agenda: inout Future
    ) throws {
        let now = agenda.now
        switch event {
        case .verdictTimeouts: timeOutOverdue(in: &world, &agenda)
        case .prefilterFetches:
            timers.fetches.disarm()
            while let device = timers.fetches.popDue(now) {
                fetchPrefilter(Int(device), in: &world, &agenda)
            }
            timers.fetches.arm(.filter(.prefilterFetches), &agenda)
        case .prefilterFetch(let device): fetchPrefilter(Int(device), in: &world, &agenda)
        case .appRestarts(let device): appRestarts(Int(device))
        case .freshness: sampleFreshness(in: world, &agenda)
        case .setUp(let device): try endWait(.retry, Int(device), in: &world, &agenda)
        case .refillTokens(let device): try endWait(.refill, Int(device), in: &world, &agenda)
        case .configurationRefetches:
            timers.refetches.disarm()
            while let device = timers.refetches.popDue(now) {
                try endWait(.refetch, Int(device), in: &world, &agenda)
            }
            timers.refetches.arm(.filter(.configurationRefetches), &agenda)
        case .keyRenewals:
            timers.renewals.disarm()
            while let device = timers.renewals.popDue(now) {
                try endWait(.renewal, Int(device), in: &world, &agenda)
            }
            timers.renewals.arm(.filter(.keyRenewals), &agenda)
        case .backgroundRefill(let device): try endWait(.background, Int(device), in: &world, &agenda)
        case .publicConfiguration(let device, let isThere):
            try takePublicConfiguration(Int(device), isThere: isThere, in: &world, &agenda)
        case .configurationRefetch(let device): try endWait(.refetch, Int(device), in: &world, &agenda)
        case .report(let device): try report(Int(device), in: &world, &agenda)
        case .hedge(let slot, let generation):
            try hedge(SlotName(slot: slot, generation: generation), in: &world, &agenda)
        }
    }

    package func finish(
        _ record: inout ReplicationRecord, traffic: [EndpointTraffic], in world: World
    ) {
        waiting.urls.forEach { if $0.counted { record.urls.unfinished += 1 } }
        for exchange in exchanges {
            if let batch = exchange.batch, batch.counted, exchange.standsForBatch {
                record.urlFilter.lookups.unfinished += 1
            }
        }
        for endpoint in reports.isOn ? Endpoint.allCases : Endpoint.ofLookups {
            record.urlFilter.endpoints[endpoint] = traffic[endpoint.place]
        }
        record.urlFilter.readings = PartyReadings(world.post.readings, regionCount: world.regions.count)
        record.urlFilter.stages = stages.byName
        record.urlFilter.pirTime = stages.pirTime
        record.urlFilter.serverTime = stages.serverTime
        for queue in tokenQueues.values { record.urlFilter.lookups.unfinished += queue.count { $0.counted } }
        record.urlFilter.freshness = freshness?.series
        record.urlFilter.memory = work.serverMemory
        record.operations = OperationsRecord(of: record)
    }

    package func finishLog(in world: World, at end: SimulatedTime) {
        guard let log = world.log else { return }
        waiting.urls.forEach { if $0.counted { log.add(LoggedURL($0, verdict: nil, cause: nil)) } }
        for lookup in world.trails.unfinished(at: end) { log.add(lookup) }
    }

    package func resourceChecks(at end: SimulatedTime) -> [ResourceCheck] {
        var open: [SimulatedTime] = []
        waiting.urls.forEach { open.append($0.started) }
        return origins.resourceChecks(at: end)
            + ResourceCheck.checks(
                of: "waiting URLs", waiting.ledger.identityChecks(at: end, stillInside: open))
    }
}

extension ExchangeRules {
    fileprivate init(_ configuration: FleetConfiguration, _ generation: GenerationRules) {
        let behaviour = configuration.behaviour
        self.init(
            constants: configuration.urlFilter.device, generation: generation,
            configurationRefetch: behaviour.configurationRefetch.nanoseconds,
            retryPause: behaviour.retryPause.nanoseconds, retryCeiling: behaviour.retryCeiling.nanoseconds)
    }
}

extension Part {
    package static let relay = Part("relay")
    package static let gateway = Part("gateway")
    package static let issuer = Part("issuer")
    package static let pir = Part("pir")
    /// Origin from which devices fetch the prefilter, without the relay (article "Device", section "Onboarding and
    /// relay": inferred).
    package static let prefilterOrigin = Part("prefilterOrigin")
}

extension URLFilterModel {
    /// All parts of a world with one region without a name, in the order of their places.
    package static let parts = parts(regions: [nil])
    /// Those with servers and a queue.
    package static let stations: [Part] = [.gateway, .issuer, .pir]

    static let layout = WorldLayout(
        shared: [.relay], regional: stations + [.prefilterOrigin], stations: stations,
        routes: routes(regionCount:))

    /// The relay, then the parts of each region.
    package static func parts(regions: [String?]) -> [Part] { layout.parts(regions: regions) }

    /// Places in ``parts(regions:)``.
    enum Place {
        static let relay = 0
        private static let inRegion = 4

        static func gateway(_ region: Int) -> Int { 1 + region * inRegion }
        static func issuer(_ region: Int) -> Int { 2 + region * inRegion }
        static func pir(_ region: Int) -> Int { 3 + region * inRegion }
        static func prefilterOrigin(_ region: Int) -> Int { 4 + region * inRegion }
        static func isPIR(_ part: Int) -> Bool { part % inRegion == 3 }
    }

    /// One per endpoint, for one region after the other: through relay and gateway to a service, and back the same
    /// way.
    static func routes(regionCount: Int) -> [Route] {
        (0..<regionCount).flatMap { region in Endpoint.allCases.map { route(of: $0, region: region) } }
    }

    private static func route(of endpoint: Endpoint, region: Int) -> Route {
        let isIssuer = endpoint.isAnsweredByIssuer
        func station(_ number: Int) -> Int { region * stations.count + number }
        func serve(_ part: Int, _ station: Int, _ work: Work, tally: Int) -> Hop {
            .serve(
                Service(
                    part: part, station: station, stage: work.rawValue, tally: tally, reads: work != .seal,
                    knowsSender: work == .answer && endpoint.namesSender,
                    groups: work == .answer && endpoint == .queries))
        }
        return Route(hops: [
            .travel(.uplink), .pass(part: Place.relay), .travel(.relayed(by: Place.relay)),
            serve(Place.gateway(region), station(0), .open, tally: 0), .travel(.backend),
            serve(
                isIssuer ? Place.issuer(region) : Place.pir(region), station(isIssuer ? 1 : 2), .answer,
                tally: 1),
            .travel(.backend), serve(Place.gateway(region), station(0), .seal, tally: 0),
            .travel(.relayed(by: Place.relay)), .passBack(part: Place.relay), .travel(.downlink),
        ])
    }
}

extension Fleet<URLFilterModel> {
    /// - Parameters:
    ///   - catalogs: One per group of `configuration`, for its matching rules.
    ///   - threads: Threads that make loads, this one included. No result depends on it.
    ///   - log: Told what happens. No result depends on it.
    package init(
        configuration: FleetConfiguration, catalogs: [URLCatalog], work: any ProtocolWork,
        replication: UInt32, threads: Int = 1, log: (any FleetLog)? = nil
    ) throws {
        let world = World(
            configuration, URLFilterModel.layout, catalogs: catalogs, replication: replication,
            threads: threads, log: log)
        self.init(
            world: world,
            filter: try URLFilterModel(configuration, work: work, replication: replication, world: world))
    }
}
