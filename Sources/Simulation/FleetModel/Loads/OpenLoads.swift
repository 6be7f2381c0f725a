import EventSimulation

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
    /// Time when the load began.
    var start: SimulatedTime
    /// How much later its URLs are because others were waited for.
    var delay = SimulatedDuration.zero
    /// URLs that wait for their verdict.
    var waiting: UInt32 = 0
    /// The last URL is one that the reader waits for, and how long that was; an upper bound where others wait beside
    /// it.
    var endBlocks = false
    var endWait = SimulatedDuration.zero
    var participation = Participation.honours
    /// Its document was blocked as the list says, so that nothing else of the page is missed. The simulator loads it
    /// all the same.
    var isStopped = false
    /// A URL was blocked without being listed, or nobody answered in time.
    var isBroken = false

    /// Nothing of the load is still to come.
    var isDone: Bool { nextHit == endHit && waiting == 0 }
}

/// URLs without hits that a device without prefilter may have to leave to the policy.
package struct PendingMisses {
    let device: Int
    let count: Int
    /// The load that they belong to, if it has hits too.
    let load: Int?
}

/// The loads of a world that have something to wait for.
struct OpenLoads {
    let producer: LoadProducer
    var windows = SlotPool<OpenWindow>()
    var open = SlotPool<OpenLoad>()
    var misses = SlotPool<PendingMisses>()
    /// Devices that got their first prefilter since the last window was handed over.
    var newlyReady: [UInt32] = []

    init(producer: LoadProducer) { self.producer = producer }
}

/// Way from the loads of a window to the checks of their URLs.
extension World {
    mutating func takeWindow<Own>(_ number: Int, _ agenda: inout Agenda<FleetEvent<Own>>) throws {
        let made = try loads.producer.take(window: number, ready: loads.newlyReady)
        loads.newlyReady.removeAll(keepingCapacity: true)
        let end = loads.producer.end(of: number)
        if end < configuration.duration.nanoseconds {
            agenda.schedule(.world(.window(UInt32(number + 1))), at: SimulatedTime(nanoseconds: end))
        }
        guard !made.loads.isEmpty else { return }
        let count = made.loads.count { $0.hitCount > 0 }
        let window =
            count == 0
            ? 0 : loads.windows.insert(OpenWindow(hits: made.hits, keys: made.keys, openLoads: count))
        for load in made.loads {
            let time = SimulatedTime(nanoseconds: load.time)
            let device = Int(load.device)
            let slot: Int? =
                load.hitCount == 0
                ? nil
                : loads.open.insert(
                    OpenLoad(
                        device: device, window: window, nextHit: load.firstHit,
                        endHit: load.firstHit + load.hitCount, start: time,
                        participation: load.participation))
            if load.misses > 0 {
                let pending = PendingMisses(device: device, count: Int(load.misses), load: slot)
                // Before the load's first check, which needs the same slot.
                agenda.schedule(.world(.misses(UInt32(loads.misses.insert(pending)))), at: time)
            }
            guard let slot else { continue }
            let offset = SimulatedDuration(nanoseconds: made.hits[Int(load.firstHit)].offset)
            agenda.schedule(.world(.check(load: UInt32(slot))), at: time.advanced(by: offset))
        }
    }

    /// Breaks a page: what the user asked for is not there, or came only after the device gave up waiting.
    mutating func breakPage(_ slot: Int, by cause: PageBreak, at now: SimulatedTime) {
        guard !loads.open[slot].isBroken else { return }
        loads.open[slot].isBroken = true
        record.series.update(at: now) { $0.brokenPages += 1 }
        countBreak(cause, of: loads.open[slot].device, began: loads.open[slot].start, at: now)
    }

    /// A URL of a load waits for a verdict; ``release(load:after:holds:_:)`` ends that.
    mutating func hold(load slot: Int) { loads.open[slot].waiting += 1 }

    /// A URL that waited has its verdict. What follows in a load that it held up is later by as much.
    mutating func release<Own>(
        load slot: Int, after wait: SimulatedDuration, holds: Bool, _ agenda: inout Agenda<FleetEvent<Own>>
    ) {
        loads.open[slot].waiting -= 1
        if holds {
            loads.open[slot].delay += wait
            scheduleNext(ofLoad: slot, &agenda)
        } else {
            if loads.open[slot].endBlocks {
                loads.open[slot].endWait = max(loads.open[slot].endWait, wait)
            }
            if loads.open[slot].isDone { close(load: slot) }
        }
    }

    /// Nothing of a load is still to come.
    fileprivate mutating func close(load slot: Int) {
        let load = loads.open.remove(slot)
        let added = load.delay + load.endWait
        if added > .zero, counts(load.start) { record.pageTimes.added.record(added) }
    }

    fileprivate func scheduleNext<Own>(ofLoad slot: Int, _ agenda: inout Agenda<FleetEvent<Own>>) {
        let load = loads.open[slot]
        let hit = loads.windows[load.window].hits[Int(load.nextHit)]
        let time = load.start.advanced(by: SimulatedDuration(nanoseconds: hit.offset) + load.delay)
        agenda.schedule(.world(.check(load: UInt32(slot))), at: max(time, agenda.now))
    }

    fileprivate mutating func leave(window: Int) {
        loads.windows[window].openLoads -= 1
        guard loads.windows[window].openLoads == 0 else { return }
        // The slot keeps what is in it.
        loads.windows[window] = OpenWindow(hits: [], keys: [], openLoads: 0)
        loads.windows.remove(window)
    }
}

extension Fleet {
    /// URLs without a hit of a load that begins now.
    mutating func takeMisses(_ slot: Int, at now: SimulatedTime) {
        let pending = world.loads.misses.remove(slot)
        guard filter.takeMisses(pending, in: &world, at: now) else { return }
        if let load = pending.load {
            world.breakPage(load, by: .policy, at: now)
            return
        }
        world.record.series.update(at: now) { $0.brokenPages += 1 }
        world.countBreak(.policy, of: pending.device, began: now, at: now)
    }

    /// Checks the next URL of a load, and goes on to the one after it, at once or when the verdict is there.
    mutating func checkNext(ofLoad slot: Int, _ agenda: inout Agenda<Event>) throws {
        let load = world.loads.open[slot]
        let hit = world.loads.windows[load.window].hits[Int(load.nextHit)]
        let isLast = load.nextHit + 1 == load.endHit
        world.loads.open[slot].nextHit += 1
        let first = Int(hit.firstKey)
        let keys = Array(world.loads.windows[load.window].keys[first..<(first + Int(hit.keyCount))])
        let holds = hit.blocks && !isLast
        let waits = try filter.check(
            keys, isMeant: hit.isMeant, load: slot, holds: holds, in: &world, &agenda)
        if isLast {
            world.loads.open[slot].endBlocks = hit.blocks && waits
            world.leave(window: load.window)
            if world.loads.open[slot].isDone { world.close(load: slot) }
        } else if !(waits && holds) {
            world.scheduleNext(ofLoad: slot, &agenda)
        }
    }
}
