import Decoding
import EventSimulation
import RandomStreams

/// The servers of one part, and what they did in the observed period.
struct Station {
    let part: Part
    /// Number of the region that it stands in.
    let region: Int
    let settings: StationConfiguration
    /// One for each instance; a single one with the servers of all for `pooled`.
    var lines: [ServiceStation<Int>]
    var balancer: Balancer
    private var choices: RandomStream
    var times: InstanceTimes
    /// One for each line; empty where instances have a core for each thread.
    var quotas: [CPUQuota] = []
    private var estimates = WorkEstimates()
    /// Whether the estimates decide anything.
    private let learns: Bool
    private var scaler: Scaler?
    /// Instances that the cloud may take back; `nil` for none.
    var spot: SpotInstances?
    private var lastDecision: StationAreas?
    /// Instances that a fault took away, the last ones, and those that a deployment replaces.
    private var lost = 0
    private var replaced = 0..<0
    /// Instances that have begun to take requests since ``takeBegun()``.
    private var begun: [Int] = []
    /// Areas that each interval of the series so far added.
    private var intervals: [StationAreas] = []
    private var lastInterval: StationAreas?
    /// Since the observation began, as the three after it.
    private var longestQueue = 0
    private var observationStart = SimulatedTime.start
    /// One for each line.
    private var areasBefore: [StationAreas] = []
    private var totalsBefore: [StationCounts] = []

    /// - Parameters:
    ///   - choices: For a balancer that draws.
    ///   - random: For the speed and the pauses of each line, by its number.
    init(
        _ part: Part, region: Int, _ settings: StationConfiguration, choices: RandomStream,
        random: (_ line: Int, StreamPurpose) -> RandomStream
    ) {
        self.part = part
        self.region = region
        self.settings = settings
        self.choices = choices
        learns = settings.queueTime != nil || settings.queue == .fair
        scaler = settings.scaling.map { Scaler($0, instances: settings.instances) }
        let active = scaler?.active ?? settings.instances
        let isPooled = settings.balancing == .pooled
        let count = settings.lineCount
        lines = (0..<count).map { line in
            let threads = settings.threadsPerInstance
            let servers = isPooled ? active * threads : line < active ? threads : 0
            return ServiceStation(
                servers: servers, discipline: settings.queue, queueCapacity: settings.queueCapacity,
                waitLimit: settings.queueTime)
        }
        times = InstanceTimes(settings, random: random)
        quotas = Self.quotas(settings)
        balancer = Balancer(settings.balancing, instances: count)
        for line in lines.indices where line >= active { balancer.set(line, isUp: false) }
    }

    /// Instances that there are, whether a fault took some of them away or not.
    var active: Int { scaler?.active ?? settings.instances }

    /// Whether a request that comes now finds an instance.
    var takesRequests: Bool { !balancer.instancesUp.isEmpty }

    /// All instances begin anew.
    mutating func restart(at now: SimulatedTime) {
        for line in lines.indices { times.begin(line, at: now) }
    }

    var queueLength: Int { lines.reduce(0) { $0 + $1.queueLength } }

    /// Jobs that wait or are in service.
    private var present: Int { lines.reduce(0) { $0 + $1.busyServers + $1.followers + $1.queueLength } }

