package import EventSimulation
package import RandomStreams

/// A data centre of the operator, with servers of every role and an origin of its own.
package struct RegionConfiguration: Sendable {
    /// `nil` for the only one.
    package var name: String?
    /// One for each role.
    package var stations: [Part: StationConfiguration]
    /// Bandwidth of the origin of what devices download, bytes per second; `nil` for no limit.
    package var originBandwidth: Double?
    /// One-way delay from the relay's edge near the devices of each group to the services, seconds, by group.
    package var relayDelays: [Distribution]
    /// Whether devices of each group may be served here; `nil`: all may.
    package var serves: [Bool]?

    package init(
        name: String?, stations: [Part: StationConfiguration], originBandwidth: Double?,
        relayDelays: [Distribution], serves: [Bool]? = nil
    ) {
        self.name = name
        self.stations = stations
        self.originBandwidth = originBandwidth
        self.relayDelays = relayDelays
        self.serves = serves
    }

    /// - Parameter role: Of ``stations``.
    package subscript(role: Part) -> StationConfiguration {
        get { stations.servers(of: role) }
        set { stations[role] = newValue }
    }
}

/// How it is found out that a region is down: by requests to it at equal times, as load balancers and DNS services
/// send them (article "Networks", section "Regions").
package struct HealthCheck: Hashable, Sendable {
    package var interval: SimulatedDuration
    /// So many checks in a row fail before a region is taken out, and succeed before it comes back.
    package var threshold: Int

    package init(interval: SimulatedDuration, threshold: Int) {
        precondition(interval > .zero && threshold >= 1, "a health check needs a pause and a threshold")
        self.interval = interval
        self.threshold = threshold
    }
}

/// Sends devices to the nearest region that may serve them and is known to be healthy.
struct RegionRouter {
    /// Regions that may serve each group, the nearest one first.
    private let orders: [[Int]]
    private let threshold: Int
    /// One for each region.
    private var isOut: [Bool]
    /// Checks in a row that said the opposite of what is believed.
    private var contradictions: [Int]

    init(_ regions: [RegionConfiguration], groupCount: Int, threshold: Int) {
        orders = (0..<groupCount).map { group in
            let order = regions.indices.filter { regions[$0].serves?[group] ?? true }.sorted {
                (regions[$0].relayDelays[group].mean, $0) < (regions[$1].relayDelays[group].mean, $1)
            }
            precondition(!order.isEmpty, "a group needs a region that may serve it")
            return order
        }
        self.threshold = threshold
        isOut = Array(repeating: false, count: regions.count)
        contradictions = Array(repeating: 0, count: regions.count)
    }

    /// The nearest region of a group, healthy or not.
    func home(ofGroup group: Int) -> Int { orders[group][0] }

    /// Region to which the devices of a group are sent now: the nearest one if none is healthy.
    func region(forGroup group: Int) -> Int {
        guard isOut[orders[group][0]] else { return orders[group][0] }
        return orders[group].first { !isOut[$0] } ?? orders[group][0]
    }

    mutating func noteCheck(of region: Int, succeeded: Bool) {
        guard succeeded == isOut[region] else { return contradictions[region] = 0 }
        contradictions[region] += 1
        guard contradictions[region] >= threshold else { return }
        isOut[region].toggle()
        contradictions[region] = 0
    }
}

/// A server that a request comes to.
package struct ServerPlace: Hashable, Sendable {
    package var region: Int
    /// Instance of the region's service; 0 for a pooled one.
    package var instance: Int

    package init(region: Int = 0, instance: Int = 0) {
        self.region = region
        self.instance = instance
    }

    /// Place where there is but one.
    package static let only = ServerPlace()
}

extension World {
    /// Number of the region that a device's request is sent to now.
    func region(for device: Int) -> Int {
        regions.count == 1 ? 0 : router.region(forGroup: group(of: device))
    }

    /// The region that is nearest to a device.
    func home(of device: Int) -> Int {
        regions.count == 1 ? 0 : router.home(ofGroup: group(of: device))
    }

    /// Looks whether each region answers: all its parts are up, and each has an instance that takes requests.
    mutating func checkRegions() {
        for region in regions.indices {
            let isUp = partsOfRegions[region].allSatisfy { faults.availability(of: $0) == .up }
            let hasInstances = stations.allSatisfy { $0.region != region || $0.takesRequests }
            router.noteCheck(of: region, succeeded: isUp && hasInstances)
        }
    }
}
