import EventSimulation

/// Timers that all run equally long, so that the first one set is the first one due.
///
/// A fleet has a few of these for every device or request. In one line they cost 12 bytes and no event each: the
/// event queue holds a single event, for the front of the line. Whoever is served no longer stays in the line and
/// is passed over when its time comes.
struct DeadlineLine<Item: BitwiseCopyable> {
    private var times: [Int64] = []
    private var items: [Item] = []
    private var head = 0
    /// An event for the front is in the agenda.
    private var isArmed = false

    /// Time when the front is due.
    var next: SimulatedTime? { head < times.count ? SimulatedTime(nanoseconds: times[head]) : nil }
    var front: Item? { head < items.count ? items[head] : nil }
    var last: SimulatedTime? { times.count > head ? times.last.map { SimulatedTime(nanoseconds: $0) } : nil }

    /// - Precondition: Not before the last one in the line.
    mutating func append(_ item: Item, at time: SimulatedTime) {
        precondition(last.map { $0 <= time } ?? true, "a line of deadlines cannot take an earlier one")
        times.append(time.nanoseconds)
        items.append(item)
    }

    /// Fills the empty line with deadlines in any order.
    mutating func fill(_ deadlines: [(time: Int64, device: Item)]) {
        let sorted = deadlines.sorted { $0.time < $1.time }
        times = sorted.map(\.time)
        items = sorted.map(\.device)
    }

    mutating func dropFront() {
        head += 1
        if head > 4096, head * 2 > times.count {
            times.removeFirst(head)
            items.removeFirst(head)
            head = 0
        }
    }

    mutating func popDue(_ now: SimulatedTime) -> Item? {
        guard head < times.count, times[head] <= now.nanoseconds else { return nil }
        let item = items[head]
        dropFront()
        return item
    }
}

extension DeadlineLine {
    /// Puts an event for the front of the line into the agenda, unless there is one.
    mutating func arm<Event>(_ event: Event, _ agenda: inout Agenda<Event>) {
        guard !isArmed, let next else { return }
        isArmed = true
        agenda.schedule(event, at: max(next, agenda.now))
    }

    /// The event for the front happened.
    mutating func disarm() { isArmed = false }
}
