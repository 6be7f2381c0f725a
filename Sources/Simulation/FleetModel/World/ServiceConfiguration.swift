package import EventSimulation
package import RandomStreams

/// The operator's servers, and the relay before them.
package struct ServiceConfiguration: Sendable {
    package var relay: RelayConfiguration
    /// One for each role.
    package var stations: [Part: StationConfiguration]
    /// One-way delay between the part that messages come to first and the services behind it, seconds.
    package var backendDelay: Distribution
    /// Privacy Pass tokens one user may be issued per day; `nil` for no limit.
    package var tokensPerUserPerDay: Int?
    /// How long the PIR servers take tokens of a key that the issuer has no longer.
    package var tokenKeysKept = SimulatedDuration.zero
    /// Data centres; empty for a single one with the services above.
    package var regions: [RegionConfiguration] = []
    package var healthCheck = HealthCheck(interval: .seconds(10), threshold: 3)

    package init(
        relay: RelayConfiguration, stations: [Part: StationConfiguration], backendDelay: Distribution,
        tokensPerUserPerDay: Int? = nil
    ) {
        self.relay = relay
        self.stations = stations
        self.backendDelay = backendDelay
        self.tokensPerUserPerDay = tokensPerUserPerDay
    }

    /// Servers of a role, one record per data centre.
    package func byRegion(_ role: Part) -> [StationConfiguration] {
        regions.isEmpty ? [self[role]] : regions.map { $0[role] }
    }

    /// Changes the servers of a role in every region alike.
    package mutating func change(_ role: Part, _ change: (inout StationConfiguration) -> Void) {
        change(&self[role])
        for region in regions.indices { change(&regions[region][role]) }
    }

    /// All data centres: at least one.
    func allRegions(groups: [DeviceGroup], originBandwidth: Double?) -> [RegionConfiguration] {
        guard regions.isEmpty else { return regions }
        return [
            RegionConfiguration(
                name: nil, stations: stations, originBandwidth: originBandwidth,
                relayDelays: groups.map { relay.delay(from: $0.continent) })
        ]
    }

    /// - Parameter role: Of ``stations``.
    package subscript(role: Part) -> StationConfiguration {
        get { stations.servers(of: role) }
        set { stations[role] = newValue }
    }
}

extension [Part: StationConfiguration] {
    func servers(of role: Part) -> StationConfiguration {
        guard let servers = self[role] else { preconditionFailure("\(role) has no servers") }
        return servers
    }
}

/// Apple's Oblivious HTTP relay, seen from outside: a delay, size caps and quotas.
package struct RelayConfiguration: Sendable {
    /// One-way delay from the relay's edge to the gateway, seconds.
    package var oneWayDelay: Distribution
    /// Largest encapsulated request it forwards, bytes; larger ones get 413.
    package var maximumRequestBody: Int?
    /// Largest encapsulated response it forwards, bytes; larger ones are dropped and end as 502.
    package var maximumResponseBody: Int?
    package var quotas: [RelayQuota]
    /// Instead of `oneWayDelay`, seconds, from the edges near devices of a continent.
    package var edgeDelays: [Continent: Distribution]
    /// `nil`: it works for all devices.
    package var provisioning: RelayProvisioning?

    package init(
        oneWayDelay: Distribution, maximumRequestBody: Int?, maximumResponseBody: Int?,
        quotas: [RelayQuota] = [], edgeDelays: [Continent: Distribution] = [:]
    ) {
        self.oneWayDelay = oneWayDelay
        self.maximumRequestBody = maximumRequestBody
        self.maximumResponseBody = maximumResponseBody
        self.quotas = quotas
        self.edgeDelays = edgeDelays
    }

    /// Delay from the edge near these devices to the gateway, seconds.
    package func delay(from continent: Continent?) -> Distribution {
        continent.flatMap { edgeDelays[$0] } ?? oneWayDelay
    }
}

