import EventSimulation
import URLFilter

/// A window whose loads are not all done.
struct OpenWindow {
    var hits: [WindowLoads.Hit]
    var keys: [HitKey]
    /// Loads that still need it.
    var openLoads: Int
}

/// A page load, or one URL of a trace, with hits still to be checked.
struct OpenLoad {
    var device: Int
    var window: Int
    var nextHit: UInt32
    var endHit: UInt32
    /// When the load began.
    var start: SimulatedTime
    /// How much later its URLs are because others were waited for.
    var delay = SimulatedDuration.zero
    /// URLs that wait for their verdict.
    var waiting: UInt32 = 0
    /// A URL was blocked without being listed, or nobody answered in time.
    var isBroken = false

    /// Nothing of the load is still to come.
    var isDone: Bool { nextHit == endHit && waiting == 0 }
}

/// URLs without hits that a device without prefilter may have to leave to the policy.
struct PendingMisses {
    var device: Int
    var count: Int
    /// The load that they belong to, if it has hits too.
    var load: Int?
}

/// From the loads of a window to the checks of their URLs.
extension Fleet {
    mutating func takeWindow(_ number: Int, _ agenda: inout Agenda<FleetEvent>) throws {
        let loads = try producer.take(window: number, ready: newlyReady)
        newlyReady.removeAll(keepingCapacity: true)
        let end = producer.end(of: number)
        if end < configuration.duration.nanoseconds {
            agenda.schedule(.window(UInt32(number + 1)), at: SimulatedTime(nanoseconds: end))
        }
        guard !loads.loads.isEmpty else { return }
        let open = loads.loads.count { $0.hitCount > 0 }
        let window =
            open == 0
            ? 0 : windows.insert(OpenWindow(hits: loads.hits, keys: loads.keys, openLoads: open))
        for load in loads.loads {
            let time = SimulatedTime(nanoseconds: load.time)
            let device = Int(load.device)
            let open: Int? =
                load.hitCount == 0
                ? nil
                : self.loads.insert(
                    OpenLoad(
                        device: device, window: window, nextHit: load.firstHit,
                        endHit: load.firstHit + load.hitCount, start: time))
            if load.misses > 0 {
                let pending = PendingMisses(device: device, count: Int(load.misses), load: open)
                // Before the load's first check, which needs the same slot.
                agenda.schedule(.misses(UInt32(misses.insert(pending))), at: time)
            }
            guard let slot = open else { continue }
            let offset = SimulatedDuration(nanoseconds: loads.hits[Int(load.firstHit)].offset)
            agenda.schedule(.check(load: UInt32(slot)), at: time.advanced(by: offset))
        }
    }

    /// URLs without a hit of a load that begins now.
    mutating func countMisses(_ pending: PendingMisses, at now: SimulatedTime) {
        guard countMisses(pending.count, device: pending.device, at: now) else { return }
        if let load = pending.load {
            breakPage(load)
        } else if counts(now) {
            record.brokenPages += 1
        }
    }

    /// URLs without a hit: allowed on the device, or left to the policy while there is no prefilter.
    ///
    /// - Returns: Whether the policy blocked them: a URL that hits nothing is on no list.
    mutating func countMisses(_ count: Int, device: Int, at time: SimulatedTime) -> Bool {
        let counted = counts(time)
        if devices[device].edition > 0 {
            if counted { record.urls.allowedByPrefilter += count }
            return false
        }
        let verdict = Verdict(noAnswerUnder: configuration.policy)
        record.health.count(failed: true, times: count, at: time)
        if verdict.blocks { record.series.update(at: time) { $0.falselyBlocked += count } }
        guard counted else { return verdict.blocks }
        record.urls.count(verdict, cause: .notReady, times: count)
        if verdict.blocks { record.urls.falselyBlocked += count }
        return verdict.blocks
    }

    /// Checks the next URL of a load, and goes on to the one after it, at once or when the verdict is there.
    mutating func checkNext(
        ofLoad slot: Int, at now: SimulatedTime, _ agenda: inout Agenda<FleetEvent>
    ) throws {
        let load = loads[slot]
        let hit = windows[load.window].hits[Int(load.nextHit)]
        let isLast = load.nextHit + 1 == load.endHit
        loads[slot].nextHit += 1
        let first = Int(hit.firstKey)
        let keys = windows[load.window].keys[first..<(first + Int(hit.keyCount))].map(\.rawValue)
        let holds = hit.blocks && !isLast
        let waits = try check(keys, load: slot, holds: holds, at: now, &agenda)
        if isLast {
            leave(window: load.window)
            if loads[slot].isDone { loads.remove(slot) }
        } else if !(waits && holds) {
            scheduleNext(ofLoad: slot, &agenda)
        }
    }

    private mutating func leave(window: Int) {
        windows[window].openLoads -= 1
        if windows[window].openLoads == 0 { windows.remove(window) }
    }

    /// What the user asked for is not there, or came only after the device gave up waiting.
    mutating func breakPage(_ slot: Int) {
        guard !loads[slot].isBroken else { return }
        loads[slot].isBroken = true
        if counts(loads[slot].start) { record.brokenPages += 1 }
    }

    private func scheduleNext(ofLoad slot: Int, _ agenda: inout Agenda<FleetEvent>) {
        let load = loads[slot]
        let offset = SimulatedDuration(nanoseconds: windows[load.window].hits[Int(load.nextHit)].offset)
        let time = load.start.advanced(by: offset + load.delay)
        agenda.schedule(.check(load: UInt32(slot)), at: max(time, agenda.now))
    }

    /// A URL that waited has its verdict. What follows in a load that it held up is later by as much.
    mutating func release(_ waiter: Waiter, at now: SimulatedTime, _ agenda: inout Agenda<FleetEvent>) {
        let slot = waiter.load
        loads[slot].waiting -= 1
        if waiter.holds {
            loads[slot].delay += now - waiter.started
            scheduleNext(ofLoad: slot, &agenda)
        } else if loads[slot].isDone {
            loads.remove(slot)
        }
    }
}
