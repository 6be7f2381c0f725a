import PrivateInformationRetrieval
import ServiceRules
import Synchronization

/// Evaluation keys in memory, as many as fit into a number of bytes; ``ClockRoom`` says which. Any number of threads
/// may call.
final class EvaluationKeyCache: Sendable {
    struct Entry {
        let name: EvaluationKeyName
        /// Key in one form only: that in which a lookup is to find it.
        let key: StoredEvaluationKey
    }

    private struct State {
        var room: ClockRoom<EvaluationKeyName>
        var keys: [EvaluationKeyName: StoredEvaluationKey] = [:]
        var droppedCount = 0
    }

    private let state: Mutex<State>

    /// - Parameter capacity: Bytes that all keys may take. One larger than that is kept alone.
    init(capacity: Int) { state = Mutex(State(room: ClockRoom(capacity: capacity))) }

    var byteCount: Int { state.withLock { $0.room.size } }

    subscript(name: EvaluationKeyName) -> Entry? {
        state.withLock { state in
            guard state.room.use(name), let key = state.keys[name] else { return nil }
            return Entry(name: name, key: key)
        }
    }

    /// - Parameter isLatest: False for what was read from the file: a newer key may have come in meanwhile.
    func insert(_ entry: Entry, isLatest: Bool) {
        state.withLock { state in
            if !isLatest, state.keys[entry.name] != nil { return }
            for name in state.room.insert(entry.name, size: entry.key.byteCount) { state.keys[name] = nil }
            state.keys[entry.name] = entry.key
        }
    }

    /// Names dropped from the store.
    var droppedCount: Int { state.withLock { $0.droppedCount } }

    /// Forgets keys that the store has dropped.
    func drop(_ names: [EvaluationKeyName]) {
        state.withLock { state in
            state.droppedCount += names.count
            for name in names {
                state.room.remove(name)
                state.keys[name] = nil
            }
        }
    }

    func removeAll() {
        state.withLock { state in
            state.room.removeAll()
            state.keys = [:]
            state.droppedCount = 0
        }
    }
}