/// Machines of one service.
package struct StationConfiguration: Sendable {
    package var instances: Int
    package var cores: Int
    /// Requests that an instance computes at once; `nil`: one for each core. Where these are more than `cores`, the
    /// cores limit their CPU time (``CPUQuota``).
    package var threads: Int?
    /// Who is served next, and who is answered 503 when there is no room. Owners are the devices.
    package var queue = QueueDiscipline.firstCome
    /// Requests that may wait at one instance, or at all together for `pooled`; those beyond are answered 503. `nil`
    /// for no limit.
    package var queueCapacity: Int?
    /// How long a request may wait. One that would probably wait longer is answered 503 at once, and one that does when
    /// its time is over. `nil` for no limit. For the PIR servers only.
    package var queueTime: SimulatedDuration?
    /// CPU seconds on this machine per CPU second of the profile's machine.
    package var cpuFactor: Double
    /// Slow and fast phases, of each instance for itself; of all together for `pooled`. `nil`: as fast all the time.
    package var speed: SpeedProcess?
    /// Slowness of each instance that begins to take requests; in a `pooled` service, where nobody can tell them apart,
    /// only when all restart. `nil`: as fast as ever at once.
    package var coldStart: ColdStart?
    /// Pauses of each instance, at times of its own; of all at once for `pooled`. `nil`: none.
    package var pauses: ServerPauses?
    package var balancing: Balancing
    /// `nil`: there are always `instances` of them; else so many at first.
    package var scaling: ScalingRule?
    /// `nil`: none of the instances can be taken back.
    package var spot: SpotRule?
    /// Lookups that wait are answered together; `nil`: one by one. For the PIR servers only.
    package var grouping: LookupGrouping?
    /// Bytes that an instance has for database and evaluation keys; `nil`: not looked at. For the PIR servers only.
    package var memory: Int?
    /// Place where evaluation keys are kept. For the PIR servers only.
    package var keyStore: KeyStoreKind

    package init(
        instances: Int, cores: Int, queueCapacity: Int?, cpuFactor: Double, speed: SpeedProcess? = nil,
        balancing: Balancing = .pooled, scaling: ScalingRule? = nil, grouping: LookupGrouping? = nil,
        memory: Int? = nil,
        keyStore: KeyStoreKind? = nil
    ) {
        self.instances = instances
        self.cores = cores
        self.queueCapacity = queueCapacity
        self.cpuFactor = cpuFactor
        self.speed = speed
        self.balancing = balancing
        self.scaling = scaling
        self.grouping = grouping
        self.memory = memory
        // Of the stores, only the one that instances share works behind any balancer.
        self.keyStore = keyStore ?? (instances == 1 && scaling == nil ? .memory : .shared)
    }

    /// Requests that an instance computes at once.
    package var threadsPerInstance: Int { threads ?? cores }

    /// Cores of an instance that its threads can use.
    package var usableCores: Int { min(cores, threadsPerInstance) }

    package var serverCount: Int { instances * usableCores }

    /// Its servers are never slower than the machine, and never stand still.
    package var isSteady: Bool { coldStart == nil && pauses == nil }

    /// Queues that requests are sent to: the instances that there ever are, or one for `pooled`.
    package var lineCount: Int { balancing == .pooled ? 1 : scaling?.maximum ?? instances }
}

/// Place where PIR servers keep the evaluation keys of devices.
package enum KeyStoreKind: String, CaseIterable, Codable, Sendable {
    /// Memory of the instance that got the key; the key is gone when it restarts, or when memory runs out.
    case memory
    /// Memory of every instance: the gateway passes each key on to all of them, as `urlfilter serve gateway` does for
    /// all ways of balancing but `stickyByUser`. What an instance did not get, or lost, it does not know.
    case copied
    /// File of the instance that got the key.
    case sqlite
    /// Store that all instances of a region share.
    case shared

    /// A restart loses the keys.
    var isLostByRestart: Bool { self == .memory || self == .copied }
}

/// How a PIR server answers lookups together that wait when one of its cores becomes free.
///
/// A core takes its share of the line, the length of the line over the number of cores, up to `limit`. None of the
/// group is answered before the last of it is.
package struct LookupGrouping: Hashable, Sendable {
    /// Most lookups in one group. At least 1.
    package var limit: Int
    /// CPU time that each lookup of a group after the first adds, over what it takes alone: fewer passes over the
    /// database. At most 1.
    package var followerShare: Double
    /// Most questions in one group, unless one lookup has more; `nil` for no limit.
    package var questionLimit: Int?

    var bounds: GroupBounds { GroupBounds(count: limit, units: questionLimit) }

    package init(limit: Int, followerShare: Double, questionLimit: Int? = nil) {
        precondition(limit >= 1, "a group has at least one lookup, got \(limit)")
        self.questionLimit = questionLimit
        precondition(followerShare >= 0, "a share of a cost cannot be negative, got \(followerShare)")
        self.limit = limit
        self.followerShare = followerShare
    }
}
