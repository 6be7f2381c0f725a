package import HomomorphicEncryption
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

/// An evaluation key as a device uploaded it.
package struct StoredEvaluationKey: Sendable {
    /// Unix seconds, as the client said.
    package let timestamp: UInt64
    package let key: EvaluationKey
    /// The message that ``key`` was read from.
    package let message: [UInt8]
}

/// Where evaluation keys are kept between requests.
///
/// The latest upload replaces an earlier one; nothing expires, as on Apple's server. Any number of threads may call.
package protocol EvaluationKeyStore: Sendable {
    /// When the key was made, in Unix seconds; nil if there is none.
    func timestamp(of name: EvaluationKeyName) -> UInt64?

    /// - Parameter read: Makes a key of ``StoredEvaluationKey/message``, for stores that keep only that.
    func key(
        _ name: EvaluationKeyName, reading read: ([UInt8]) throws -> EvaluationKey
    ) throws -> EvaluationKey?

    func store(_ key: StoredEvaluationKey, as name: EvaluationKeyName)

    func removeAll()

    /// Stored keys, and the memory they take in bytes.
    var usage: (count: Int, byteCount: Int) { get }
}

/// Evaluation keys in the memory of one process, ready to be used.
package final class InMemoryEvaluationKeyStore: EvaluationKeyStore {
    private struct Entry {
        let timestamp: UInt64
        let key: EvaluationKey
    }

    private struct State {
        var keys: [EvaluationKeyName: Entry] = [:]
        var byteCount = 0
    }

    private let state = Mutex(State())

    package init() {}

    package var usage: (count: Int, byteCount: Int) { state.withLock { ($0.keys.count, $0.byteCount) } }

    package func timestamp(of name: EvaluationKeyName) -> UInt64? {
        state.withLock { $0.keys[name]?.timestamp }
    }

    package func key(
        _ name: EvaluationKeyName, reading _: ([UInt8]) throws -> EvaluationKey
    ) -> EvaluationKey? {
        state.withLock { $0.keys[name]?.key }
    }

    package func store(_ key: StoredEvaluationKey, as name: EvaluationKeyName) {
        state.withLock { state in
            let old = state.keys.updateValue(Entry(timestamp: key.timestamp, key: key.key), forKey: name)
            state.byteCount += key.key.byteCount - (old?.key.byteCount ?? 0)
        }
    }

    package func removeAll() { state.withLock { $0 = State() } }
}
