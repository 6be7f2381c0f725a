import EventSimulation
import RandomStreams

/// The servers of one part, and what they did in the observed period.
struct Station {
    let part: Part
    let settings: StationConfiguration
    /// One for each instance; a single one with the servers of all for `pooled`.
    var lines: [ServiceStation<Int>]
    var balancer: Balancer
    private var choices: RandomStream
    private var scaler: Scaler?
    private var lastDecision: StationAreas?
    /// Instances that a fault took away, the last ones, and those that a deployment replaces.
    private var lost = 0
    private var replaced = 0..<0
    /// Mean share of busy servers in each interval of the series so far.
    private var utilizations: [Double] = []
    private var lastInterval: StationAreas?
    /// Since the observation began, as the three after it.
    private var longestQueue = 0
    private var observationStart = SimulatedTime.start
    /// By line.
    private var areasBefore: [StationAreas] = []
    private var totalsBefore: [StationCounts] = []

    /// - Parameter choices: For a balancer that draws.
    init(_ part: Part, _ settings: StationConfiguration, choices: RandomStream) {
        self.part = part
        self.settings = settings
        self.choices = choices
        scaler = settings.scaling.map { Scaler($0, instances: settings.instances) }
        let active = scaler?.active ?? settings.instances
        let isPooled = settings.balancing == .pooled
        let count = isPooled ? 1 : settings.scaling?.maximum ?? settings.instances
        lines = (0..<count).map { line in
            let servers = isPooled ? active * settings.cores : line < active ? settings.cores : 0
            return ServiceStation(servers: servers, queueCapacity: settings.queueCapacity)
        }
        balancer = Balancer(settings.balancing, instances: count)
        for line in lines.indices where line >= active { balancer.set(line, isUp: false) }
    }

    /// Instances that there are, whether a fault took some of them away or not.
    var active: Int { scaler?.active ?? settings.instances }

    var queueLength: Int { lines.reduce(0) { $0 + $1.queueLength } }

    /// Jobs that wait or are in service.
    private var present: Int { lines.reduce(0) { $0 + $1.busyServers + $1.companions + $1.queueLength } }

    private func areas(until now: SimulatedTime) -> StationAreas {
        lines.dropFirst().reduce(lines[0].areas(until: now)) { $0 + $1.areas(until: now) }
    }

    /// Chooses the line of a request.
    ///
    /// - Returns: `nil` if no instance is up.
    mutating func choose(for device: Int) -> Int? {
        // The usual case needs neither the loads nor a draw.
        guard lines.count > 1 else { return balancer.instancesUp.first }
        var (balancer, choices) = (balancer, choices)
        defer { (self.balancer, self.choices) = (balancer, choices) }
        return balancer.choose(
            user: UInt64(device),
            load: { lines[$0].busyServers + lines[$0].companions + lines[$0].queueLength },
            draw: { choices.index(below: $0) })
    }

    mutating func arrive(_ slot: Int, line: Int, at now: SimulatedTime) -> Admission {
        let admission = lines[line].arrive(slot, at: now)
        if case .waits = admission { longestQueue = max(longestQueue, queueLength) }
        return admission
    }

    /// Takes the last instances away, or gives them back.
    ///
    /// - Returns: Requests that start now, and requests that waited at instances that are gone.
    mutating func lose(_ instances: Int, at now: SimulatedTime) -> (starting: [Int], dropped: [Int]) {
        lost = min(instances, active)
        let starting = update(at: now)
        guard settings.balancing != .pooled else { return (starting, []) }
        return (starting, (active - lost..<active).flatMap { lines[$0].drain(at: now) })
    }

    /// Looks at the utilization since the last time. An instance that is taken away works off what waits there.
    ///
    /// - Returns: Instances that are to start, and requests that start now.
    mutating func evaluateScaling(at now: SimulatedTime) -> (missing: Int, starting: [Int]) {
        let areas = areas(until: now)
        let since = lastDecision.map { areas - $0 } ?? areas
        lastDecision = areas
        let missing = scaler?.decide(utilization: since.utilization ?? 0, at: now) ?? 0
        return (missing, update(at: now))
    }

