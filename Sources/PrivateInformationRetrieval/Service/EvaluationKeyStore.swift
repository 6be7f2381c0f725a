import HomomorphicEncryption

/// Evaluation keys by user and key configuration, ready to be used.
///
/// The latest upload replaces an earlier one; nothing expires, as on Apple's server.
struct EvaluationKeyStore: Sendable {
    struct Name: Hashable, Sendable {
        let user: String
        /// See ``EvaluationKeyConfiguration/identifier``.
        let identifier: [UInt8]
    }

    struct StoredKey: Sendable {
        /// Unix seconds, as the client said.
        let timestamp: UInt64
        let key: EvaluationKey
    }

    private var keys: [Name: StoredKey] = [:]
    /// Memory of all keys, in bytes.
    private(set) var byteCount = 0

    var count: Int { keys.count }

    subscript(name: Name) -> StoredKey? { keys[name] }

    mutating func store(_ key: StoredKey, as name: Name) {
        let old = keys.updateValue(key, forKey: name)
        byteCount += key.key.byteCount - (old?.key.byteCount ?? 0)
    }

    mutating func removeAll() {
        keys.removeAll()
        byteCount = 0
    }
}
