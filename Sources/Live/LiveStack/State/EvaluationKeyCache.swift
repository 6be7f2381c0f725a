import PrivateInformationRetrieval
import Synchronization

/// Evaluation keys in memory, as many as fit into a number of bytes. Any number of threads may call.
///
/// Replaced by the clock rule: a hand goes round and drops the first key that was not used since it came by.
final class EvaluationKeyCache: Sendable {
    struct Entry {
        let name: EvaluationKeyName
        /// Key in one form only: that in which a lookup is to find it.
        let key: StoredEvaluationKey
        fileprivate var wasUsed = true

        init(name: EvaluationKeyName, key: StoredEvaluationKey) {
            self.name = name
            self.key = key
        }
    }

    fileprivate struct State {
        var byteCount = 0
        var places: [EvaluationKeyName: Int] = [:]
        var entries: [Entry] = []
        var hand = 0
        var droppedCount = 0
    }

    /// Bytes that all keys may take. One larger than that is kept alone.
    private let capacity: Int
    private let state = Mutex(State())

    init(capacity: Int) { self.capacity = capacity }

    var byteCount: Int { state.withLock { $0.byteCount } }

    subscript(name: EvaluationKeyName) -> Entry? {
        state.withLock { state in
            guard let place = state.places[name] else { return nil }
            state.entries[place].wasUsed = true
            return state.entries[place]
        }
    }

    /// - Parameter isLatest: False for what was read from the file: a newer key may have come in meanwhile.
    func insert(_ entry: Entry, isLatest: Bool) {
        state.withLock { state in
            if !isLatest, state.places[entry.name] != nil { return }
            if let place = state.places[entry.name] { state.remove(at: place) }
            while !state.entries.isEmpty, state.byteCount + entry.key.byteCount > capacity {
                state.removeUnused()
            }
            state.places[entry.name] = state.entries.count
            state.entries.append(entry)
            state.byteCount += entry.key.byteCount
        }
    }

    /// Names dropped from the store.
    var droppedCount: Int { state.withLock { $0.droppedCount } }

    /// Forgets keys that the store has dropped.
    func drop(_ names: [EvaluationKeyName]) {
        state.withLock { state in
            state.droppedCount += names.count
            for name in names {
                if let place = state.places[name] { state.remove(at: place) }
            }
        }
    }

    func removeAll() { state.withLock { $0 = State() } }
}

extension EvaluationKeyCache.State {
    fileprivate mutating func removeUnused() {
        while true {
            if hand >= entries.count { hand = 0 }
            guard entries[hand].wasUsed else { return remove(at: hand) }
            entries[hand].wasUsed = false
            hand += 1
        }
    }

    /// The last entry takes the place of the removed one.
    fileprivate mutating func remove(at place: Int) {
        byteCount -= entries[place].key.byteCount
        places[entries[place].name] = nil
        let last = entries.removeLast()
        guard place < entries.count else { return }
        entries[place] = last
        places[last.name] = place
    }
}
