/// The verdict cache of the filtering agent: which strings are listed, without an age.
///
/// A list, because a hundred entries are found faster by looking at all than by hashing, and because an
/// empty list costs a device nothing.
@usableFromInline
struct AgentCache<Key: Hashable & Sendable>: Sendable {
    @usableFromInline var entries: [Entry] = []

    @usableFromInline
    struct Entry: Sendable {
        @usableFromInline let key: Key
        @usableFromInline var isListed: Bool

        @inlinable
        init(key: Key, isListed: Bool) {
            self.key = key
            self.isListed = isListed
        }
    }

    @inlinable
    init() {}

    @inlinable
    func isListed(_ key: Key) -> Bool? {
        entries.first { $0.key == key }?.isListed
    }

    /// Stores an answer; a map that holds more than `limit` entries is dropped first, also for a key that is
    /// in it (assumption: no source tells an update from an insertion).
    @inlinable
    mutating func store(_ key: Key, isListed: Bool, limit: Int) {
        if entries.count > limit { entries.removeAll(keepingCapacity: true) }
        if let index = entries.firstIndex(where: { $0.key == key }) {
            entries[index].isListed = isListed
        } else {
            entries.append(Entry(key: key, isListed: isListed))
        }
    }

    @inlinable
    mutating func removeAll() {
        entries = []
    }
}
