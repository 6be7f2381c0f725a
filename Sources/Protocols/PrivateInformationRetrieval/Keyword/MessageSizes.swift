package import HomomorphicEncryption

/// Lengths of the protocol's messages for one usecase, in bytes.
///
/// What travels is longer by the envelope: usecase name, configuration id and key identifier, together about 150 bytes
/// per query.
package struct MessageSizes: Codable, Hashable, Sendable {
    /// PIRConfig.
    package let configuration: Int
    /// SerializedEvaluationKey.
    package let evaluationKey: Int
    /// EncryptedIndices for one keyword; the largest over all shards.
    package let query: Int
    /// PIRResponse to one keyword; the largest over all shards.
    package let response: Int

    /// Makes one ciphertext and one key of each kind, and counts.
    ///
    /// - Parameter context: For the configuration's encryption. Nil makes a new one.
    package init(
        configuration: PIRConfiguration, evaluationKey keyConfiguration: EvaluationKeyConfiguration,
        context: BFVContext? = nil
    ) throws {
        let encryption = configuration.encryption
        let context =
            if let context, context.parameters == encryption { context } else {
                try BFVContext(parameters: encryption)
            }
        // Lengths do not depend on what is encrypted, nor on the key.
        var random = DeterministicRandomBits(seed: Array(repeating: 2, count: 32))
        let secretKey = context.generateSecretKey(using: &random)
        let key = try context.makeEvaluationKey(
            galoisElements: keyConfiguration.galoisElements,
            relinearization: keyConfiguration.hasRelinearizationKey, secretKey: secretKey, using: &random)
        let zero = try context.plaintext(
            coefficients: Array(repeating: 0, count: encryption.polynomialDegree))
        let seeded = context.encrypt(zero, secretKey: secretKey, using: &random)
        var single = context.expand(seeded)
        context.modulusSwitchDownToSingle(&single)
        let asked = Self.embedded(WireSerializedCiphertext(context.serialize(seeded)))
        let answered = Self.embedded(WireSerializedCiphertext(context.serializeForDecryption(single)))

        self.configuration = WireCoding.bytes(of: configuration.wire).count
        evaluationKey = WireCoding.bytes(of: WireSerializedEvaluationKey(key, context: context)).count
        let shapes: [DatabaseShape] =
            switch configuration.shards {
            case .each(let shapes): shapes
            case .same(let shape, _): [shape]
            }
        let indexCount = configuration.hashFunctionCount
        var callCount = WireEncryptedIndices()
        callCount.numPirCalls = UInt64(indexCount)
        let queryCiphertextCounts = shapes.map {
            IndexQuery.ciphertextCount(indexCount: indexCount, shape: $0, degree: encryption.polynomialDegree)
        }
        query = WireCoding.bytes(of: callCount).count + asked * (queryCiphertextCounts.max() ?? 0)
        response = indexCount * Self.embedded(byteCount: answered * (shapes.map(\.chunkCount).max() ?? 0))
    }

    /// Bytes of a ciphertext inside another message.
    private static func embedded(_ ciphertext: WireSerializedCiphertext) -> Int {
        embedded(byteCount: WireCoding.bytes(of: ciphertext).count)
    }

    /// Adds the tag of a field, below 16, and the length in groups of seven bits.
    private static func embedded(byteCount: Int) -> Int {
        let bitCount = max(1, Int.bitWidth - byteCount.leadingZeroBitCount)
        return 1 + (bitCount + 6) / 7 + byteCount
    }
}
