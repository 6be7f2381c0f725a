import EventSimulation
import FleetModel
import RandomStreams
import Testing
import Timing
import URLFilter
import Workload

/// A small world with constant delays, so that every instant can be worked out by hand.
///
/// The list names `listed.example`, `listed.example/path` and `listed0.example` to `listed999.example`. The
/// prefilter also has `decoy.example`, which is on no list: a false hit.
struct World {
    /// One URL load of one client.
    struct Load {
        var at: SimulatedDuration
        var client = 0
        var url = "https://listed.example/"
    }

    var seed: UInt64 = 1
    var duration = SimulatedDuration.seconds(60)
    var warmUp = SimulatedDuration.zero
    var drain = SimulatedDuration.seconds(100)
    var start = FleetStart.steady
    var policy = FailurePolicy.failOpen
    var device = DeviceConstants()
    var generation = GenerationRules()
    var behaviour = DeviceBehaviour(
        configurationRefetch: .hours(1_000_000), exchangeTimeout: .seconds(60), retryPause: .seconds(30),
        retryCeiling: .minutes(15), cpuFactor: 1)
    var services = ServiceConfiguration(
        relay: RelayConfiguration(
            oneWayDelay: .constant(0.007), maximumRequestBody: nil, maximumResponseBody: nil),
        gateway: World.station(cores: 64), issuer: World.station(cores: 64), pir: World.station(cores: 64),
        backendDelay: .constant(0.0005), tokensPerUserPerDay: nil)
    var prefilter = PrefilterConfiguration(
        byteCount: 1_000, unchangedByteCount: 100, originBandwidth: nil, republishInterval: nil)
    var access = AccessNetwork(oneWayDelay: .constant(0.005), uplink: 1e6, downlink: 2e6)
    var faults: [Fault] = []
    var health = HealthRule()
    var connections: ConnectionRules?
    var sharesLines = false
    var site: SiteLine?
    var loads: [Load] = []
    /// Devices of the only group; `nil`: one per client.
    var deviceCount: Int?
    var compression = 1.0
    var spread = SimulatedDuration.zero
    var usage = DeviceUsage()
    var crowds: [Crowd] = []
    var rememberedRecords = TraceCache.maximumRecords
    var entries = World.list
    var watchedGroups: Set<String> = []

    init() {
        // Nothing is due by itself during a test that does not ask for it.
        device.evaluationKeyLife = 1_000_000 * Self.hour
        generation.tokens.life = 1_000_000 * Self.hour
        device.prefilterFetchInterval = 1_000_000 * Self.hour
    }

    static let hour: Nanoseconds = 3_600_000_000_000

    static func station(cores: Int, queueCapacity: Int? = nil) -> StationConfiguration {
        StationConfiguration(instances: 1, cores: cores, queueCapacity: queueCapacity, cpuFactor: 1)
    }

    static let list: BlockList = BlockList(
        ["listed.example", "listed.example/path"] + (0..<1000).map { "listed\($0).example" })

    /// URLs against ``list`` and a filter of it that errs so often.
    static func catalog(tolerance: Double) throws -> URLCatalog {
        let bloom = try BloomParameters(
            entryCount: 1_003, falsePositiveTolerance: tolerance, murmurSeed: 1)
        var filter = BloomFilter(parameters: bloom)
        for entry in list { filter.insert(KeyDigest(entry, murmurSeed: 1)) }
        return URLCatalog(
            filter: filter, list: BlockListIndex(list), rules: .documented,
            strayHits: try GeometricSkip(probability: tolerance))
    }

    static let filter: BloomFilter = {
        guard
            let parameters = try? BloomParameters(
                entryCount: 1_003, falsePositiveTolerance: 1e-9, murmurSeed: 1)
        else { preconditionFailure("these parameters are fine") }
        var filter = BloomFilter(parameters: parameters)
        for entry in list { filter.insert(KeyDigest(entry, murmurSeed: 1)) }
        filter.insert(KeyDigest("decoy.example", murmurSeed: 1))
        return filter
    }()

    static func catalog(_ entries: BlockList = list) throws -> URLCatalog {
        URLCatalog(
            filter: filter, list: BlockListIndex(entries), rules: .documented,
            strayHits: try GeometricSkip(probability: 0))
    }

    var clientCount: Int { (loads.map(\.client).max() ?? 0) + 1 }

    func trace() throws -> TraceReplay {
        var text = "time,client,url\n"
        let origin: Int64 = 1_790_000_000_000_000_000
        for load in loads {
            text += "\(origin + load.at.nanoseconds),c\(load.client),\(load.url)\n"
        }
        let bytes = Array(text.utf8)
        var options = TraceOptions()
        options.format = .delimited(separator: ",")
        options.columns = TraceColumns(time: "time", client: "client", url: "url", timeUnit: .nanoseconds)
        options.order = .sorted(limit: 10_000_000)
        let fixed = options
        return TraceReplay(
            open: { try TraceReader(ByteSource(bytes: bytes, name: "test trace"), options: fixed) },
            clientCount: max(Set(loads.map(\.client)).count, 1), origin: origin, compression: compression,
            spread: spread, cache: TraceCache(maximumRecords: rememberedRecords))
    }

    func groups() throws -> [DeviceGroup] {
        var group = DeviceGroup(
            name: "all", count: deviceCount ?? clientCount, workload: .trace(try trace()), access: access,
            rules: .documented, site: site, generation: generation)
        group.usage = usage
        return [group]
    }

