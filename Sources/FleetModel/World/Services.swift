import EventSimulation
import RandomStreams

/// The stations behind the relay, and the delays between them.
struct Services {
    var gateway: ServiceStation<Int>
    var issuer: ServiceStation<Int>
    var pir: ServiceStation<Int>
    var origin: Link
    var backend: RandomStream
    private let configuration: ServiceConfiguration
    private var baseline: [StationName: Baseline] = [:]
    /// Longest queues since `beginObservation`.
    private var longestQueue: [StationName: Int] = [:]

    /// Mean share of busy servers in each interval of the series so far.
    private var utilizations: [StationName: [Double]] = [:]
    private var lastInterval: [StationName: StationAreas] = [:]
    /// When the observed period began.
    private var observationStart = SimulatedTime.start
    private let interval: SimulatedDuration

    private struct Baseline {
        var areas: StationAreas
        var totals: StationCounts
    }

    init(
        _ configuration: ServiceConfiguration, seed: UInt64, replication: UInt32, originBandwidth: Double?,
        interval: SimulatedDuration
    ) {
        self.configuration = configuration
        self.interval = interval
        func station(_ settings: StationConfiguration) -> ServiceStation<Int> {
            ServiceStation(servers: settings.serverCount, queueCapacity: settings.queueCapacity)
        }
        gateway = station(configuration.gateway)
        issuer = station(configuration.issuer)
        pir = station(configuration.pir)
        origin = Link(bandwidth: originBandwidth)
        backend = RandomStream(seed: seed, replication: replication, entity: 0, purpose: .backend)
    }

    subscript(name: StationName) -> ServiceStation<Int> {
        get {
            switch name {
            case .gateway: gateway
            case .issuer: issuer
            case .pir: pir
            }
        }
        _modify {
            switch name {
            case .gateway: yield &gateway
            case .issuer: yield &issuer
            case .pir: yield &pir
            }
        }
    }

    func settings(of name: StationName) -> StationConfiguration {
        switch name {
        case .gateway: configuration.gateway
        case .issuer: configuration.issuer
        case .pir: configuration.pir
        }
    }

    mutating func backendDelay() -> SimulatedDuration {
        .seconds(configuration.backendDelay.sample(using: &backend))
    }

    mutating func arrive(_ slot: Int, at name: StationName, _ now: SimulatedTime) -> Admission {
        let admission = self[name].arrive(slot, at: now)
        if case .waits = admission {
            let length = self[name].queueLength
            if length > longestQueue[name, default: 0] { longestQueue[name] = length }
        }
        return admission
    }

    /// Closes an interval of the series.
    mutating func endInterval(at now: SimulatedTime) {
        for name in StationName.allCases {
            let areas = self[name].areas(until: now)
            let added = lastInterval[name].map { areas - $0 } ?? areas
            utilizations[name, default: []].append(added.utilization ?? 0)
            lastInterval[name] = areas
        }
    }

    mutating func beginObservation(at now: SimulatedTime) {
        observationStart = now
        for name in StationName.allCases {
            longestQueue[name] = self[name].queueLength
            baseline[name] = Baseline(areas: self[name].areas(until: now), totals: self[name].totals)
        }
    }

    /// What the stations did since `beginObservation`.
    mutating func records(at now: SimulatedTime) -> [StationName: StationRecord] {
        // The interval that ends with the period belongs to it.
        if let last = lastInterval.values.first?.time, now - last == interval { endInterval(at: now) }
        var records: [StationName: StationRecord] = [:]
        for name in StationName.allCases {
            guard let before = baseline[name] else { continue }
            let areas = self[name].areas(until: now) - before.areas
            let totals = self[name].totals
            records[name] = StationRecord(
                servers: settings(of: name).serverCount, utilization: areas.utilization ?? 0,
                meanQueue: areas.meanQueueLength ?? 0, longestQueue: longestQueue[name, default: 0],
                arrivals: totals.arrivals - before.totals.arrivals,
                completions: totals.completions - before.totals.completions,
                rejections: totals.rejections - before.totals.rejections,
                dropped: totals.dropped - before.totals.dropped,
                present: self[name].busyServers + self[name].companions + self[name].queueLength,
                presentAtStart: before.totals.present,
                presentSeconds: Double(areas.present) * 1e-9, busySeconds: Double(areas.busy) * 1e-9,
                availableSeconds: Double(areas.available) * 1e-9,
                intervalUtilizations: observedUtilizations(of: name))
        }
        return records
    }

    /// Of the intervals that lie inside the observed period.
    private func observedUtilizations(of name: StationName) -> [Double] {
        let length = interval.nanoseconds
        let first = (observationStart.nanoseconds + length - 1) / length
        return Array(utilizations[name, default: []].dropFirst(Int(first)))
    }
}

extension StationCounts {
    /// Jobs that wait or are in service.
    fileprivate var present: Int { arrivals - completions - rejections - dropped - abandoned }
}

