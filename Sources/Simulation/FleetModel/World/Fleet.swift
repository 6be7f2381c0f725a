package import EventSimulation

/// Events of the simulated world, whatever the filter is.
package enum WorldEvent: BitwiseCopyable, Sendable {
    /// The loads of this window of time are handed over.
    case window(UInt32)
    /// The next URL of a load is checked.
    case check(load: UInt32)
    /// URLs without hits of a device that had no prefilter when its window began.
    case misses(UInt32)
    case message(UInt32)
    case download(UInt32)
    case messageTimeouts
    case faultBegins(UInt32)
    case faultEnds(UInt32)
    case scaling(station: UInt32)
    case instancesStart(station: UInt32, count: UInt32)
    case deploymentStep(fault: UInt32, step: UInt32)
    /// One of the spot instances may be taken back.
    case spotInterrupted(station: UInt32)
    case spotReplaced(station: UInt32)
    case healthChecks
    case seriesInterval
    case observationBegins
    case observationEnds
}

package enum FleetEvent<Own: BitwiseCopyable & Sendable>: BitwiseCopyable, Sendable {
    case world(WorldEvent)
    case filter(Own)
}

/// A fleet of devices, the parts between them and the operator's services, and a way of filtering: one replication.
///
/// See the article `FleetModel` for what it models and what it leaves out.
package struct Fleet<Filter: FilterArchitecture>: SimulationModel {
    package typealias Event = FleetEvent<Filter.Event>
    package typealias Failure = any Error

    var world: World
    var filter: Filter

    init(world: World, filter: Filter) {
        self.world = world
        self.filter = filter
    }

    package mutating func start(_ agenda: inout Agenda<Event>) throws {
        let configuration = world.configuration
        for (index, fault) in configuration.faults.enumerated() {
            if case .deployment = fault.kind {
                agenda.schedule(
                    .world(.deploymentStep(fault: UInt32(index), step: 0)),
                    at: .start.advanced(by: fault.begin))
                continue
            }
            agenda.schedule(.world(.faultBegins(UInt32(index))), at: .start.advanced(by: fault.begin))
            if fault.hasLength {
                agenda.schedule(
                    .world(.faultEnds(UInt32(index))),
                    at: .start.advanced(by: fault.begin + fault.length))
            }
        }
        agenda.schedule(.world(.observationBegins), at: .start.advanced(by: configuration.warmUp))
        agenda.schedule(.world(.observationEnds), at: .start.advanced(by: configuration.duration))
        agenda.schedule(.world(.seriesInterval), after: configuration.seriesInterval)
        for station in world.stations.indices { scheduleInterruption(of: station, &agenda) }
        for (index, station) in world.stations.enumerated() {
            guard let rule = station.settings.scaling else { continue }
            agenda.schedule(.world(.scaling(station: UInt32(index))), after: rule.period)
        }
        if world.regions.count > 1, !configuration.faults.isEmpty {
            agenda.schedule(.world(.healthChecks), after: configuration.services.healthCheck.interval)
        }
        try filter.start(in: &world, &agenda)
        agenda.schedule(.world(.window(0)), at: .start)
    }

    package mutating func handle(
        _ event: Event, at now: SimulatedTime, _ agenda: inout Agenda<Event>
    ) throws {
        switch event {
        case .world(let event): try handle(event, &agenda)
        case .filter(let event): try filter.handle(event, in: &world, &agenda)
        }
    }

    private mutating func handle(_ event: WorldEvent, _ agenda: inout Agenda<Event>) throws {
        let now = agenda.now
        switch event {
        case .window(let number): try world.takeWindow(Int(number), &agenda)
        case .check(let slot): try checkNext(ofLoad: Int(slot), &agenda)
        case .misses(let slot): takeMisses(Int(slot), at: now)
        case .message(let slot): try advance(Int(slot), &agenda)
        case .messageTimeouts: try giveUpOverdue(&agenda)
        case .download(let slot):
            guard let download = world.advanceDownload(Int(slot), &agenda) else { break }
            filter.takeDownload(download.tag, device: download.device, in: &world, &agenda)
        case .faultBegins(let index):
            try change(world.configuration.faults[Int(index)], begins: true, &agenda)
        case .faultEnds(let index): try change(world.configuration.faults[Int(index)], begins: false, &agenda)
        case .deploymentStep(let fault, let step):
            try deploy(fault: Int(fault), step: Int(step), &agenda)
        case .healthChecks:
            world.checkRegions()
            if world.isOpen(now) {
                agenda.schedule(
                    .world(.healthChecks), after: world.configuration.services.healthCheck.interval)
            }
        case .scaling(let station): try evaluateScaling(of: Int(station), &agenda)
        case .instancesStart(let station, let count):
            try startInstances(Int(count), of: Int(station), &agenda)
        case .spotInterrupted(let station): try interrupt(Int(station), &agenda)
        case .spotReplaced(let station): try replaceSpot(of: Int(station), &agenda)
        case .seriesInterval:
            for station in world.stations.indices {
                world.stations[station].endInterval(at: now)
                world.note(station, at: now)
            }
            if world.isOpen(now.advanced(by: .nanoseconds(1))) {
                agenda.schedule(.world(.seriesInterval), after: world.configuration.seriesInterval)
            }
        case .observationBegins:
            for station in world.stations.indices { world.stations[station].beginObservation(at: now) }
        case .observationEnds:
            world.endObservation(at: now)
        }
    }

    /// Closes the books: what has no verdict yet is unfinished.
    func finish(at now: SimulatedTime, eventCount: Int, fingerprint: UInt64) -> ReplicationRecord {
        var record = world.record
        record.eventCount = eventCount
        record.fingerprint = fingerprint
        for counts in world.loads.producer.counts() { record.add(counts) }
        record.pageTimes.pages = record.pageLoads > 0 ? record.pageLoads : record.urls.checked
        world.loads.open.forEach { load in
            guard world.counts(load.start) else { return }
            let rest = Int(load.endHit - load.nextHit)
            guard load.participation != .honours else { return record.urls.unfinished += rest }
            record.urls.notAsked?.count += rest
            if load.participation == .unknown { record.urls.notAsked?.unknown? += rest }
        }
        var traffic = world.post.traffic
        world.post.messages.forEach { message in
            if !message.isGivenUp, world.counts(message.started) { traffic[message.kind].unfinished += 1 }
        }
        filter.finish(&record, traffic: traffic, in: world)
        filter.finishLog(in: world, at: now)
        record.recoveries = record.health.recoveries(from: world.configuration)
        record.faultHarms = world.faultHarms?.total(record.recoveries)
        record.resourceChecks = world.resourceChecks(at: now) + filter.resourceChecks(at: now)
        return record
    }
}

