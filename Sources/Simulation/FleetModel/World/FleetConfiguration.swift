package import EventSimulation
package import RandomStreams
package import URLFilter
package import Workload

/// Everything one replication needs to know, with no default left open.
///
/// `Experiment` makes it from a scenario file. Times are simulated time, sizes bytes, delays one way.
package struct FleetConfiguration: Sendable {
    package var seed: UInt64
    /// Length of the observed period, from the start of the simulation.
    package var duration: SimulatedDuration
    /// Requests that start earlier are simulated but not counted.
    package var warmUp: SimulatedDuration
    /// How long the world runs on after `duration`, so that open lookups can end.
    package var drain: SimulatedDuration
    /// Width of one point of the time series.
    package var seriesInterval: SimulatedDuration
    package var start: FleetStart
    package var groups: [DeviceGroup]
    package var behaviour: DeviceBehaviour
    package var services: ServiceConfiguration
    package var urlFilter: URLFilterConfiguration
    /// Mechanism that filters instead of the URL filter; `nil` for the URL filter.
    package var mechanism: MechanismConfiguration?
    package var faults: [Fault]
    package var freshURLs: FreshURLTreatment
    package var health: HealthRule
    /// `nil`: every message finds an open connection with a wide window.
    package var connections: ConnectionRules?
    /// Messages of one device wait for each other on its access line; else each has all of it.
    package var sharesLines: Bool
    package var crowds: [Crowd] = []
    /// Ends of the devices' waits, which are replayed; `nil`: they are drawn. For a steady start.
    package var instants: DeviceInstants?
    /// How long before a steady start devices have been browsing: what they looked up is in their verdict caches.
    package var history = SimulatedDuration.zero
    /// Whether records have an ``ArrivalLog``.
    package var keepsArrivals = false
    /// Names of groups that records have a ``GroupRecord`` of.
    package var watchedGroups: Set<String> = []

    package init(
        seed: UInt64, duration: SimulatedDuration, warmUp: SimulatedDuration, drain: SimulatedDuration,
        seriesInterval: SimulatedDuration, start: FleetStart, groups: [DeviceGroup],
        behaviour: DeviceBehaviour, services: ServiceConfiguration, urlFilter: URLFilterConfiguration,
        faults: [Fault], freshURLs: FreshURLTreatment,
        health: HealthRule = HealthRule(), connections: ConnectionRules? = nil, sharesLines: Bool = false
    ) {
        self.seed = seed
        self.duration = duration
        self.warmUp = warmUp
        self.drain = drain
        self.seriesInterval = seriesInterval
        self.start = start
        self.groups = groups
        self.behaviour = behaviour
        self.services = services
        self.urlFilter = urlFilter
        self.faults = faults
        self.freshURLs = freshURLs
        self.health = health
        self.connections = connections
        self.sharesLines = sharesLines
    }

    package var deviceCount: Int { groups.reduce(0) { $0 + $1.count } }

    /// Whether the devices of a group have nothing when their filters start.
    package func startsCold(_ group: DeviceGroup) -> Bool { start == .cold || group.usage.rollOut > .zero }
}

/// The state of the fleet when the clock starts.
package enum FleetStart: String, CaseIterable, Sendable {
    /// Every device has just been switched on: no prefilter, tokens, configuration or evaluation key.
    case cold
    /// Every device has been running for long: prefilter loaded, tokens in stock, key uploaded, with
    /// ages spread evenly over their periods, verdict caches filled by ``FleetConfiguration/history``.
    case steady
}

/// Devices that share a workload, an access network and a generation of the operating system.
package struct DeviceGroup: Sendable {
    /// Groups of one name follow each other: to faults, crowds and sites they are one.
    package var name: String
    package var count: Int
    package var workload: GroupWorkload
    package var access: AccessNetwork
    package var rules: MatchingRules
    /// `nil` when nobody said where these devices are.
    package var continent: Continent?
    /// The line that devices share beside their own; `nil` for none.
    package var site: SiteLine?
    package var usage = DeviceUsage()
    package var generation: GenerationRules
    /// `nil` for devices that report nothing.
    package var reports: ReportRules?

    package init(
        name: String, count: Int, workload: GroupWorkload, access: AccessNetwork, rules: MatchingRules,
        continent: Continent? = nil, site: SiteLine? = nil,
        generation: GenerationRules = GenerationRules()
    ) {
        self.name = name
        self.count = count
        self.workload = workload
        self.access = access
        self.rules = rules
        self.continent = continent
        self.site = site
        self.generation = generation
    }
}

/// Source of a group's requests.
package enum GroupWorkload: Sendable {
    case synthetic(SyntheticWeb, BrowsingHabits)
    case trace(TraceReplay)
    case lookups(LookupTraffic)
}

