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
        let byteCount: Int
    }

    private var keys: [Name: StoredKey] = [:]
    /// Memory of all keys, in bytes.
    private(set) var byteCount = 0

    var count: Int { keys.count }

    subscript(name: Name) -> StoredKey? { keys[name] }

    mutating func store(_ key: StoredKey, as name: Name) {
        let old = keys.updateValue(key, forKey: name)
        byteCount += key.byteCount - (old?.byteCount ?? 0)
    }

    mutating func removeAll() {
        keys.removeAll()
        byteCount = 0
    }

    /// Memory of a ready key: per key-switching key `L` pairs of polynomials over `L + 1` moduli, 8 bytes per
    /// residue.
    static func byteCount(of key: EvaluationKey, parameters: EncryptionParameters) -> Int {
        let keyCount = key.galoisKeys.count + (key.relinearizationKey == nil ? 0 : 1)
        let rowCount = parameters.ciphertextModulusCount * 2 * parameters.coefficientModuli.count
        return keyCount * rowCount * parameters.polynomialDegree * MemoryLayout<UInt64>.size
    }
}