/// A way of filtering that a replication simulates, with what it needs of its own.
package enum Architecture {
    case urlFilter(any ProtocolWork)
    /// The mechanism of ``FleetConfiguration/mechanism``.
    case mechanism(MechanismConfiguration)
}

/// Who watches a replication. The record does not depend on it.
package struct Onlooker {
    /// Told what happens.
    let log: (any FleetLog)?
    /// Asked every few thousand events; `true` stops the run.
    let isCancelled: () -> Bool

    package init(log: (any FleetLog)? = nil, isCancelled: @escaping () -> Bool = { false }) {
        self.log = log
        self.isCancelled = isCancelled
    }
}

/// Runs one replication to the end of its drain.
///
/// - Parameters:
///   - catalogs: One per group of `configuration`, for its matching rules.
///   - threads: Threads to use. The record does not depend on it.
/// - Returns: `nil` if the run was cancelled.
package func runReplication(
    _ configuration: FleetConfiguration, catalogs: [URLCatalog], _ architecture: Architecture,
    replication: UInt32, threads: Int = 1, watchedBy onlooker: Onlooker = Onlooker()
) throws -> ReplicationRecord? {
    switch architecture {
    case .urlFilter(let work):
        let fleet = try Fleet<URLFilterModel>(
            configuration: configuration, catalogs: catalogs, work: work, replication: replication,
            threads: threads, log: onlooker.log)
        return try run(fleet, onlooker.isCancelled)
    case .mechanism(let mechanism):
        var configuration = configuration
        configuration.mechanism = mechanism
        let world = World(
            configuration, MechanismModel.layout(of: mechanism), catalogs: catalogs, replication: replication,
            threads: threads, log: onlooker.log)
        let filter = MechanismModel(mechanism, configuration, world: world)
        return try run(Fleet(world: world, filter: filter), onlooker.isCancelled)
    }
}

private func run<Filter>(
    _ fleet: Fleet<Filter>, _ isCancelled: () -> Bool
) throws -> ReplicationRecord? {
    let configuration = fleet.world.configuration
    var kernel = try Kernel(model: fleet)
    let end = SimulatedTime.start.advanced(by: configuration.duration + configuration.drain)
    // Steps of simulated time, so that a request to stop is seen soon even in a long replication.
    let step = SimulatedDuration(nanoseconds: max(end.nanoseconds / 500, 1))
    while kernel.now < end {
        if isCancelled() { return nil }
        let next = min(kernel.now.advanced(by: step), end)
        try kernel.run(until: next)
    }
    return kernel.model.finish(
        at: kernel.now, eventCount: kernel.eventCount, fingerprint: kernel.fingerprint)
}
