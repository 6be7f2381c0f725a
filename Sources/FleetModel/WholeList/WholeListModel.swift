package import EventSimulation
import RandomStreams
import URLFilter

/// What can happen to devices that hold the whole list.
package enum WholeListEvent: BitwiseCopyable, Sendable {
    case fetches
    case fetch(device: UInt32)
}

/// The whole list on every device: nobody is asked, nobody waits, nobody learns anything. What private lookups must be
/// held against: it costs bytes, and an entry counts from the device's next fetch on.
///
/// Devices fetch as they fetch a prefilter, from the same origin, all of it whenever there is a new edition (assumption:
/// no differences are sent). Whoever holds the list can read it.
package struct WholeListModel: FilterArchitecture {
    package typealias Event = WholeListEvent

    /// The first half of a SHA-256 of each entry, so that a URL of dozens of lookup strings hits one of 10⁶ entries by
    /// chance once in 10¹² URLs. Assumption: an operator's own encoding may be shorter.
    package static let bytesPerEntry = 8
    static let layout = WorldLayout(
        shared: [], regional: [.prefilterOrigin], stations: [], routes: { _ in [] })

    private let policy: FailurePolicy
    private let list: PrefilterConfiguration
    private let interval: SimulatedDuration
    private let retryPause: SimulatedDuration
    private let lives: EntryLives
    /// That each device has; 0 before its first.
    private var editions: [UInt32]
    private var origins: Origins
    private var fetches = DeadlineLine<UInt32>()

    init(_ configuration: FleetConfiguration, world: World) {
        policy = configuration.urlFilter.policy
        list = configuration.urlFilter.prefilter
        interval = SimulatedDuration(
            max(configuration.urlFilter.device.prefilterFetchInterval, ExchangeRules.shortestPause))
        retryPause = max(configuration.behaviour.retryPause, SimulatedDuration(ExchangeRules.shortestPause))
        lives = EntryLives(list, duration: configuration.duration)
        editions = Array(repeating: 0, count: configuration.deviceCount)
        origins = Origins(list, in: world)
    }

    package mutating func start(in world: inout World, _ agenda: inout Future) {
        world.record.urls.blockedByDevice = 0
        let configuration = world.configuration
        var first: [(time: Int64, device: UInt32)] = []
        for device in editions.indices {
            let group = configuration.groups[world.group(of: device)]
            guard !configuration.startsCold(group) else {
                let begin = SimulatedTime(
                    nanoseconds: group.usage.activation(
                        of: device, seed: configuration.seed, replication: world.replication))
                if world.isOpen(begin) {
                    agenda.schedule(.filter(.fetch(device: UInt32(device))), at: begin)
                }
                continue
            }
            editions[device] = 1
            var stream = RandomStream(
                seed: configuration.seed, replication: world.replication, entity: UInt32(device),
                purpose: .timing)
            first.append(((interval * stream.uniform()).nanoseconds, UInt32(device)))
        }
        fetches.fill(first)
        fetches.arm(.filter(.fetches), &agenda)
    }

    package mutating func handle(
        _ event: WholeListEvent, in world: inout World, _ agenda: inout Future
    ) throws {
        switch event {
        case .fetch(let device): fetch(Int(device), in: &world, &agenda)
        case .fetches:
            fetches.disarm()
            while let device = fetches.popDue(agenda.now) { fetch(Int(device), in: &world, &agenda) }
            fetches.arm(.filter(.fetches), &agenda)
        }
    }

    private mutating func fetch(_ device: Int, in world: inout World, _ agenda: inout Future) {
        guard world.isOpen(agenda.now) else { return }
        let isDone = origins.fetch(by: device, having: editions[device], in: &world, &agenda)
        guard isDone || editions[device] > 0 else {
            return agenda.schedule(.filter(.fetch(device: UInt32(device))), after: retryPause)
        }
        let next = agenda.now.advanced(by: interval)
        guard world.isOpen(next) else { return }
        fetches.append(UInt32(device), at: next)
        fetches.arm(.filter(.fetches), &agenda)
    }

    package mutating func takeDownload(
        _ edition: UInt32, device: Int, in world: inout World, _ agenda: inout Future
    ) {
        guard edition > editions[device] else { return }
        if editions[device] == 0 { world.loads.newlyReady.append(UInt32(device)) }
        editions[device] = edition
    }

    package mutating func takeMisses(
        _ misses: PendingMisses, in world: inout World, at now: SimulatedTime
    ) -> Bool {
        world.countMisses(misses.count, isReady: editions[misses.device] > 0, policy, at: now)
    }

    package mutating func check(
        _ keys: [HitKey], isMeant: Bool, load: Int, holds: Bool, in world: inout World,
        _ agenda: inout Future
    ) throws -> Bool {
        let now = agenda.now
        let (device, began) = (world.loads.open[load].device, world.loads.open[load].start)
        let published = list.edition(at: now)
        let isOnList = keys.contains { lives.isListed($0, in: published) }
        let isListed = isOnList || isMeant
        guard world.loads.open[load].isAsked else {
            world.passUnasked(isListed: isListed, began: began, at: now)
            return false
        }
        let isReady = editions[device] > 0
        if isReady, keys.contains(where: { lives.isListed($0, in: editions[device]) }) {
            world.record.health.count(failed: false, at: now)
            countBlocked(isListed: isListed, load: load, began: began, in: &world, at: now)
            return false
        }
        let byPolicy = world.countMisses(1, areMeant: isListed, isReady: isReady, policy, at: began)
        if byPolicy, !isListed { world.breakPage(load, at: now) }
        guard isListed else { return false }
        if isMeant, !isOnList {
            world.countMeant(isBlocked: byPolicy, began: began, at: now)
        } else {
            countListed(isBlocked: byPolicy, isStale: isReady, began: began, in: &world, at: now)
        }
        return false
    }

    /// A URL whose entry the device has.
    private func countBlocked(
        isListed: Bool, load: Int, began: SimulatedTime, in world: inout World, at now: SimulatedTime
    ) {
        if !isListed {
            world.breakPage(load, at: now)
            world.record.series.update(at: now) { $0.falselyBlocked += 1 }
        }
        guard world.counts(began) else { return }
        world.record.urls.hit += 1
        world.record.urls.blockedByDevice? += 1
        if isListed { world.record.urls.listed += 1 } else { world.record.urls.falselyBlocked += 1 }
    }

    /// A URL on the published list whose entry the device does not have.
    private func countListed(
        isBlocked: Bool, isStale: Bool, began: SimulatedTime, in world: inout World, at now: SimulatedTime
    ) {
        if !isBlocked { world.record.series.update(at: now) { $0.leaked += 1 } }
        guard world.counts(began) else { return }
        world.record.urls.listed += 1
        guard !isBlocked else { return }
        world.record.urls.leaked += 1
        if isStale { world.record.urls.stale += 1 }
    }

    package func finish(
        _ record: inout ReplicationRecord, traffic: [EndpointTraffic], in world: World
    ) {}

    package func resourceChecks(at end: SimulatedTime) -> [ResourceCheck] {
        origins.resourceChecks(at: end)
    }
}
