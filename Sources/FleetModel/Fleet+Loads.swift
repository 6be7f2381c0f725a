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
}

/// URLs without hits that a device without prefilter may have to leave to the policy.
struct PendingMisses {
    var device: Int
    var count: Int
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
            if load.misses > 0 {
                let slot = misses.insert(PendingMisses(device: device, count: Int(load.misses)))
                agenda.schedule(.misses(UInt32(slot)), at: time)
            }
            guard load.hitCount > 0 else { continue }
            let slot = self.loads.insert(
                OpenLoad(
                    device: device, window: window, nextHit: load.firstHit,
                    endHit: load.firstHit + load.hitCount, start: time))
            let offset = SimulatedDuration(nanoseconds: loads.hits[Int(load.firstHit)].offset)
            agenda.schedule(.check(load: UInt32(slot)), at: time.advanced(by: offset))
        }
    }

    /// URLs without a hit: allowed on the device, or left to the policy while there is no prefilter.
    mutating func countMisses(_ count: Int, device: Int, at time: SimulatedTime) {
        let counted = counts(time)
        if devices[device].edition > 0 {
            if counted { record.urls.allowedByPrefilter += count }
            return
        }
        let verdict = Verdict(noAnswerUnder: configuration.policy)
        // A URL that hits nothing is on no list.
        if verdict.blocks { record.series.update(at: time) { $0.falselyBlocked += count } }
        guard counted else { return }
        record.urls.count(verdict, cause: .notReady, times: count)
        if verdict.blocks { record.urls.falselyBlocked += count }
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
        let waits = try check(
            keys, device: load.device, began: load.start, holds: hit.blocks && !isLast ? slot : nil,
            at: now, &agenda)
        if isLast {
            close(load: slot)
        } else if !(waits && hit.blocks) {
            scheduleNext(ofLoad: slot, &agenda)
        }
    }

    private mutating func close(load slot: Int) {
        let window = loads.remove(slot).window
        windows[window].openLoads -= 1
        if windows[window].openLoads == 0 { _ = windows.remove(window) }
    }

    private func scheduleNext(ofLoad slot: Int, _ agenda: inout Agenda<FleetEvent>) {
        let load = loads[slot]
        let offset = SimulatedDuration(nanoseconds: windows[load.window].hits[Int(load.nextHit)].offset)
        let time = load.start.advanced(by: offset + load.delay)
        agenda.schedule(.check(load: UInt32(slot)), at: max(time, agenda.now))
    }

    /// The verdict that a load waited for is there: all that follows in the load is later by as much.
    mutating func release(
        load slot: Int, after wait: SimulatedDuration, _ agenda: inout Agenda<FleetEvent>
    ) {
        loads[slot].delay += wait
        scheduleNext(ofLoad: slot, &agenda)
    }
}
