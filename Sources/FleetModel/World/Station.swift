import EventSimulation

/// The servers of one part behind one queue, and what they did in the observed period.
struct Station {
    let part: Part
    let settings: StationConfiguration
    var line: ServiceStation<Int>
    /// Mean share of busy servers in each interval of the series so far.
    private var utilizations: [Double] = []
    private var lastInterval: StationAreas?
    /// Since the observation began, as the three after it.
    private var longestQueue = 0
    private var observationStart = SimulatedTime.start
    private var areasBefore: StationAreas?
    private var totalsBefore = StationCounts()

    init(_ part: Part, _ settings: StationConfiguration) {
        self.part = part
        self.settings = settings
        line = ServiceStation(servers: settings.serverCount, queueCapacity: settings.queueCapacity)
    }

    mutating func arrive(_ slot: Int, at now: SimulatedTime) -> Admission {
        let admission = line.arrive(slot, at: now)
        if case .waits = admission { longestQueue = max(longestQueue, line.queueLength) }
        return admission
    }

    /// Closes an interval of the series.
    mutating func endInterval(at now: SimulatedTime) {
        let areas = line.areas(until: now)
        let added = lastInterval.map { areas - $0 } ?? areas
        utilizations.append(added.utilization ?? 0)
        lastInterval = areas
    }

    mutating func beginObservation(at now: SimulatedTime) {
        observationStart = now
        longestQueue = line.queueLength
        areasBefore = line.areas(until: now)
        totalsBefore = line.totals
    }

    /// What the station did since ``beginObservation(at:)``.
    ///
    /// - Parameter interval: Width of a point of the series.
    mutating func record(at now: SimulatedTime, interval: SimulatedDuration) -> StationRecord? {
        // The interval that ends with the period belongs to it.
        if let last = lastInterval?.time, now - last == interval { endInterval(at: now) }
        guard let areasBefore else { return nil }
        let areas = line.areas(until: now) - areasBefore
        let totals = line.totals
        // Intervals that lie inside the observed period.
        let first = (observationStart.nanoseconds + interval.nanoseconds - 1) / interval.nanoseconds
        return StationRecord(
            servers: settings.serverCount, utilization: areas.utilization ?? 0,
            meanQueue: areas.meanQueueLength ?? 0, longestQueue: longestQueue,
            arrivals: totals.arrivals - totalsBefore.arrivals,
            completions: totals.completions - totalsBefore.completions,
            rejections: totals.rejections - totalsBefore.rejections,
            dropped: totals.dropped - totalsBefore.dropped,
            present: line.busyServers + line.companions + line.queueLength,
            presentAtStart: totalsBefore.present, presentSeconds: Double(areas.present) * 1e-9,
            busySeconds: Double(areas.busy) * 1e-9, availableSeconds: Double(areas.available) * 1e-9,
            intervalUtilizations: Array(utilizations.dropFirst(Int(first))))
    }
}

extension StationCounts {
    /// Jobs that wait or are in service.
    fileprivate var present: Int { arrivals - completions - rejections - dropped - abandoned }
}
