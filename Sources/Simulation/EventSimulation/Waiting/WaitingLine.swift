/// Work that waits for servers: who is next, and who is refused. The simulated servers and the live ones hold the same.
///
/// **Order.** By ``QueueDiscipline/firstCome`` the entries of a more urgent class come first, and those of one class in
/// the order of arrival. By ``QueueDiscipline/fair`` it is self-clocked fair queueing (Golestani, INFOCOM 1994): each
/// entry is due when all that its owner asked for before would be done, if the owners shared one server evenly. Who has
/// asked for little is therefore served before who has asked for much, however much that one sends; with one entry of
/// the same work from each owner it is first come, first served.
///
/// **Deadline.** Nothing may wait longer than the limit, because whoever asked does not wait longer either. What would
/// probably have to is refused at once (``add(_:owner:priority:work:units:at:)``), and what does in spite of the
/// estimate is taken out before it costs anything (``removeLate(at:)``). So past saturation all that is served is
/// served in time: the capacity is never spent on answers that nobody waits for. Newest first would need no estimate,
/// but would serve him first who sends most, and those whom it passes over would wait in vain for as long as they can.
///
/// The line has no clock. Instants are counted from any moment, by the simulated clock or by that of a machine, and
/// must not run backwards.
@usableFromInline
package struct WaitingLine<Owner: Hashable & Sendable, Element: Sendable>: Sendable {
    @usableFromInline
    package let discipline: QueueDiscipline
    /// The same, for other modules: comparing words there is a call.
    @usableFromInline let isFair: Bool
    /// Most entries; `nil` for no limit.
    @usableFromInline
    package let countLimit: Int?
    /// Nanoseconds that an entry may wait, unless it waits alone; `nil` for no limit.
    @usableFromInline let waitLimit: Int64?
    /// Seconds that a second of work takes a server. More than one on a machine that does other things as well.
    @usableFromInline
    package var pace = 1.0
    /// How many entries are served at once.
    @usableFromInline
    package var servers: Int
    @usableFromInline
    package internal(set) var count = 0
    /// Nanoseconds of work that wait.
    @usableFromInline var workNanoseconds: Int64 = 0
    /// The most urgent class.
    @usableFromInline var line = RingQueue<Entry>()
    /// The other classes, in order of urgency.
    @usableFromInline var lowerLines: [RingQueue<Entry>]
    @usableFromInline var order = FairOrder<Owner, Entry>()

    /// An element that waits.
    @usableFromInline
    package struct Entry: Sendable {
        @usableFromInline
        package let element: Element
        /// Units of work in it, for what is served in one go; 0 for what is served by itself.
        @usableFromInline let units: Int32
        /// Time when it came.
        @usableFromInline let since: SimulatedTime
        /// Nanoseconds that a server will probably work on it.
        @usableFromInline let work: Int64

        @inlinable
        init(element: Element, since: SimulatedTime, work: Int64, units: Int) {
            self.element = element
            self.since = since
            self.work = work
            self.units = Int32(clamping: units)
        }
    }

    /// Whether there is room for a newcomer.
    @usableFromInline
    package enum Room: Sendable {
        case free
        /// The newcomer has to go.
        case none
        /// The newcomer is in, and these have to go, the one that was due last first.
        case insteadOf([Entry])
    }

    /// - Parameters:
    ///   - servers: How many entries are served at once.
    ///   - countLimit: Most entries.
    ///   - waitLimit: Nobody who has waited longer is served; needs ``removeLate(at:)``.
    ///   - priorities: Classes of entries, for first come, first served; class 0 is the most urgent.
    @inlinable
    package init(
        _ discipline: QueueDiscipline, servers: Int, countLimit: Int? = nil,
        waitLimit: SimulatedDuration? = nil, priorities: Int = 1
    ) {
        precondition((countLimit ?? 0) >= 0, "a queue cannot have negative capacity")
        precondition(priorities >= 1, "a queue needs a class of jobs")
        precondition(priorities == 1 || discipline == .firstCome, "a fair queue has one class of jobs")
        self.discipline = discipline
        isFair = discipline == .fair
        self.servers = servers
        self.countLimit = countLimit
        self.waitLimit = waitLimit?.nanoseconds
        lowerLines = Array(repeating: RingQueue(), count: priorities - 1)
    }

    /// Work that waits, of one server.
    @inlinable
    package var work: SimulatedDuration { SimulatedDuration(nanoseconds: workNanoseconds) }

    /// - Parameters:
    ///   - owner: Whose it is; first come, first served needs none.
    ///   - priority: Class, 0 for the most urgent.
    ///   - work: How long a server will probably work on it.
    ///   - units: Those in it, for ``takeFollowers(of:within:)``; 0 for what is served by itself.
    /// - Complexity: O(1); O(log n + m) in the entries if fair, with m that have to go.
    @inlinable
    package mutating func add(
        _ element: Element, owner: Owner, priority: Int = 0, work: SimulatedDuration, units: Int = 0,
        at time: SimulatedTime
    ) -> Room {
        let entry = Entry(element: element, since: time, work: work.nanoseconds, units: units)
        if isFair { return addFairly(entry, owner) }
        return addInOrder(entry, priority) ? .free : .none
    }

    /// - Returns: Whether there was room.
    @inlinable
    @inline(__always)
    mutating func addInOrder(_ entry: Entry, _ priority: Int) -> Bool {
        guard !isFull(count &+ 1, workNanoseconds &+ entry.work) else { return false }
        note(entry)
        if priority == 0 {
            line.append(entry)
        } else {
            lowerLines[priority - 1].append(entry)
        }
        return true
    }

    @inlinable
    @inline(never)
    mutating func addFairly(_ entry: Entry, _ owner: Owner) -> Room {
        let tag = order.nextTag(owner, work: entry.work)
        // Nobody goes for the sake of a newcomer that has to go itself.
        guard let goers = goers(for: entry, tag) else {
            order.noteRefusal(owner, tag)
            return .none
        }
        order.insert(entry, owner, tag)
        if waitLimit != nil { order.noteArrival(tag, at: entry.since) }
        note(entry)
        guard goers > 0 else { return .free }
        var gone: [Entry] = []
        for _ in 0..<goers {
            let last = order.removeLast()
            forget(last)
            gone.append(last)
        }
        return .insteadOf(gone)
    }

    /// Counts those due last that have to go for a newcomer.
    ///
    /// - Returns: `nil` if the newcomer has to.
    @inlinable
    func goers(for entry: Entry, _ tag: FairTag) -> Int? {
        var (left, work, goers) = (count &+ 1, workNanoseconds &+ entry.work, 0)
        guard isFull(left, work) else { return 0 }
        for run in order.runs.reversed() {
            for place in run.reversed() {
                guard tag < place.tag else { return nil }
                (left, work, goers) = (left - 1, work &- place.entry.work, goers + 1)
                guard isFull(left, work) else { return goers }
            }
        }
        return nil
    }

    /// Whether so many entries, with so many nanoseconds of work, are too many.
    @inlinable
    func isFull(_ count: Int, _ work: Int64) -> Bool {
        if let countLimit, count > countLimit { return true }
        guard let waitLimit, count > 1 else { return false }
        return Double(work) * pace > Double(waitLimit) * Double(servers)
    }

    /// The element that is next; `nil` when none waits.
    @inlinable
    package var first: Element? {
        if isFair { return order.first?.element }
        if let entry = line.first { return entry.element }
        for lower in lowerLines {
            if let entry = lower.first { return entry.element }
        }
        return nil
    }

    /// Takes the entry that is next.
    @inlinable
    package mutating func next() -> Entry? {
        guard let entry = isFair ? order.popFirst() : line.popFirst() ?? nextLessUrgent() else {
            return nil
        }
        forget(entry)
        return entry
    }

    @inlinable
    mutating func nextLessUrgent() -> Entry? {
        for index in lowerLines.indices {
            if let next = lowerLines[index].popFirst() { return next }
        }
        return nil
    }

    /// Takes what a server answers in one go with an entry that it has just taken: its share of the line, so that the
    /// other servers have something to do as well.
    ///
    /// First come, first served, nobody is passed over: the group ends before the first one that cannot be in it. By
    /// the fair order the share is one of those that can be in a group.
    ///
    /// - Parameter units: Those of the entry that was taken.
    /// - Complexity: O(n) in the entries.
    @inlinable
    package mutating func takeFollowers(of units: Int, within bounds: GroupBounds) -> [Entry] {
        // Less than one for each server is a share of one.
        guard count >= servers, bounds.count > 1 else { return [] }
        var candidates = count
        if isFair {
            candidates = 0
            order.forEach { if $0.units > 0 { candidates += 1 } }
        }
        let share = (candidates + max(1, servers)) / max(1, servers)
        var (taken, total): ([Entry], Int) = ([], units)
        while taken.count + 1 < min(share, bounds.count),
            let next = takeFollower(units: (bounds.units ?? .max) - total)
        {
            total += Int(next.units)
            taken.append(next)
        }
        return taken
    }

    /// Takes the next one of a group with so many units at most; first come, first served, the next one or none.
    @inlinable
    mutating func takeFollower(units limit: Int) -> Entry? {
        guard limit > 0 else { return nil }
        let bounds = 1...Int32(clamping: limit)
        guard isFair else {
            guard let first = line.first, bounds.contains(first.units) else { return nil }
            return next()
        }
        guard let entry = order.popFirst(where: { bounds.contains($0.units) }) else { return nil }
        forget(entry)
        return entry
    }

    /// Takes out what has waited too long, in the order of arrival. To be called before one is taken, or comes.
    @inlinable
    package mutating func removeLate(at time: SimulatedTime) -> [Entry] {
        guard let waitLimit, count > 0 else { return [] }
        var late: [Entry] = []
        if isFair {
            late = order.removeOlder(than: time.nanoseconds - waitLimit)
            for entry in late { forget(entry) }
            return late
        }
        precondition(lowerLines.isEmpty, "a limit of the wait goes with one class of jobs")
        while let first = line.first, time.nanoseconds &- first.since.nanoseconds > waitLimit,
            let next = next()
        {
            late.append(next)
        }
        return late
    }

    @inlinable
    func forEach(_ body: (Entry) -> Void) {
        if isFair { return order.forEach(body) }
        line.forEach(body)
        for lower in lowerLines { lower.forEach(body) }
    }

    @inlinable
    mutating func note(_ entry: Entry) {
        count &+= 1
        workNanoseconds &+= entry.work
    }

    @inlinable
    mutating func forget(_ entry: Entry) {
        count &-= 1
        workNanoseconds &-= entry.work
    }
}
