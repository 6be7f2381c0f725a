package import HomomorphicEncryption

/// Which keys a server needs from a client.
package struct EvaluationKeyConfiguration: Hashable, Sendable {
    /// Most elements accepted from a peer. A client makes a key of a megabyte for each; expanding a query never
    /// needs more than one per power of two.
    package static let maximumElementCount = 32

    package let encryption: EncryptionParameters
    /// Ascending, each odd and in `3..<2N`.
    package let galoisElements: [UInt32]
    package let hasRelinearizationKey: Bool

    init(encryption: EncryptionParameters, galoisElements: [UInt32], hasRelinearizationKey: Bool = true) {
        self.encryption = encryption
        self.galoisElements = galoisElements
        self.hasRelinearizationKey = hasRelinearizationKey
    }

    /// Joins what all of several shards need. They must have the same encryption parameters.
    ///
    /// - Returns: Nil without configurations, or if their parameters differ.
    package static func union(_ configurations: some Collection<Self>) -> Self? {
        guard let first = configurations.first,
            configurations.allSatisfy({ $0.encryption == first.encryption })
        else { return nil }
        return Self(
            encryption: first.encryption,
            galoisElements: Set(configurations.flatMap(\.galoisElements)).sorted(),
            hasRelinearizationKey: configurations.contains(where: \.hasRelinearizationKey))
    }

    package init(_ wire: WireEvaluationKeyConfig) throws {
        guard wire.hasEncryptionParameters else { throw WireError.missing("encryption_parameters") }
        encryption = try wire.encryptionParameters.value()
        guard encryption.supportsEvaluationKeys else {
            throw WireError.outOfRange("coefficient_moduli", found: "1 number", allowed: "at least 2 numbers")
        }
        guard wire.galoisElements.count <= Self.maximumElementCount else {
            throw WireError.outOfRange(
                "galois_elements", found: "\(wire.galoisElements.count) numbers",
                allowed: "at most \(Self.maximumElementCount) numbers")
        }
        let limit = UInt32(2 * encryption.polynomialDegree)
        for (index, element) in wire.galoisElements.enumerated() {
            guard element % 2 == 1, element >= 3, element < limit else {
                throw WireError.outOfRange(
                    "galois_elements", found: "\(element)", allowed: "odd and in 3..<\(limit)")
            }
            guard index == 0 || wire.galoisElements[index - 1] < element else {
                throw WireError.outOfRange("galois_elements", found: "unsorted", allowed: "ascending")
            }
        }
        galoisElements = wire.galoisElements
        hasRelinearizationKey = wire.hasRelinKey_p
    }

    package var wire: WireEvaluationKeyConfig {
        var wire = WireEvaluationKeyConfig()
        wire.encryptionParameters = WireEncryptionParameters(encryption)
        wire.galoisElements = galoisElements
        wire.hasRelinKey_p = hasRelinearizationKey
        return wire
    }

    /// SHA-256 of the binary message; names the keys in a server's store.
    package var identifier: [UInt8] { WireCoding.sha256(wire) }

    /// Whether a key has everything asked for.
    package func isSatisfied(by key: EvaluationKey) -> Bool {
        galoisElements.allSatisfy { key.galoisKeys[$0] != nil }
            && (!hasRelinearizationKey || key.relinearizationKey != nil)
    }
}
