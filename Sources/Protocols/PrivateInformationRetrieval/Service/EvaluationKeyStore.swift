package import HomomorphicEncryption
import ServiceRules
import Synchronization

/// Whose evaluation key, and for which key configuration.
package struct EvaluationKeyName: Hashable, Sendable {
    /// The pseudonym that the device sends.
    package let user: String
    /// See ``EvaluationKeyConfiguration/identifier``.
    package let identifier: [UInt8]

    package init(user: String, identifier: [UInt8]) {
        self.user = user
        self.identifier = identifier
    }
}

/// How evaluation keys are kept.
///
/// Half of a ready key is polynomials that its 32-byte seeds stand for, and every residue takes a whole word. So the
/// bytes take less than half the memory, but turning them into a key is what most of an upload costs, and then every
/// lookup pays it (article "PIR protocol", section "Evaluation keys at rest").
package enum EvaluationKeyForm: String, CaseIterable, Codable, Sendable {
    /// Ready to be used: a lookup finds its key as it needs it.
    case ready
    /// Bytes as they came, checked: every lookup makes its key anew.
    case bytes
}

/// An evaluation key as a device uploaded it, in the forms that a store keeps.
package struct StoredEvaluationKey: Sendable {
    /// Unix seconds, as the client said.
    package let timestamp: UInt64
    /// Nil where only the bytes are kept.
    package let key: EvaluationKey?
    /// The message that ``key`` is read from; empty where only that is kept.
    package let message: [UInt8]

    package init(timestamp: UInt64, key: EvaluationKey?, message: [UInt8]) {
        self.timestamp = timestamp
        self.key = key
        self.message = message
    }

    /// Memory, in bytes.
    package var byteCount: Int { (key?.byteCount ?? 0) + message.count }
}

/// The place where evaluation keys are kept between requests.
///
/// The latest upload replaces an earlier one. A store may drop keys for lack of room: their devices are told that there
/// is none when they ask for the configuration. Apple's server drops none. Any number of threads may call.
package protocol EvaluationKeyStore: Sendable {
    /// Forms that it wants of an upload.
    var forms: Set<EvaluationKeyForm> { get }

    /// The time at which the key was made, in Unix seconds; nil if there is none.
    func timestamp(of name: EvaluationKeyName) throws -> UInt64?

    /// - Parameter read: Makes a key of ``StoredEvaluationKey/message``, for stores that keep only that.
    func key(
        _ name: EvaluationKeyName, reading read: ([UInt8]) throws -> EvaluationKey
    ) throws -> EvaluationKey?

    func store(_ key: StoredEvaluationKey, as name: EvaluationKeyName)

    func removeAll()

    /// Stored keys, nil if that is not known, and the memory they take in bytes.
    var usage: (count: Int?, byteCount: Int) { get }

    /// Keys that were dropped for lack of room, since the process began.
    var droppedCount: Int { get }
}

/// Evaluation keys in the memory of one process; ``UploadRoom`` says which.
package final class InMemoryEvaluationKeyStore: EvaluationKeyStore {
    private struct State {
        var room: UploadRoom<EvaluationKeyName>
        var keys: [EvaluationKeyName: StoredEvaluationKey] = [:]
        var droppedCount = 0

        init(capacity: Int) { room = UploadRoom(capacity: capacity) }
    }

    private let capacity: Int
    private let form: EvaluationKeyForm
    private let state: Mutex<State>

    /// - Parameter capacity: Bytes that all keys may take. Beyond that the ones uploaded first go; the latest stays.
    package init(capacity: Int = .max, form: EvaluationKeyForm = .ready) {
        self.capacity = capacity
        self.form = form
        state = Mutex(State(capacity: capacity))
    }

    package var forms: Set<EvaluationKeyForm> { [form] }

    package var usage: (count: Int?, byteCount: Int) { state.withLock { ($0.room.count, $0.room.size) } }

    package var droppedCount: Int { state.withLock { $0.droppedCount } }

    package func timestamp(of name: EvaluationKeyName) -> UInt64? {
        state.withLock { $0.keys[name]?.timestamp }
    }

    package func key(
        _ name: EvaluationKeyName, reading read: ([UInt8]) throws -> EvaluationKey
    ) throws -> EvaluationKey? {
        guard let stored = state.withLock({ $0.keys[name] }) else { return nil }
        return try stored.key ?? read(stored.message)
    }

    package func store(_ key: StoredEvaluationKey, as name: EvaluationKeyName) {
        state.withLock { state in
            state.keys[name] = key
            let gone = state.room.insert(name, size: key.byteCount)
            for name in gone { state.keys[name] = nil }
            state.droppedCount += gone.count
        }
    }

    package func removeAll() { state.withLock { $0 = State(capacity: capacity) } }
}
