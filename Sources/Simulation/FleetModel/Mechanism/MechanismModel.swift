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

    /// Edition that decides for a device.
    private func edition(of device: Int, at now: SimulatedTime) -> UInt32 {
        switch mechanism.keeper {
        case .device: editions[device]
        case .server(let reload): list.edition(at: now.advanced(by: .zero - reload))
        }
    }

    /// Whether the mechanism blocks what it sees of a URL.
    ///
    /// - Parameter edition: `nil`: one with all that is known at the time.
    private func blocks(_ subject: Subject, device: Int, edition: UInt32?) -> Bool {
        func isThere(_ key: HitKey) -> Bool {
            guard key.isListed else { return true }
            let met = lives.met(key, by: device, at: subject.checked)
            return edition.map(met.life.includes) ?? met.isKnown
        }
        if seesURL(of: subject, device: device) {
            let named = subject.keys.contains {
                $0.isListed && isThere($0) && (mechanism.urls?.contains($0) ?? true)
            }
            let isPart = mechanism.parts.map { parts in
                subject.keys.contains { !$0.isListed && parts.contains($0) }
            }
            return named || isPart == true || mechanism.understandsMeant && subject.isMeant
        }
        guard let hosts = mechanism.hosts else { return false }
        return subject.keys.contains { isThere($0) && hosts.contains($0) }
    }

    /// One draw for each load of a device.
    private func seesURL(of subject: Subject, device: Int) -> Bool {
        guard mechanism.urlShare < 1 else { return true }
        guard mechanism.urlShare > 0 else { return false }
        let key = UInt64(bitPattern: subject.began.nanoseconds) &* 0x9E37_79B9_7F4A_7C15 ^ UInt64(device)
        return KeyedHits.uniform(key) < mechanism.urlShare
    }

    /// Counts a URL about which the mechanism has decided.
    func take(
        _ subject: Subject, isBlocked: Bool, device: Int, in world: inout World, at now: SimulatedTime
    ) {
        guard isBlocked else {
            _ = world.countMisses(1, of: device, nil, began: subject.began, at: now)
            guard subject.isListed else { return }
            let isStale = blocks(subject, device: device, edition: nil)
            let cause: LeakCause =
                isStale ? .stale : subject.isMeant && !subject.isOnList ? .unmatchable : .grain
            return world.countLeak(cause, of: device, began: subject.began, at: now)
        }
        world.record.health.count(failed: false, at: now)
        // The first URL of a load is its document.
        if subject.isListed, now == subject.began {
            world.loads.open[subject.load].isStopped = true
            if world.counts(now) { world.record.operations.blockedPages += 1 }
        }
        let reason =
            !subject.isListed && !world.loads.open[subject.load].isStopped ? wrongBlock(subject) : nil
        if let reason {
            world.breakPage(subject.load, by: reason, at: now)
            world.record.series.update(at: now) { $0.falselyBlocked += 1 }
        }
        guard world.counts(subject.began) else { return }
        world.record.urls.hit += 1
        if world.record.urls.blockedByDevice != nil {
            world.record.urls.blockedByDevice? += 1
        } else {
            world.record.urls.blockedByServer += 1
        }
        guard !subject.isListed else {
            return world.countListed(of: device, began: subject.began, at: now)
        }
        guard let reason else { return }
        world.countFalselyBlocked(of: device, began: subject.began, at: now)
        switch reason {
        case .stale: world.record.urls.staleBlocks += 1
        case .grain: world.record.urls.blockedByGrain? += 1
        default: world.record.urls.blockedByWildcard? += 1
        }
    }

    /// Why a URL that is not listed is blocked. What is no longer on the list is no matter of the grain.
    private func wrongBlock(_ subject: Subject) -> PageBreak {
        if subject.keys.contains(where: \.isListed) { return .stale }
        return mechanism.parts == nil ? .grain : .wildcard
    }

    /// Counts a URL about which nothing decides.
    func leaveToPolicy(
        _ subject: Subject, _ obstacle: Obstacle, in world: inout World, at now: SimulatedTime
    ) {
        let isBlocked = world.countMisses(
            1, areMeant: subject.isListed, of: subject.device, obstacle, began: subject.began, at: now)
        if isBlocked, !subject.isListed { world.breakPage(subject.load, by: .policy, at: now) }
        guard subject.isListed else { return }
        guard !isBlocked else {
            if world.counts(subject.began) {
                world.countListed(of: subject.device, began: subject.began, at: now)
            }
            return
        }
        let reason: LeakCause =
            subject.isMeant && !subject.isOnList ? .unmatchable : .undecided(obstacle.cause)
        world.countLeak(reason, of: subject.device, began: subject.began, at: now)
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

/// A URL that a mechanism has to do with.
struct Subject {
    let keys: [HitKey]
    let isMeant: Bool
    let device: Int
    let load: Int
    let began: SimulatedTime
    /// Time when the URL itself came, after the load began.
    let checked: SimulatedTime
    /// The operator wants it blocked.
    let isOnList: Bool

    init(
        keys: [HitKey], isMeant: Bool, device: Int, load: Int, began: SimulatedTime, checked: SimulatedTime,
        lives: EntryLives
    ) {
        self.keys = keys
        self.isMeant = isMeant
        self.device = device
        self.load = load
        self.began = began
        self.checked = checked
        isOnList = keys.contains { $0.isListed && lives.met($0, by: device, at: checked).isKnown }
    }

    var isListed: Bool { isOnList || isMeant }
}
