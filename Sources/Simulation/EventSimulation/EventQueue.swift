/// An event waiting in the queue, as plain bytes.
@usableFromInline
package struct QueuedEvent<Event: BitwiseCopyable>: BitwiseCopyable {
    /// Nanoseconds since the start.
    @usableFromInline
    package let time: UInt64
    /// Place in the order of scheduling.
    @usableFromInline let sequence: UInt64
    @usableFromInline
    package let event: Event

    @inlinable
    init(time: UInt64, sequence: UInt64, event: Event) {
        self.time = time
        self.sequence = sequence
        self.event = event
    }

    @inlinable
    static func < (left: Self, right: Self) -> Bool {
        left.time < right.time || (left.time == right.time && left.sequence < right.sequence)
    }
}

/// The pending events in exact order of time, first come first served at equal times.
///
/// The earliest events lie sorted in a short `run`; all others lie unsorted in
/// a hierarchical timing wheel (``TimingWheel``), from which a slot is sorted
/// only when its turn comes. A push and a pop touch a few cache lines however
/// many events are pending. Measured against heaps, calendar and ladder queues
/// in the article "EventSimulation", section "The set of pending events".
@usableFromInline
package struct EventQueue<Event: BitwiseCopyable>: ~Copyable {
    @usableFromInline
    package typealias Entry = QueuedEvent<Event>

    /// Slots with more events than this are spread over finer slots before they are sorted.
    @inlinable static var slotLimit: Int { 32 }
    /// A longer run gives its later half back to the wheel.
    @inlinable static var runLimit: Int { 96 }
    /// While the wheel is empty, a run of this length takes later events too.
    @inlinable static var smallRun: Int { 12 }

    /// Descending, so that the next event is the last.
    @usableFromInline var run: UnsafeMutablePointer<Entry>
    @usableFromInline var runCount = 0
    @usableFromInline var runCapacity = 256
    /// Every event before this time is in the run, every event in the wheel is not before it.
    @usableFromInline var fence: UInt64 = 0
    @usableFromInline var wheel = TimingWheel<Event>()
    @usableFromInline var nextSequence: UInt64 = 0
    /// Events in run and wheel.
    @usableFromInline var count = 0

    @inlinable
    package init() {
        run = .allocate(capacity: runCapacity)
    }

    @inlinable
    deinit {
        run.deallocate()
    }

    /// Removes and returns the next event if its time is not after `end`.
    @inlinable
    @inline(__always)
    package mutating func popNext(due end: UInt64) -> Entry? {
        if runCount == 0, !refill(due: end) { return nil }
        let entry = run[runCount &- 1]
        guard entry.time <= end else { return nil }
        runCount &-= 1
        count &-= 1
        return entry
    }

    /// Adds an event `time` nanoseconds after the start; not before the last one returned.
    @inlinable
    package mutating func push(_ event: Event, at time: UInt64) {
        let entry = Entry(time: time, sequence: nextSequence, event: event)
        nextSequence &+= 1
        count &+= 1
        if time >= fence {
            guard runCount < Self.smallRun, wheel.isEmpty else {
                wheel.insert(entry)
                return
            }
            fence = time
        }
        insertIntoRun(entry)
    }

    @inlinable
    @inline(__always)
    mutating func insertIntoRun(_ entry: Entry) {
        if runCount == runCapacity { growRun(to: runCount + 1) }
        var index = runCount
        // The entry is the latest that was scheduled, so among equal times it comes last.
        while index > 0, run[index &- 1].time <= entry.time {
            moveUp(to: index)
            index &-= 1
        }
        run[index] = entry
        runCount &+= 1
        if runCount > Self.runLimit { shortenRun() }
    }

    /// Moves the earliest slot of the wheel into the empty run.
    ///
    /// A slot that begins after `end` stays closed: opening it would move the
    /// wheel past times at which events may still be scheduled.
    ///
    /// - Returns: `false` if nothing can be due.
    @inlinable
    @inline(never)
    mutating func refill(due end: UInt64) -> Bool {
        while let slot = wheel.firstSlot(), wheel.start(of: slot) <= end {
            let start = wheel.start(of: slot)
            let size = wheel.size(of: slot)
            if size > Self.slotLimit, slot >= TimingWheel<Event>.slotsPerLevel {
                wheel.advance(to: start)
                wheel.scatter(slot)
                continue
            }
            wheel.advance(to: start)
            if size > runCapacity { growRun(to: size) }
            runCount = wheel.take(slot, into: run)
            sortRun()
            // At the finest level a slot is one instant, and later events of the
            // same instant may queue up behind the run in the wheel.
            fence = slot < TimingWheel<Event>.slotsPerLevel ? start : wheel.end(of: slot, from: start)
            return true
        }
        return false
    }

    @inlinable
    mutating func sortRun() {
        guard runCount <= 64 else {
            var entries = UnsafeMutableBufferPointer(start: run, count: runCount)
            entries.sort { $1 < $0 }
            return
        }
        var next = 1
        while next < runCount {
            let entry = run[next]
            var index = next
            while index > 0, run[index &- 1] < entry {
                moveUp(to: index)
                index &-= 1
            }
            run[index] = entry
            next &+= 1
        }
    }

    /// Copies the entry below a place of the run into it, padding included, which takes fewer instructions.
    @inlinable
    @inline(__always)
    func moveUp(to index: Int) {
        (run + index).update(from: run + (index &- 1), count: 1)
    }

    /// Gives the later part of the run back to the wheel, without separating equal times.
    @inlinable
    @inline(never)
    mutating func shortenRun() {
        var keepFrom = runCount / 2
        while keepFrom < runCount, run[keepFrom].time == run[keepFrom - 1].time { keepFrom += 1 }
        fence = run[keepFrom - 1].time
        for index in 0..<keepFrom { wheel.insert(run[index]) }
        run.update(from: run + keepFrom, count: runCount - keepFrom)
        runCount -= keepFrom
    }

    @inlinable
    @inline(never)
    mutating func growRun(to needed: Int) {
        while runCapacity < needed { runCapacity *= 2 }
        let larger = UnsafeMutablePointer<Entry>.allocate(capacity: runCapacity)
        larger.update(from: run, count: runCount)
        run.deallocate()
        run = larger
    }
}
