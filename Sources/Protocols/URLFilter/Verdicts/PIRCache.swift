/// The cache of the PIR client: answers per keyword, with an age.
///
/// In the order of storing, so the oldest are the first: they expire first, and they make room when the
/// cache is full (assumption: sources give the size and the age, not what is evicted).
@usableFromInline
struct PIRCache<Key: Hashable & Sendable>: Sendable {
    @usableFromInline var entries: [Entry] = []

    @usableFromInline
    struct Entry: Sendable {
        @usableFromInline let key: Key
        /// Time of storing, doubled, plus 1 for a listed key: a device may hold a thousand of these.
        @usableFromInline let stamp: Int64

        @inlinable
        init(key: Key, storedAt: Nanoseconds, isListed: Bool) {
            self.key = key
            stamp = storedAt << 1 | (isListed ? 1 : 0)
        }

        @inlinable var storedAt: Nanoseconds { stamp >> 1 }
        @inlinable var isListed: Bool { stamp & 1 == 1 }
    }

    @inlinable
    init() {}

    /// - Complexity: O(entries).
    @inlinable
    func isListed(_ key: Key, at now: Nanoseconds, timeToLive: Nanoseconds) -> Bool? {
        guard let entry = entries.first(where: { $0.key == key }), now - entry.storedAt < timeToLive else {
            return nil
        }
        return entry.isListed
    }

    /// - Complexity: O(entries).
    @inlinable
    mutating func store(
        _ key: Key, isListed: Bool, at now: Nanoseconds, timeToLive: Nanoseconds, limit: Int
    ) {
        if let index = entries.firstIndex(where: { $0.key == key }) { entries.remove(at: index) }
        let expired = entries.prefix { now - $0.storedAt >= timeToLive }.count
        let surplus = max(expired, entries.count + 1 - limit)
        if surplus > 0 { entries.removeFirst(min(surplus, entries.count)) }
        if limit > 0 { entries.append(Entry(key: key, storedAt: now, isListed: isListed)) }
    }

    @inlinable
    mutating func removeAll() {
        entries = []
    }
}