/// A recorded trace that a group replays.
///
/// With at least as many devices as trace clients, device `d` replays client `d mod clients`; the second
/// and later copies of a client are shifted by a random offset of up to `spread`. With fewer devices,
/// client `c` is replayed by device `c mod count`.
package struct TraceReplay: Sendable {
    /// Opens the trace from its beginning; each replication reads it once.
    package var open: @Sendable () throws -> TraceReader
    /// Distinct clients in the trace, in order of appearance.
    package var clientCount: Int
    /// Time of the first record, nanoseconds since 1970.
    package var origin: Int64
    /// Trace seconds per simulated second.
    package var compression: Double
    package var spread: SimulatedDuration
    /// Places that each client of the trace takes among ``clientCount``, as in the order of the clients;
    /// `nil`: each its own. A second place of a client is shifted like a copy.
    package var places: [[Int]]?
    /// The group is these of so many devices that replay the trace together; `nil` for all.
    package var part: (devices: Range<Int>, of: Int)?
    /// Keeps what was read once for further replications.
    package let cache: TraceCache

    package init(
        open: @escaping @Sendable () throws -> TraceReader, clientCount: Int, origin: Int64,
        compression: Double, spread: SimulatedDuration, cache: TraceCache = TraceCache()
    ) {
        self.open = open
        self.clientCount = clientCount
        self.origin = origin
        self.compression = compression
        self.spread = spread
        self.cache = cache
    }
}

/// The last mile between a device and the relay's nearest edge.
package struct AccessNetwork: Sendable {
    /// One-way delay of one message, seconds.
    package var oneWayDelay: Distribution
    /// Device to network, bytes per second.
    package var uplink: Double
    /// Network to device, bytes per second.
    package var downlink: Double
    /// `nil` for a network without a radio that sleeps.
    package var radio: RadioSleep?
    /// How alike the delays of one device are.
    package var memory = DelayMemory.none
    /// Share of packets that get lost, each way. In `0..<1`.
    package var loss = 0.0

    package init(oneWayDelay: Distribution, uplink: Double, downlink: Double, radio: RadioSleep? = nil) {
        self.oneWayDelay = oneWayDelay
        self.uplink = uplink
        self.downlink = downlink
        self.radio = radio
    }
}

/// How devices act where Apple publishes no rule. Every default is an assumption unless it says otherwise.
package struct DeviceBehaviour: Sendable {
    /// A device asks `/config` again this often. Period not published; assumption.
    package var configurationRefetch: SimulatedDuration
    /// A device gives an exchange up when there is no answer after this long; the servers are not told and
    /// still do their work. Assumption.
    package var exchangeTimeout: SimulatedDuration
    /// First pause before a failed set-up step is tried again; doubles up to `retryCeiling`. Assumption.
    package var retryPause: SimulatedDuration
    package var retryCeiling: SimulatedDuration
    /// Device CPU seconds per CPU second of the machine that the cost profile was measured on. Assumption.
    package var cpuFactor: Double
    /// Share of a page's unchanging objects, besides its document, whose verdict the objects after them wait for.
    /// In `0...1`. Assumption: a chain of 3.4 dependent resources on a median page of 70 requests (article "Workload",
    /// section "One page load") is the document and 2.4 of the 69 others.
    package var blockingShare: Double
    /// Further tries of a lookup that failed, at once, as long as the URL that asked for it still waits; each costs a
    /// token. Assumption: none.
    package var lookupRetries: Int
    /// A lookup without an answer after so long is sent a second time, if there is a token for it; the first answer
    /// counts. `nil` for never. Assumption: never.
    package var hedgeAfter: SimulatedDuration?

    package init(
        configurationRefetch: SimulatedDuration, exchangeTimeout: SimulatedDuration,
        retryPause: SimulatedDuration, retryCeiling: SimulatedDuration, cpuFactor: Double,
        blockingShare: Double = 0.035, lookupRetries: Int = 0, hedgeAfter: SimulatedDuration? = nil
    ) {
        self.configurationRefetch = configurationRefetch
        self.exchangeTimeout = exchangeTimeout
        self.retryPause = retryPause
        self.retryCeiling = retryCeiling
        self.cpuFactor = cpuFactor
        self.blockingShare = blockingShare
        self.lookupRetries = lookupRetries
        self.hedgeAfter = hedgeAfter
    }
}

/// Treatment of the random text in URLs of the synthetic web.
package enum FreshURLTreatment: String, Sendable {
    /// Every lookup string is made and tested, at a few microseconds per URL.
    case tested
    /// Strings with random text hit with the rate counted on the built filter, and misses are counted in bulk:
    /// text that belongs to an object hits by a draw that belongs to the object, a fresh token by a draw of each
    /// load. The strings made of a host alone, and all those of listed hosts, are tested. Rules that look into
    /// queries or for a pattern test everything but the fresh tokens.
    case bulk
}
