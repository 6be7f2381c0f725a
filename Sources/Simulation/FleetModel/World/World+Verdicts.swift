import EventSimulation
import URLFilter

/// What is counted of URLs that no server is asked about, whatever the filter.
extension World {
    /// URLs without a hit: allowed on the device, or left to the policy while there is nothing to test them with.
    ///
    /// - Parameters:
    ///   - areMeant: See ``URLOutcome/isMeant``. Other URLs that hit nothing are on no list.
    ///   - isReady: The device has a prefilter, or the list.
    /// - Returns: Whether the policy blocked them.
    mutating func countMisses(
        _ count: Int, areMeant: Bool = false, isReady: Bool, _ policy: FailurePolicy,
        cause: FailureCause = .notReady, at time: SimulatedTime
    ) -> Bool {
        let counted = counts(time)
        if isReady {
            if counted { record.urls.allowedByPrefilter += count }
            return false
        }
        let verdict = Verdict(noAnswerUnder: policy)
        record.health.count(failed: true, times: count, at: time)
        let areFalselyBlocked = verdict.blocks && !areMeant
        if areFalselyBlocked { record.series.update(at: time) { $0.falselyBlocked += count } }
        guard counted else { return verdict.blocks }
        record.urls.count(verdict, cause: cause, times: count)
        if areFalselyBlocked {
            record.urls.falselyBlocked += count
            record.urls.policyBlocks[cause, default: 0] += count
        }
        return verdict.blocks
    }

    /// A URL of an app that does not let the filter see it, or got no verdict.
    ///
    /// - Parameter isListed: In the edition that is published.
    mutating func passUnasked(load: Int, isListed: Bool, at now: SimulatedTime) {
        if isListed { record.series.update(at: now) { $0.leaked += 1 } }
        guard counts(loads.open[load].start) else { return }
        let isUnknown = loads.open[load].participation == .unknown
        record.urls.notAsked?.count += 1
        if isUnknown { record.urls.notAsked?.unknown? += 1 }
        guard isListed else { return }
        record.urls.listed += 1
        record.urls.leaked += 1
        record.urls.notAsked?.listed += 1
        if isUnknown { record.urls.notAsked?.listedUnknown? += 1 }
    }

    /// A URL without hits that an entry means that cannot match.
    mutating func countMeant(isBlocked: Bool, began: SimulatedTime, at now: SimulatedTime) {
        guard isBlocked else { return countLeak(.unmatchable, began: began, at: now) }
        if counts(began) { record.urls.listed += 1 }
    }

    /// A URL on the list that was allowed.
    mutating func countLeak(_ cause: LeakCause, began: SimulatedTime, at now: SimulatedTime) {
        record.series.update(at: now) { $0.leaked += 1 }
        guard counts(began) else { return }
        record.urls.listed += 1
        record.urls.leaked += 1
        switch cause {
        case .stale: record.urls.stale += 1
        case .unmatchable: record.urls.unmatchable? += 1
        case .grain: record.urls.leakedByGrain? += 1
        case .undecided(let failure): record.urls.policyLeaks[failure, default: 0] += 1
        }
    }
}

/// Why a URL on the list was allowed.
enum LeakCause {
    /// What decided was older than the entry.
    case stale
    /// The entry cannot match.
    case unmatchable
    /// The filter sees or holds too little to tell.
    case grain
    /// Nothing could decide.
    case undecided(FailureCause)
}
