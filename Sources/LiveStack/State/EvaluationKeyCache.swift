import HomomorphicEncryption
import PrivateInformationRetrieval

/// Evaluation keys ready to be used, as many as fit into a number of bytes.
///
/// Replaced by the clock rule: a hand goes round and drops the first key that was not used since it came by.
struct EvaluationKeyCache {
    struct Entry {
        let name: EvaluationKeyName
        let timestamp: UInt64
        let key: EvaluationKey
        var wasUsed = true
    }

    /// Bytes that all keys may take. One larger than that is kept alone.
    let capacity: Int
    private(set) var byteCount = 0
    private var places: [EvaluationKeyName: Int] = [:]
    private var entries: [Entry] = []
    private var hand = 0

    init(capacity: Int) { self.capacity = capacity }

    subscript(name: EvaluationKeyName) -> Entry? {
        mutating get {
            guard let place = places[name] else { return nil }
            entries[place].wasUsed = true
            return entries[place]
        }
    }

    mutating func insert(_ entry: Entry) {
        if let place = places[entry.name] { remove(at: place) }
        while !entries.isEmpty, byteCount + entry.key.byteCount > capacity { removeUnused() }
        places[entry.name] = entries.count
        entries.append(entry)
        byteCount += entry.key.byteCount
    }

    mutating func removeAll() { self = EvaluationKeyCache(capacity: capacity) }

    private mutating func removeUnused() {
        while true {
            if hand >= entries.count { hand = 0 }
            guard entries[hand].wasUsed else { return remove(at: hand) }
            entries[hand].wasUsed = false
            hand += 1
        }
    }

    /// The last entry takes the place of the removed one.
    private mutating func remove(at place: Int) {
        byteCount -= entries[place].key.byteCount
        places[entries[place].name] = nil
        let last = entries.removeLast()
        guard place < entries.count else { return }
        entries[place] = last
        places[last.name] = place
    }
}