    /// New instances take requests.
    ///
    /// - Returns: Requests that start now.
    mutating func start(_ instances: Int, at now: SimulatedTime) -> [Int] {
        scaler?.started(instances)
        return update(at: now)
    }

    /// Sends these instances no more requests, and others again.
    ///
    /// - Returns: Requests that start now.
    mutating func replace(_ instances: Range<Int>, at now: SimulatedTime) -> [Int] {
        replaced = instances
        return update(at: now)
    }

    /// Takes away what waits at the instances that are being replaced. In one queue for all, others take it.
    mutating func stopReplaced(at now: SimulatedTime) -> [Int] {
        settings.balancing == .pooled ? [] : replaced.flatMap { lines[$0].drain(at: now) }
    }

    /// - Returns: Requests that start now.
    private mutating func update(at now: SimulatedTime) -> [Int] {
        let left = max(0, active - lost)
        guard settings.balancing != .pooled else {
            let servers = max(0, left - replaced.clamped(to: 0..<left).count) * settings.cores
            return lines[0].setServers(servers, at: now)
        }
        return lines.indices.flatMap { line in
            balancer.set(line, isUp: line < left && !replaced.contains(line))
            // One that is replaced, or no longer needed, still works off what waits.
            let hasWork = lines[line].busyServers + lines[line].queueLength > 0
            let works = line < left || line >= active && hasWork
            return lines[line].setServers(works ? settings.cores : 0, at: now)
        }
    }

    /// Takes every waiting request away.
    mutating func drain(at now: SimulatedTime) -> [Int] {
        lines.indices.flatMap { lines[$0].drain(at: now) }
    }

    /// Closes an interval of the series.
    mutating func endInterval(at now: SimulatedTime) {
        let areas = areas(until: now)
        let added = lastInterval.map { areas - $0 } ?? areas
        utilizations.append(added.utilization ?? 0)
        lastInterval = areas
    }

    mutating func beginObservation(at now: SimulatedTime) {
        observationStart = now
        longestQueue = queueLength
        areasBefore = lines.map { $0.areas(until: now) }
        totalsBefore = lines.map(\.totals)
    }

    /// What the station did since ``beginObservation(at:)``.
    ///
    /// - Parameter interval: Width of a point of the series.
    mutating func record(at now: SimulatedTime, interval: SimulatedDuration) -> StationRecord? {
        // The interval that ends with the period belongs to it.
        if let last = lastInterval?.time, now - last == interval { endInterval(at: now) }
        guard let first = areasBefore.first else { return nil }
        let areas = areas(until: now) - areasBefore.dropFirst().reduce(first) { $0 + $1 }
        func added(_ count: KeyPath<StationCounts, Int>) -> Int {
            zip(lines, totalsBefore).reduce(0) { $0 + $1.0.totals[keyPath: count] - $1.1[keyPath: count] }
        }
        // Intervals that lie inside the observed period.
        let firstInterval = (observationStart.nanoseconds + interval.nanoseconds - 1) / interval.nanoseconds
        return StationRecord(
            servers: settings.serverCount, utilization: areas.utilization ?? 0,
            meanQueue: areas.meanQueueLength ?? 0, longestQueue: longestQueue,
            arrivals: added(\.arrivals), completions: added(\.completions), rejections: added(\.rejections),
            dropped: added(\.dropped), present: present,
            presentAtStart: totalsBefore.reduce(0) { $0 + $1.present },
            presentSeconds: Double(areas.present) * 1e-9,
            busySeconds: Double(areas.busy) * 1e-9, availableSeconds: Double(areas.available) * 1e-9,
            instanceSeconds: scaler == nil ? nil : Double(areas.available) * 1e-9 / Double(settings.cores),
            intervalUtilizations: Array(utilizations.dropFirst(Int(firstInterval))),
            instances: zip(zip(lines, areasBefore), totalsBefore).map { line, totals in
                let areas = line.0.areas(until: now) - line.1
                return InstanceRecord(
                    arrivals: line.0.totals.arrivals - totals.arrivals, utilization: areas.utilization ?? 0,
                    meanQueue: areas.meanQueueLength ?? 0)
            })
    }
}

extension StationCounts {
    /// Jobs that wait or are in service.
    fileprivate var present: Int { arrivals - completions - rejections - dropped - abandoned }
}
