/// Work that waits, in the order in which its owners are entitled to it.
///
/// **Order.** Self-clocked fair queueing (Golestani, INFOCOM 1994): each entry is due when all that its owner asked for
/// before would be done, if the owners shared one thread evenly. Who has asked for little is therefore served before
/// who has asked for much, however much that one sends; with one entry of the same cost from each owner it is first
/// come, first served. When there is no room, the entry that is due last has to go, and that may be the new one.
///
/// **Deadline.** Nothing may wait longer than ``waitLimit``, because whoever asked does not wait longer either. What
/// would probably have to is refused at once (``add(_:owner:cost:at:)``), and what does in spite of the estimate is
/// taken out before it costs anything (``removeLate(at:)``). So past saturation all that is served is served in time:
/// the capacity is never spent on answers that nobody waits for. The earliest deadline comes first, which with one
/// patience for all is the order of arrival. Newest first would need no estimate, but would serve him first who sends
/// most, and those whom it passes over would wait in vain for as long as they can.
package struct FairLine<Element> {
    private struct Entry {
        let owner: String
        /// Seconds of work.
        let cost: Double
        /// Virtual time at which the entry is due, in seconds.
        let due: Double
        let number: UInt64
        /// Seconds.
        let arrived: Double
        let element: Element

        func precedes(_ other: Entry) -> Bool { (due, number) < (other.due, other.number) }
    }

    /// Most entries.
    package let countLimit: Int
    /// Most seconds that an entry may wait, unless it waits alone.
    package let waitLimit: Double
    /// How many entries are served at once.
    private let serverCount: Int
    /// Seconds that a second of work takes a server. More than one on a machine that does other things as well.
    package var pace = 1.0
    private var entries: [Entry] = []
    /// When the last entry of each owner is due, for those that have any.
    private var owners: [String: (count: Int, due: Double)] = [:]
    private var now = 0.0
    private var added: UInt64 = 0
    /// Seconds of work that wait.
    package private(set) var cost = 0.0

    package init(countLimit: Int, waitLimit: Double, serverCount: Int) {
        self.countLimit = countLimit
        self.waitLimit = waitLimit
        self.serverCount = serverCount
    }

    package var count: Int { entries.count }

    package func count(where isWanted: (Element) -> Bool) -> Int { entries.count { isWanted($0.element) } }

    /// How long the last in line will probably wait until he has been served, in seconds.
    package var wait: Double { cost * pace / Double(serverCount) }

    /// - Parameter time: In seconds since any moment; it must not run backwards.
    /// - Returns: What found no room, the new element or others.
    /// - Complexity: O(`count`).
    package mutating func add(
        _ element: Element, owner: String, cost: Double, at time: Double
    ) -> [Element] {
        let before = owners[owner]
        let due = max(now, before?.due ?? now) + cost
        entries.append(
            Entry(owner: owner, cost: cost, due: due, number: added, arrived: time, element: element))
        owners[owner] = ((before?.count ?? 0) + 1, due)
        added += 1
        self.cost += cost
        var dropped: [Element] = []
        while entries.count > countLimit || (wait > waitLimit && entries.count > 1) {
            guard let last = entries.indices.max(by: { entries[$0].precedes(entries[$1]) }) else { break }
            dropped.append(remove(at: last).element)
        }
        return dropped
    }

    /// Takes the entry that is due next.
    ///
    /// - Parameter isWanted: Leaves the others where they are.
    /// - Complexity: O(`count`).
    package mutating func next(where isWanted: (Element) -> Bool = { _ in true }) -> Element? {
        let wanted = entries.indices.filter { isWanted(entries[$0].element) }
        guard let first = wanted.min(by: { entries[$0].precedes(entries[$1]) }) else { return nil }
        let entry = remove(at: first)
        // Nobody is owed anything from before a pause.
        now = entries.isEmpty ? 0 : max(now, entry.due)
        if entries.isEmpty { owners = [:] }
        return entry.element
    }

    /// Takes out what has waited too long.
    ///
    /// - Complexity: O(`count`).
    package mutating func removeLate(at time: Double) -> [Element] {
        var late: [Element] = []
        // Backwards: the last entry takes the place of a removed one.
        for index in entries.indices.reversed() where time - entries[index].arrived > waitLimit {
            late.append(remove(at: index).element)
        }
        if entries.isEmpty { (now, owners) = (0, [:]) }
        return late
    }

    private mutating func remove(at index: Int) -> Entry {
        let entry = entries[index]
        entries[index] = entries[entries.count - 1]
        entries.removeLast()
        cost = entries.isEmpty ? 0 : cost - entry.cost
        if let owner = owners[entry.owner] {
            owners[entry.owner] = owner.count > 1 ? (owner.count - 1, owner.due) : nil
        }
        return entry
    }
}
