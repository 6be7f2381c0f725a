/// Place in the order of a fair line.
@usableFromInline
struct FairTag: Comparable, Sendable {
    /// Virtual time at which the entry is due, in nanoseconds of work.
    @usableFromInline let due: Int64
    /// Number of the entry, for those that are due at the same time.
    @usableFromInline let number: UInt64

    @inlinable
    init(due: Int64, number: UInt64) {
        self.due = due
        self.number = number
    }

    @inlinable
    static func < (left: FairTag, right: FairTag) -> Bool {
        (left.due, left.number) < (right.due, right.number)
    }
}

/// Entries by the virtual time at which they are due, in runs of bounded length: hundreds of thousands may wait.
///
/// Virtual time is that of the entry that was taken last, and begins anew when the line is empty: nobody is owed
/// anything from before a pause.
@usableFromInline
struct FairOrder<Owner: Hashable & Sendable, Entry: Sendable>: Sendable {
    @usableFromInline
    struct Place: Sendable {
        @usableFromInline let tag: FairTag
        @usableFromInline let owner: Owner
        @usableFromInline let entry: Entry

        @inlinable
        init(tag: FairTag, owner: Owner, entry: Entry) {
            self.tag = tag
            self.owner = owner
            self.entry = entry
        }
    }

    /// Places in a run at most; a longer one is cut in two.
    @inlinable static var runLimit: Int { 256 }

    /// Runs in ascending order, none of them empty.
    @usableFromInline var runs: [[Place]] = []
    /// How many entries of each owner wait, and when the last one that came is due.
    @usableFromInline var owners: [Owner: (count: Int, due: Int64)] = [:]
    @usableFromInline var clock: Int64 = 0
    @usableFromInline var added: UInt64 = 0
    /// Entries in the order of arrival, also some that no longer wait.
    @usableFromInline var arrivals = RingQueue<(tag: FairTag, since: Int64)>()

    @inlinable
    init() {}

    @inlinable
    var first: Entry? { runs.first?.first?.entry }

    /// Gives an entry of this owner that comes now its place in the order.
    @inlinable
    mutating func nextTag(_ owner: Owner, work: Int64) -> FairTag {
        added &+= 1
        return FairTag(due: saturatingSum(max(clock, owners[owner]?.due ?? clock), work), number: added)
    }

    /// A refused entry was asked for all the same: those of its owner that come after it are due later.
    @inlinable
    mutating func noteRefusal(_ owner: Owner, _ tag: FairTag) {
        if let before = owners[owner] { owners[owner] = (before.count, tag.due) }
    }

    /// Keeps the order of arrival, for ``removeOlder(than:)``.
    @inlinable
    mutating func noteArrival(_ tag: FairTag, at time: SimulatedTime) {
        arrivals.append((tag, time.nanoseconds))
    }

    @inlinable
    mutating func insert(_ entry: Entry, _ owner: Owner, _ tag: FairTag) {
        owners[owner] = ((owners[owner]?.count ?? 0) + 1, tag.due)
        let place = Place(tag: tag, owner: owner, entry: entry)
        guard !runs.isEmpty else {
            runs.append([place])
            return
        }
        let run = min(run(of: tag), runs.count - 1)
        runs[run].insert(place, at: Self.offset(of: tag, in: runs[run]))
        guard runs[run].count > Self.runLimit else { return }
        let upper = Array(runs[run][(Self.runLimit / 2)...])
        runs[run].removeSubrange((Self.runLimit / 2)...)
        runs.insert(upper, at: run + 1)
    }

    /// The first run that does not end before the tag; the number of runs if all do.
    @inlinable
    func run(of tag: FairTag) -> Int {
        Self.partition(runs.count) { runs[$0][runs[$0].count - 1].tag < tag }
    }

    @inlinable
    static func offset(of tag: FairTag, in run: [Place]) -> Int { partition(run.count) { run[$0].tag < tag } }

    /// The first number below `count` that is not before; `count` if all are.
    @inlinable
    static func partition(_ count: Int, isBefore: (Int) -> Bool) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if isBefore(middle) { low = middle + 1 } else { high = middle }
        }
        return low
    }

    @inlinable
    @inline(never)
    mutating func popFirst() -> Entry? { runs.isEmpty ? nil : pop(0, 0) }

    @inlinable
    mutating func popFirst(where isWanted: (Entry) -> Bool) -> Entry? {
        for run in runs.indices {
            if let offset = runs[run].firstIndex(where: { isWanted($0.entry) }) { return pop(run, offset) }
        }
        return nil
    }

    /// Takes a place whose work begins now: the clock goes on.
    @inlinable
    mutating func pop(_ run: Int, _ offset: Int) -> Entry {
        let place = remove(run, offset)
        if !runs.isEmpty { clock = max(clock, place.tag.due) }
        return place.entry
    }

    /// Takes out the entry that is due last. There must be one.
    @inlinable
    mutating func removeLast() -> Entry { remove(runs.count - 1, runs[runs.count - 1].count - 1).entry }

    /// Takes out what came before `time`, in the order of arrival.
    @inlinable
    @inline(never)
    mutating func removeOlder(than time: Int64) -> [Entry] {
        var late: [Entry] = []
        while let oldest = arrivals.first, oldest.since < time {
            _ = arrivals.popFirst()
            let run = run(of: oldest.tag)
            guard run < runs.count else { continue }
            let offset = Self.offset(of: oldest.tag, in: runs[run])
            if runs[run][offset].tag == oldest.tag { late.append(remove(run, offset).entry) }
        }
        return late
    }

    @inlinable
    mutating func remove(_ run: Int, _ offset: Int) -> Place {
        let place = runs[run].remove(at: offset)
        if runs[run].isEmpty { runs.remove(at: run) }
        if let owner = owners[place.owner] {
            owners[place.owner] = owner.count > 1 ? (owner.count - 1, owner.due) : nil
        }
        if runs.isEmpty {
            clock = 0
            arrivals.removeAll()
        }
        return place
    }

    @inlinable
    func forEach(_ body: (Entry) -> Void) {
        for run in runs { for place in run { body(place.entry) } }
    }
}
