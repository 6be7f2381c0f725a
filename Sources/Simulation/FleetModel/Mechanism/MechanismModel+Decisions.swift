import EventSimulation
import URLFilter

/// Decisions on URLs, and how they are counted.
extension MechanismModel {
    /// Edition that decides for a device.
    func edition(of device: Int, at now: SimulatedTime) -> UInt32 {
        switch mechanism.keeper {
        case .device: editions[device]
        case .server(let reload): list.edition(at: now.advanced(by: .zero - reload))
        }
    }

    /// Whether the mechanism blocks what it sees of a URL.
    ///
    /// - Parameter edition: `nil`: one with all that is known at the time.
    func blocks(_ subject: Subject, device: Int, edition: UInt32?) -> Bool {
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