/// Which parts are out of order now.
struct FaultState {
    /// Per part: number of outages in force that refuse, and that stay silent.
    private var refusing = Array(repeating: 0, count: Fault.Part.allCases.count)
    private var silent = Array(repeating: 0, count: Fault.Part.allCases.count)
    /// Factors in force. Kept one by one: a product divided again would not come back to exactly 1.
    private var slowDowns: [[Double]] = Array(repeating: [], count: Fault.Part.allCases.count)
    private var products = Array(repeating: 1.0, count: Fault.Part.allCases.count)
    private var lost = Array(repeating: 0, count: Fault.Part.allCases.count)
    private var caps: [Int] = []
    private var captive: [Int]

    enum Availability {
        case up, refusing, silent
    }

    init(groupCount: Int) { captive = Array(repeating: 0, count: groupCount) }

    func availability(of part: Fault.Part) -> Availability {
        if silent[part.place] > 0 { return .silent }
        return refusing[part.place] > 0 ? .refusing : .up
    }

    /// What the times of a part are multiplied by; 1 when nothing slows it down.
    func slowDown(of part: Fault.Part) -> Double { products[part.place] }

    /// Instances of a part that take no requests.
    func lostInstances(of part: Fault.Part) -> Int { lost[part.place] }

    /// The smallest size cap in force at the relay, bytes.
    var cap: Int? { caps.min() }

    func isCaptive(group: Int) -> Bool { captive[group] > 0 }

    mutating func apply(_ kind: Fault.Kind, groups: [DeviceGroup], begins: Bool) {
        let step = begins ? 1 : -1
        switch kind {
        case .outage(let part, silent: true): silent[part.place] += step
        case .outage(let part, silent: false): refusing[part.place] += step
        case .slowDown(let part, let factor):
            if begins {
                slowDowns[part.place].append(factor)
            } else if let index = slowDowns[part.place].firstIndex(of: factor) {
                slowDowns[part.place].remove(at: index)
            }
            products[part.place] = slowDowns[part.place].reduce(1, *)
        case .sizeCap(let bytes):
            if begins {
                caps.append(bytes)
            } else if let index = caps.firstIndex(of: bytes) {
                caps.remove(at: index)
            }
        case .captivePortal(let name):
            for (index, group) in groups.enumerated() where name == nil || name == group.name {
                captive[index] += step
            }
        case .instanceLoss(let part, let instances): lost[part.place] += step * instances
        case .restart: break
        }
    }
}

extension Fault.Kind {
    var concernsRelay: Bool {
        switch self {
        case .outage(let part, silent: _), .restart(let part), .slowDown(let part, factor: _): part == .relay
        case .sizeCap: true
        case .instanceLoss, .captivePortal: false
        }
    }
}

extension Fault.Part {
    /// Place in arrays with one element per part.
    var place: Int {
        switch self {
        case .relay: 0
        case .gateway: 1
        case .issuer: 2
        case .pir: 3
        case .prefilterOrigin: 4
        }
    }

    var station: StationName? {
        switch self {
        case .gateway: .gateway
        case .issuer: .issuer
        case .pir: .pir
        case .relay, .prefilterOrigin: nil
        }
    }
}

extension Fleet {
    mutating func beginFault(
        _ fault: Fault, at now: SimulatedTime, _ agenda: inout Agenda<FleetEvent>
    ) throws {
        faults.apply(fault.kind, groups: configuration.groups, begins: true)
        switch fault.kind {
        case .restart(let part):
            try work.restart(part)
            dropQueue(of: part, silently: false, at: now, &agenda)
        case .outage(let part, let silent): dropQueue(of: part, silently: silent, at: now, &agenda)
        case .instanceLoss(let part, instances: _): try scale(part, at: now, &agenda)
        case .slowDown, .sizeCap, .captivePortal: break
        }
    }

    mutating func endFault(_ fault: Fault, at now: SimulatedTime, _ agenda: inout Agenda<FleetEvent>) throws {
        faults.apply(fault.kind, groups: configuration.groups, begins: false)
        if case .instanceLoss(let part, instances: _) = fault.kind { try scale(part, at: now, &agenda) }
    }

    /// Gives a part the servers of the instances that it has left.
    private mutating func scale(
        _ part: Fault.Part, at now: SimulatedTime, _ agenda: inout Agenda<FleetEvent>
    ) throws {
        guard let station = part.station else { return }
        let settings = services.settings(of: station)
        let left = max(0, settings.instances - faults.lostInstances(of: part))
        for slot in services[station].setServers(left * settings.cores, at: now) {
            try serve(slot, at: station, now, &agenda)
        }
    }

    /// Requests that wait at a part that goes down end with 503, or without any answer; those in service are
    /// still finished.
    private mutating func dropQueue(
        of part: Fault.Part, silently: Bool, at now: SimulatedTime, _ agenda: inout Agenda<FleetEvent>
    ) {
        guard let station = part.station else { return }
        for slot in services[station].drain(at: now) {
            if silently {
                lose(slot)
            } else {
                failOnTheWay(slot, status: 503, hops: station == .gateway ? 1 : 2, at: now, &agenda)
            }
        }
    }
}