    func configuration(groups: [DeviceGroup]) -> FleetConfiguration {
        var configuration = FleetConfiguration(
            seed: seed, duration: duration, warmUp: warmUp, drain: drain, seriesInterval: .seconds(60),
            start: start, groups: groups, behaviour: behaviour, services: services,
            urlFilter: URLFilterConfiguration(device: device, policy: policy, prefilter: prefilter),
            faults: faults, freshURLs: .tested,
            health: health, connections: connections, sharesLines: sharesLines)
        configuration.crowds = crowds
        configuration.watchedGroups = watchedGroups
        return configuration
    }

    /// Runs one replication and checks that nothing got lost in it.
    func run(
        _ work: any ProtocolWork, replication: UInt32 = 0, log: (any FleetLog)? = nil
    ) throws -> ReplicationRecord {
        try run(work, groups: try groups(), replication: replication, log: log)
    }

    func run(
        _ work: any ProtocolWork, groups: [DeviceGroup], replication: UInt32 = 0, log: (any FleetLog)? = nil
    ) throws -> ReplicationRecord {
        let catalog = try Self.catalog(entries)
        let record = try #require(
            try runReplication(
                configuration(groups: groups), catalogs: groups.map { _ in catalog }, .urlFilter(work),
                replication: replication, watchedBy: Onlooker(log: log)))
        expectConserved(record)
        return record
    }

    /// Charged from ``CostProfile/constant``.
    func calibrated(groups: [DeviceGroup]? = nil) throws -> CalibratedWork {
        let count = try (groups ?? self.groups()).reduce(0) { $0 + $1.count }
        return try CalibratedWork(
            profile: .constant, deviceCount: count, tokensPerUserPerDay: services.tokensPerUserPerDay,
            tokenKeysKept: services.tokenKeysKept, servers: services.keyServers(.constant), seed: seed,
            replication: 0)
    }

    func run() throws -> ReplicationRecord { try run(calibrated()) }
}

/// Every URL has one fate, and so has every lookup and every verdict by the policy.
func expectConserved(_ record: ReplicationRecord, sourceLocation: SourceLocation = #_sourceLocation) {
    let urls = record.urls
    #expect(
        urls.checked == urls.allowedByPrefilter + urls.allowedByServer + urls.blockedByServer
            + urls.allowedByPolicy + urls.blockedByPolicy + urls.unfinished + (urls.notAsked?.count ?? 0),
        sourceLocation: sourceLocation)
    #expect(
        urls.policyCauses.values.reduce(0, +) == urls.allowedByPolicy + urls.blockedByPolicy,
        sourceLocation: sourceLocation)
    let lookups = record.urlFilter.lookups
    #expect(
        lookups.sent == lookups.answered + lookups.failed.values.reduce(0, +) + lookups.unfinished,
        sourceLocation: sourceLocation)
    for (endpoint, traffic) in record.urlFilter.endpoints {
        #expect(
            traffic.requests == traffic.succeeded + traffic.failures + traffic.unfinished, "\(endpoint)",
            sourceLocation: sourceLocation)
    }
    for resource in record.resourceChecks {
        #expect(resource.check.holds, "\(resource)", sourceLocation: sourceLocation)
    }
    #expect(
        Set(record.resourceChecks.map { Part($0.resource).role.name }).isSuperset(of: [
            "gateway", "issuer", "pir", "requests",
        ]),
        sourceLocation: sourceLocation)
    for (name, station) in record.stations {
        #expect(
            station.presentAtStart + station.arrivals
                == station.completions + station.rejections + station.dropped + station.present, "\(name)",
            sourceLocation: sourceLocation)
        #expect(
            station.peakUtilization >= station.utilization * 0.999
                || station.intervalUtilizations.count < 10, "\(name)", sourceLocation: sourceLocation)
        #expect(
            station.utilization >= 0 && station.utilization <= 1, "\(name)", sourceLocation: sourceLocation)
    }
}

extension CostProfile {
    /// The same cost on every draw, and a different one for every stage.
    static let constant: CostProfile = {
        let sizes: [Endpoint: (Int, Int)] = [
            .directory: (500, 1_000), .tokenKey: (500, 700), .issue: (700, 600), .config: (1_000, 2_000),
            .key: (400_000, 300), .queries: (29_000, 30_000),
        ]
        var endpoints: [String: EndpointCost] = [:]
        for endpoint in Endpoint.allCases {
            guard let (request, response) = sizes[endpoint] else { continue }
            endpoints[endpoint.rawValue] = EndpointCost(
                deviceBegins: StageCost(samples: [1_000_003]), gatewayOpens: StageCost(samples: [2_000_029]),
                serviceAnswers: StageCost(samples: [5_000_011]),
                gatewaySeals: StageCost(samples: [3_000_017]), deviceEnds: StageCost(samples: [700_001]),
                requestBytes: request, responseBytes: response)
        }
        return CostProfile(
            machine: .init(processor: "none", cores: 1, system: "none", compiler: "none", build: "test"),
            subject: .init(
                rlweParameters: "none", entries: 1, shards: 1, dimensions: [1, 1], databaseBytes: 1),
            endpoints: endpoints,
            extraKeyword: .init(
                deviceBegins: 100_003, gatewayOpens: 200_003, serviceAnswers: 300_007, gatewaySeals: 400_009,
                deviceEnds: 500_009, requestBytes: 28_000, responseBytes: 29_000),
            evaluationKeyBytes: 400_000)
    }()
}