    private func areas(until now: SimulatedTime) -> StationAreas {
        lines.indices.dropFirst().reduce(areas(of: 0, until: now)) { $0 + areas(of: $1, until: now) }
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
            load: { lines[$0].busyServers + lines[$0].followers + lines[$0].queueLength },
            draw: { choices.index(below: $0) })
    }

    /// An instance that a device's requests have come to: its own one, or any.
    func homeInstance(for device: Int) -> Int {
        guard settings.balancing == .stickyByUser else { return device % active % lines.count }
        var balancer = balancer
        return balancer.choose(user: UInt64(device), load: { _ in 0 }, draw: { _ in 0 }) ?? 0
    }

    /// - Parameters:
    ///   - device: Whose message it is, as far as the servers know; they take all others for one.
    ///   - units: Questions in it, for what can be answered along with others; 0 for what cannot.
    mutating func arrive(
        _ slot: Int, kind: Int, of device: Int?, units: Int, line: Int, at now: SimulatedTime
    ) -> Admission<Int> {
        let admission = lines[line].arrive(
            slot, owner: device.map { UInt32($0) } ?? .max, work: estimates.work(kind, units: units),
            units: units, at: now)
        switch admission {
        case .waits, .displaces: longestQueue = max(longestQueue, queueLength)
        case .starts, .rejected: break
        }
        return admission
    }

    /// Learns what messages of a kind take, as our server does.
    ///
    /// - Parameters:
    ///   - duration: Of all messages that are served together.
    ///   - units: Questions in all of them, at least one for each.
    mutating func noteService(_ duration: SimulatedDuration, kind: Int, units: Int) {
        if learns { estimates.note(duration, kind: kind, units: units) }
    }

    /// - Returns: Whether one of the spot instances is taken back now.
    mutating func interrupt() -> Bool {
        let all = active
        return spot?.interrupt(active: all) ?? false
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
            let instances = max(0, left - replaced.clamped(to: 0..<left).count)
            return lines[0].setServers(instances * settings.threadsPerInstance, at: now)
        }
        return lines.indices.flatMap { line in
            let isUp = line < left && !replaced.contains(line)
            if isUp, !balancer.instancesUp.contains(line) {
                begun.append(line)
                times.begin(line, at: now)
            }
            balancer.set(line, isUp: isUp)
            // One that is replaced, or no longer needed, still works off what waits.
            let hasWork = lines[line].busyServers + lines[line].queueLength > 0
            let works = line < left || line >= active && hasWork
            return lines[line].setServers(works ? settings.threadsPerInstance : 0, at: now)
        }
    }

    mutating func takeBegun() -> [Int] {
        defer { begun = [] }
        return begun
    }

    /// Takes every waiting request away.
    mutating func drain(at now: SimulatedTime) -> [Int] {
        lines.indices.flatMap { lines[$0].drain(at: now) }
    }

    /// Closes an interval of the series.
    mutating func endInterval(at now: SimulatedTime) {
        let areas = areas(until: now)
        let added = lastInterval.map { areas - $0 } ?? areas
        intervals.append(added)
        lastInterval = areas
    }

    mutating func beginObservation(at now: SimulatedTime) {
        observationStart = now
        longestQueue = queueLength
        areasBefore = lines.indices.map { areas(of: $0, until: now) }
        totalsBefore = lines.map(\.totals)
    }

    /// Makes the record of what stations of one role in different regions did together since ``beginObservation(at:)``.
    ///
    /// - Parameter interval: Width of a point of the series.
    static func record(
        of stations: [Station], at now: SimulatedTime, interval: SimulatedDuration
    ) -> StationRecord? {
        var record = StationRecord()
        var areas: StationAreas?
        var intervals: [StationAreas] = []
        for station in stations {
            guard let added = station.add(to: &record, at: now) else { return nil }
            areas = areas.map { $0 + added } ?? added
            let observed = station.observedIntervals(interval)
            intervals = intervals.isEmpty ? observed : zip(intervals, observed).map { $0 + $1 }
        }
        guard let areas else { return nil }
        record.utilization = areas.utilization ?? 0
        record.meanQueue = areas.meanQueueLength ?? 0
        record.presentSeconds = Double(nanoseconds: areas.present)
        record.busySeconds = Double(nanoseconds: areas.busy)
        record.availableSeconds = Double(nanoseconds: areas.available)
        record.intervalUtilizations = intervals.map { $0.utilization ?? 0 }
        record.intervalQueues = intervals.map { $0.meanQueueLength ?? 0 }
        return record
    }

    /// Adds the counts, and one record for each instance.
    ///
    /// - Returns: What the observed period added to the integrals; `nil` if it has not begun.
    private func add(to record: inout StationRecord, at now: SimulatedTime) -> StationAreas? {
        guard let first = areasBefore.first else { return nil }
        let areas = areas(until: now) - areasBefore.dropFirst().reduce(first) { $0 + $1 }
        record.servers += settings.serverCount
        record.longestQueue = max(record.longestQueue, longestQueue)
        for (line, before) in zip(lines, totalsBefore) {
            record.arrivals += line.totals.arrivals - before.arrivals
            record.completions += line.totals.completions - before.completions
            record.rejections += line.totals.rejections - before.rejections
            record.dropped += line.totals.dropped - before.dropped
            record.presentAtStart += before.present
        }
        record.present += present
        if scaler != nil {
            let seconds = Double(nanoseconds: areas.available) / Double(settings.usableCores)
            record.instanceSeconds = (record.instanceSeconds ?? 0) + seconds
        }
        for line in lines.indices {
            let areas = self.areas(of: line, until: now) - areasBefore[line]
            record.instances.append(
                InstanceRecord(
                    arrivals: lines[line].totals.arrivals - totalsBefore[line].arrivals,
                    utilization: areas.utilization ?? 0, meanQueue: areas.meanQueueLength ?? 0))
        }
        return areas
    }

    /// Intervals of the series that lie inside the observed period.
    private func observedIntervals(_ width: SimulatedDuration) -> [StationAreas] {
        let first = (observationStart.nanoseconds + width.nanoseconds - 1) / width.nanoseconds
        return Array(intervals.dropFirst(Int(first)))
    }

    /// Closes the interval that ends with the observed period.
    mutating func endObservation(at now: SimulatedTime, interval: SimulatedDuration) {
        if let last = lastInterval?.time, now - last == interval { endInterval(at: now) }
    }
}

extension StationCounts {
    /// Jobs that wait or are in service.
    fileprivate var present: Int { arrivals - completions - rejections - dropped }
}
