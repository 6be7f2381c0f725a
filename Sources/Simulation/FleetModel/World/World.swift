import EventSimulation
import RandomStreams

/// Common ground of all ways of filtering: groups of devices and their loads, parts and the messages between them,
/// faults, and the record of it all.
///
/// What happens at each message takes the world `inout` even where it reads alone, and reads of a few fields are
/// inlined: a world that is lent is copied first, a kilobyte each time.
package struct World {
    let configuration: FleetConfiguration
    let replication: UInt32
    /// All parts; elsewhere a part is its place in this list.
    let parts: [Part]
    /// Parts that no fault and no quota of this run concerns: passing one that has no queue is no event.
    let isPlain: [Bool]
    let regions: [RegionConfiguration]
    /// Places of each region's parts.
    let partsOfRegions: [[Int]]
    var router: RegionRouter
    var record: ReplicationRecord
    var loads: OpenLoads
    var post: Post
    var stations: [Station]
    var faults: FaultState
    /// `nil` without faults.
    var faultHarms: FaultHarmMeter?
    var quotas: [QuotaMeter]
    var connections: Connections
    let delayLevels: DelayLevels
    var lines: Lines
    var downloads = SlotPool<Download>()
    let watchedGroups: WatchedGroups
    /// Group, and numbers drawn so far for the delays of its messages, of each device.
    private let groupNumbers: [UInt16]
    private var networkPositions: [UInt32]
    private var backend: RandomStream
    /// Who wants to know what happens, and what it will be told.
    let log: (any FleetLog)?
    var trails = LookupTrails()

    /// - Parameters:
    ///   - catalogs: One per group of `configuration`, for its matching rules.
    ///   - threads: Threads that make loads, this one included. No result depends on it.
    init(
        _ configuration: FleetConfiguration, _ layout: WorldLayout, catalogs: [URLCatalog],
        replication: UInt32, threads: Int, log: (any FleetLog)? = nil
    ) {
        precondition(
            catalogs.count == configuration.groups.count,
            "\(configuration.groups.count) device groups need as many catalogs, got \(catalogs.count)")
        self.configuration = configuration
        self.replication = replication
        self.log = log
        regions = configuration.services.allRegions(
            groups: configuration.groups, originBandwidth: configuration.urlFilter.prefilter.originBandwidth)
        let parts = layout.parts(regions: regions.map(\.name))
        self.parts = parts
        quotas = configuration.services.relay.quotas.map { QuotaMeter($0) }
        connections = Connections(configuration)
        delayLevels = DelayLevels(configuration, replication: replication)
        lines = Lines(configuration)
        let hasQuotas = !quotas.isEmpty
        isPlain = parts.map { !hasQuotas && !Self.concern($0, configuration.faults) }
        record = Self.record(configuration, catalogs, replication: replication)
        record.regions = regions.compactMap(\.name).map { RegionRecord(name: $0) }
        (watchedGroups, record.groups) = WatchedGroups.begin(configuration)
        faultHarms = FaultHarmMeter(configuration, step: record.health.stepLength)
        loads = OpenLoads(
            producer: LoadProducer(
                configuration, catalogs: catalogs, replication: replication, threads: threads))
        partsOfRegions = regions.indices.map { region in
            let first = layout.shared.count + region * layout.regional.count
            return Array(first..<first + layout.regional.count)
        }
        router = RegionRouter(
            regions, groupCount: configuration.groups.count,
            threshold: configuration.services.healthCheck.threshold)
        let routes = layout.routes(regions.count)
        post = Post(
            routes: routes, kindCount: routes.count / regions.count, partCount: parts.count)
        stations = Self.stations(layout.stations, in: regions) { entity, purpose in
            RandomStream(
                seed: configuration.seed, replication: replication, entity: UInt32(entity), purpose: purpose)
        }
        faults = FaultState(parts: parts, groupCount: configuration.groups.count)
        groupNumbers = configuration.groups.enumerated().flatMap { number, group in
            repeatElement(UInt16(number), count: group.count)
        }
        networkPositions = Array(repeating: 0, count: configuration.deviceCount)
        backend = RandomStream(
            seed: configuration.seed, replication: replication, entity: 0, purpose: .backend)
    }

    /// Whether one of the faults has to be looked for where messages pass a part.
    private static func concern(_ part: Part, _ faults: [Fault]) -> Bool {
        faults.contains { fault in
            switch fault.kind {
            case .sizeCap, .relayWithoutGateway: true
            default: fault.kind.concerns(part)
            }
        }
    }

    /// The record of a replication before its start: what is counted has a 0, what cannot be is absent.
    private static func record(
        _ configuration: FleetConfiguration, _ catalogs: [URLCatalog], replication: UInt32
    ) -> ReplicationRecord {
        let observed = configuration.duration - configuration.warmUp
        var record = ReplicationRecord(
            replication: replication, observedSeconds: observed.seconds,
            seriesInterval: configuration.seriesInterval, health: configuration.health)
        if configuration.keepsArrivals { record.arrivals = ArrivalLog() }
        let usages = configuration.groups.map(\.usage)
        if usages.contains(where: { !$0.allTakePart || $0.coveredHours != nil }) {
            record.urls.notAsked = NotAskedURLs()
        }
        if usages.contains(where: { $0.unknownShare > 0 }) {
            record.urls.notAsked?.unknown = 0
            record.urls.notAsked?.listedUnknown = 0
        }
        if catalogs.contains(where: { $0.unmatchable.count > 0 }) { record.urls.unmatchable = 0 }
        return record
    }

    /// - Parameter random: The stream of an entity for a purpose.
    private static func stations(
        _ names: [Part], in regions: [RegionConfiguration],
        random: (_ entity: Int, StreamPurpose) -> RandomStream
    ) -> [Station] {
        regions.enumerated().flatMap { region, services in
            names.enumerated().map { number, part in
                let place = region * names.count + number
                var station = Station(
                    Part(part, region: services.name), region: region, services[part],
                    choices: random(place, .balancing),
                    random: { line, purpose in
                        random((line * regions.count + region) * names.count + number, purpose)
                    })
                station.spot = SpotInstances(services[part], random: random(place, .spot))
                return station
            }
        }
    }

    /// Number of a device's group.
    func group(of device: Int) -> Int { Int(groupNumbers[device]) }

    func access(of device: Int) -> AccessNetwork { configuration.groups[group(of: device)].access }

    /// Whether what starts at `time` belongs to the observed period.
    func counts(_ time: SimulatedTime) -> Bool {
        time.nanoseconds >= configuration.warmUp.nanoseconds
            && time.nanoseconds < configuration.duration.nanoseconds
    }

    /// Whether new page visits and checks may still begin.
    func isOpen(_ time: SimulatedTime) -> Bool { time.nanoseconds < configuration.duration.nanoseconds }

    /// One way over a device's access network, without the time for sending.
    ///
    /// - Parameter path: See ``path(of:at:)``.
    mutating func accessDelay(_ device: Int, path: Double) -> SimulatedDuration {
        let access = access(of: device)
        if case .constant(let value) = access.oneWayDelay { return .seconds(value) }
        return .seconds(draw(device) { access.memory.draw(access.oneWayDelay, path: path, using: &$0) })
    }

    /// Propagation on one leg of the way of a message.
    mutating func delay(of leg: Leg, _ slot: Int) -> SimulatedDuration {
        delay(
            of: leg, device: post.messages[slot].device, region: post.messages[slot].region,
            path: Double(post.messages[slot].path))
    }

    /// - Parameter path: See ``path(of:at:)``.
    mutating func delay(of leg: Leg, device: Int, region: Int, path: Double) -> SimulatedDuration {
        switch leg {
        case .uplink, .downlink: accessDelay(device, path: path)
        case .relayed(let part):
            .seconds(
                drawDelay(device, regions[region].relayDelays[group(of: device)])
                    * faults.slowDown(of: part))
        case .backend: .seconds(configuration.services.backendDelay.sample(using: &backend))
        }
    }

    /// Draws from the stream of the device's message delays.
    mutating func drawDelay(_ device: Int, _ distribution: Distribution) -> Double {
        if case .constant(let value) = distribution { return value }
        return draw(device) { distribution.sample(using: &$0) }
    }

    /// Goes on with the stream of the device's message delays.
    mutating func draw<Value>(_ device: Int, _ value: (inout RandomStream) -> Value) -> Value {
        var stream = RandomStream(
            seed: configuration.seed, replication: replication, entity: UInt32(device), purpose: .network,
            position: UInt64(networkPositions[device]))
        defer { networkPositions[device] = UInt32(truncatingIfNeeded: stream.position) }
        return value(&stream)
    }
}

extension SimulatedDuration {
    /// CPU time of a cost profile on another machine.
    init(cpu nanoseconds: Int64, times factor: Double) {
        self = SimulatedDuration(nanoseconds: nanoseconds) * factor
    }
}
