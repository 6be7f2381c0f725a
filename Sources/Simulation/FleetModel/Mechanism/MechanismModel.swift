package import EventSimulation
import RandomStreams
import URLFilter

/// Events of devices that another mechanism filters.
package enum MechanismEvent: BitwiseCopyable, Sendable {
    case fetches
    case fetch(device: UInt32)
    /// A question has waited for as long as a verdict may take.
    case verdictTimeout(question: UInt32, generation: UInt32)
}

/// A mechanism of the platform that is no URL filter, or a baseline that private lookups must be held against.
///
/// Event by event it simulates what is decided about every URL: from the list that a device has fetched or a server has
/// loaded, for as much of the URL as the mechanism sees, and by the policy where nothing can decide. What its way costs
/// is added up from the mean page afterwards; see ``FilterPath``, ``MechanismCosts`` and ``ServerQueue``.
package struct MechanismModel: FilterArchitecture {
    package typealias Event = MechanismEvent

    let mechanism: MechanismConfiguration
    let list: PrefilterConfiguration
    let lives: EntryLives
    /// That each device has, where it needs one; 0 before its first.
    var editions: [UInt32]
    var questions = SlotPool<Question>()
    /// One for each message.
    var asked: [SlotName?] = []
    private let isHeldByDevices: Bool
    private let interval: SimulatedDuration
    private let retryPause: SimulatedDuration
    let verdictTimeout: SimulatedDuration
    /// One for each group.
    private let blind: [BlindTimes]
    private var origins: Origins
    private var fetches = DeadlineLine<UInt32>()
    /// Until when each device passes its server by, nanoseconds; empty where none does.
    private var passingBy: [Int64]

    static func layout(of mechanism: MechanismConfiguration) -> WorldLayout {
        guard mechanism.question == nil else { return questionLayout }
        return WorldLayout(
            shared: [mechanism.server, mechanism.provider].compactMap(\.self), regional: [.prefilterOrigin],
            stations: [],
            routes: { _ in [] })
    }

    init(_ mechanism: MechanismConfiguration, _ configuration: FleetConfiguration, world: World) {
        self.mechanism = mechanism
        list = configuration.urlFilter.prefilter
        interval = SimulatedDuration(
            max(configuration.urlFilter.device.prefilterFetchInterval, ExchangeRules.shortestPause))
        retryPause = max(configuration.behaviour.retryPause, SimulatedDuration(ExchangeRules.shortestPause))
        verdictTimeout = SimulatedDuration(configuration.urlFilter.device.verdictTimeout)
        lives = EntryLives(configuration)
        isHeldByDevices = mechanism.keeper == .device
        let first = isHeldByDevices ? 0 : PrefilterConfiguration.startingEdition
        editions = Array(repeating: first, count: configuration.deviceCount)
        blind = configuration.groups.indices.map { BlindTimes(configuration, group: $0) }
        passingBy = Array(
            repeating: 0, count: mechanism.passesBy == nil ? 0 : configuration.deviceCount)
        origins = Origins(list, in: world)
    }

    package mutating func start(in world: inout World, _ agenda: inout Future) {
        if isHeldByDevices, mechanism.question == nil { world.record.urls.blockedByDevice = 0 }
        if mechanism.urlShare < 1 || mechanism.urls != nil {
            world.record.urls.leakedByGrain = 0
            world.record.urls.blockedByGrain = 0
        }
        if mechanism.parts != nil { world.record.urls.blockedByWildcard = 0 }
        let configuration = world.configuration
        var first: [(time: Int64, device: UInt32)] = []
        for device in editions.indices {
            let group = configuration.groups[world.group(of: device)]
            guard !configuration.startsCold(group) else {
                let begin = SimulatedTime(
                    nanoseconds: group.usage.activation(
                        of: device, seed: configuration.seed, replication: world.replication))
                if !isHeldByDevices {
                    world.loads.newlyReady.append(UInt32(device))
                } else if world.isOpen(begin) {
                    agenda.schedule(.filter(.fetch(device: UInt32(device))), at: begin)
                }
                continue
            }
            guard isHeldByDevices else { continue }
            var stream = RandomStream(
                seed: configuration.seed, replication: world.replication, entity: UInt32(device),
                purpose: .timing)
            let next = (interval * stream.uniform()).nanoseconds
            editions[device] = list.edition(at: SimulatedTime(nanoseconds: next - interval.nanoseconds))
            first.append((next, UInt32(device)))
        }
        fetches.fill(first)
        fetches.arm(.filter(.fetches), &agenda)
    }

    package mutating func handle(
        _ event: MechanismEvent, in world: inout World, _ agenda: inout Future
    ) throws {
        switch event {
        case .fetch(let device): fetch(Int(device), in: &world, &agenda)
        case .fetches:
            fetches.disarm()
            while let device = fetches.popDue(agenda.now) { fetch(Int(device), in: &world, &agenda) }
            fetches.arm(.filter(.fetches), &agenda)
        case .verdictTimeout(let slot, let generation):
            let name = SlotName(slot: slot, generation: generation)
            if questions.contains(name) { decide(name, .timeout, in: &world, &agenda) }
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

    /// Finds what keeps the mechanism from deciding, with the policy for it; `nil` where nothing does.
    private mutating func obstacle(
        _ device: Int, in world: World, at now: SimulatedTime
    ) -> Obstacle? {
        let reason = blind[world.group(of: device)].reason(at: now.nanoseconds, device: device)
        if let pause = mechanism.passesBy, reason == .outage || now.nanoseconds < passingBy[device] {
            // It asks again when the time is over, and not before.
            if now.nanoseconds >= passingBy[device] {
                passingBy[device] = now.advanced(by: pause).nanoseconds
            }
            return Obstacle(policy: .failOpen, cause: .unavailable)
        }
        return switch reason {
        case .outage: Obstacle(policy: mechanism.policy, cause: .unavailable)
        case .hang: Obstacle(policy: .failClosed, cause: .unavailable)
        case .moving: Obstacle(policy: mechanism.whileMoving ?? mechanism.policy, cause: .network)
        case nil:
            editions[device] > 0 ? nil : Obstacle(policy: mechanism.policy, cause: .notReady)
        }
    }

    package mutating func takeMisses(
        _ misses: PendingMisses, in world: inout World, at now: SimulatedTime
    ) -> Bool {
        let obstacle = obstacle(misses.device, in: world, at: now)
        return world.countMisses(misses.count, of: misses.device, obstacle, began: now, at: now)
    }

    package mutating func check(
        _ keys: [HitKey], isMeant: Bool, load: Int, holds: Bool, in world: inout World,
        _ agenda: inout Future
    ) throws -> Bool {
        let now = agenda.now
        let device = world.loads.open[load].device
        let subject = Subject(
            keys: keys, isMeant: isMeant, device: device, load: load, began: world.loads.open[load].start,
            checked: now, lives: lives)
        guard world.loads.open[load].participation == .honours else {
            world.passUnasked(load: load, isListed: subject.isListed, at: now)
            return false
        }
        if let obstacle = obstacle(device, in: world, at: now) {
            leaveToPolicy(subject, obstacle, in: &world, at: now)
            return false
        }
        let isBlocked = blocks(subject, device: device, edition: edition(of: device, at: now))
        guard mechanism.question != nil, isBlocked || keys.contains(where: { !$0.isListed }) else {
            take(subject, isBlocked: isBlocked, device: device, in: &world, at: now)
            return false
        }
        try ask(subject, device: device, holds: holds, in: &world, &agenda)
        return true
    }

    package func finish(
        _ record: inout ReplicationRecord, traffic: [EndpointTraffic], in world: World
    ) {
        questions.forEach { if world.counts($0.subject.began) { record.urls.unfinished += 1 } }
        addCosts(to: &record, traffic: traffic, in: world)
    }

    package func resourceChecks(at end: SimulatedTime) -> [ResourceCheck] {
        origins.resourceChecks(at: end)
    }
}
