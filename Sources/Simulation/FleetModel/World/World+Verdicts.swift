import EventSimulation
import URLFilter

/// Counts of URLs that no server is asked about, whatever the filter.
extension World {
    /// URLs without a hit: allowed on the device, or left to the policy while there is nothing to test them with.
    ///
    /// - Parameters:
    ///   - areMeant: See ``URLOutcome/isMeant``. Other URLs that hit nothing are on no list.
    ///   - device: Whose URLs they are.
    ///   - obstacle: `nil` for a device that has a prefilter, or the list.
    ///   - began: When their load began.
    /// - Returns: Whether the policy blocked them.
    mutating func countMisses(
        _ count: Int, areMeant: Bool = false, of device: Int, _ obstacle: Obstacle?, began: SimulatedTime,
        at now: SimulatedTime
    ) -> Bool {
        let counted = counts(began)
        guard let obstacle else {
            if counted { record.urls.allowedByPrefilter += count }
            return false
        }
        let verdict = Verdict(noAnswerUnder: obstacle.policy)
        record.health.count(failed: true, times: count, at: began)
        let areFalselyBlocked = verdict.blocks && !areMeant
        if areFalselyBlocked { record.series.update(at: began) { $0.falselyBlocked += count } }
        guard counted else { return verdict.blocks }
        record.urls.count(verdict, cause: obstacle.cause, times: count)
        if areFalselyBlocked {
            countFalselyBlocked(count, of: device, began: began, at: now)
            record.urls.policyBlocks[obstacle.cause, default: 0] += count
        }
        return verdict.blocks
    }

    /// A URL of an app that does not let the filter see it, or got no verdict.
    ///
    /// - Parameter isListed: In the edition that is published.
    mutating func passUnasked(load: Int, isListed: Bool, at now: SimulatedTime) {
        if isListed { record.series.update(at: now) { $0.leaked += 1 } }
        guard counts(loads.open[load].start) else { return }
        let device = loads.open[load].device
        let isUnknown = loads.open[load].participation == .unknown
        record.urls.notAsked?.count += 1
        if isUnknown { record.urls.notAsked?.unknown? += 1 }
        guard isListed else { return }
        countListed(of: device, began: loads.open[load].start, at: now)
        countLeaked(of: device, began: loads.open[load].start, at: now)
        record.urls.notAsked?.listed += 1
        if isUnknown { record.urls.notAsked?.listedUnknown? += 1 }
    }

    /// A URL without hits that an entry means that cannot match.
    mutating func countMeant(isBlocked: Bool, of device: Int, began: SimulatedTime, at now: SimulatedTime) {
        guard isBlocked else { return countLeak(.unmatchable, of: device, began: began, at: now) }
        if counts(began) { countListed(of: device, began: began, at: now) }
    }

    /// A URL on the list that was allowed.
    mutating func countLeak(_ cause: LeakCause, of device: Int, began: SimulatedTime, at now: SimulatedTime) {
        record.series.update(at: now) { $0.leaked += 1 }
        guard counts(began) else { return }
        countListed(of: device, began: began, at: now)
        countLeaked(of: device, began: began, at: now)
        switch cause {
        case .stale: record.urls.stale += 1
        case .unmatchable: record.urls.unmatchable? += 1
        case .grain: record.urls.leakedByGrain? += 1
        case .undecided(let failure): record.urls.policyLeaks[failure, default: 0] += 1
        }
    }
}

/// Waits, of all devices and of those of a group.
extension World {
    /// A verdict that waited for servers so long.
    mutating func countWait(_ wait: SimulatedDuration, of device: Int) {
        record.verdictLatency.record(wait)
        countInGroup(of: device) { $0.verdictLatency.record(wait) }
    }
}

/// Harms, and what they are part of, each with the share that faults have in it.
extension World {
    /// - Parameters:
    ///   - began: When the load of the URL began; it is counted.
    ///   - now: See ``FaultHarmMeter/count(began:at:_:)``.
    mutating func countListed(of device: Int, began: SimulatedTime, at now: SimulatedTime) {
        countListed(of: device)
        countDecided(began: began, at: now)
    }

    /// A listed URL of a load that is counted, of which it is not decided yet what becomes of it.
    mutating func countListed(of device: Int) {
        record.urls.listed += 1
        countInGroup(of: device) { $0.listed += 1 }
    }

    /// A listed URL that was counted when it was asked about: faults meet it until it is decided.
    mutating func countDecided(began: SimulatedTime, at now: SimulatedTime) {
        faultHarms?.count(began: began, at: now) { $0.listed += 1 }
    }

    mutating func countLeaked(of device: Int, began: SimulatedTime, at now: SimulatedTime) {
        record.urls.leaked += 1
        countInGroup(of: device) { $0.leaked += 1 }
        faultHarms?.count(began: began, at: now) { $0.leaked += 1 }
    }

    mutating func countFalselyBlocked(
        _ count: Int = 1, of device: Int, began: SimulatedTime, at now: SimulatedTime
    ) {
        record.urls.falselyBlocked += count
        countInGroup(of: device) { $0.falselyBlocked += count }
        faultHarms?.count(began: began, at: now) { $0.falselyBlocked += count }
    }

    /// A page that breaks; of one that began outside the observed period nothing is counted.
    mutating func countBreak(
        _ cause: PageBreak, of device: Int, began: SimulatedTime, at now: SimulatedTime
    ) {
        guard counts(began) else { return }
        record.breaks[cause, default: 0] += 1
        countInGroup(of: device) { $0.brokenPages += 1 }
        faultHarms?.count(began: began, at: now) { $0.brokenPages += 1 }
    }
}

/// Condition that keeps a filter from deciding.
struct Obstacle {
    /// Decides in its place.
    var policy: FailurePolicy
    var cause: FailureCause
}

/// Why a URL on the list was allowed.
enum LeakCause {
    /// The list that decided was older than the entry.
    case stale
    /// The entry cannot match.
    case unmatchable
    /// The filter sees or holds too little to tell.
    case grain
    /// Nothing could decide.
    case undecided(FailureCause)
}
