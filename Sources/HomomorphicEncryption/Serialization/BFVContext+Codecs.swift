extension BFVContext {
    // Ciphertexts

    /// A fresh ciphertext as it travels in a query: first polynomial and seed.
    package func serialize(_ ciphertext: SeededCiphertext) -> SerializedCiphertext {
        .seeded(polynomial: serialized(ciphertext.polynomial), seed: ciphertext.seed)
    }

    /// A ciphertext with all its polynomials.
    package func serialize(_ ciphertext: Ciphertext) -> SerializedCiphertext {
        serialize(ciphertext, skippedLSBs: Array(repeating: 0, count: ciphertext.polynomials.count))
    }

    /// A ciphertext of one modulus as it travels in a response, without the low bits that only carry noise.
    ///
    /// Call ``modulusSwitchDownToSingle(_:)`` before.
    package func serializeForDecryption(_ ciphertext: Ciphertext) -> SerializedCiphertext {
        precondition(
            ciphertext.rowCount == 1 && ciphertext.form == .coefficient && ciphertext.polynomials.count == 2,
            "responses have two polynomials over the first modulus in coefficient form")
        return serialize(ciphertext, skippedLSBs: parameters.responseSkippedLSBs)
    }

    /// Reads a ciphertext of two polynomials in coefficient form.
    ///
    /// - Parameter rowCount: Moduli it must have: `nil` for those of a fresh one (a query), 1 for a response.
    package func deserialize(
        _ serialized: SerializedCiphertext, rowCount: Int? = nil
    ) throws(SerializationError) -> Ciphertext {
        try deserialize(
            serialized, rowCount: rowCount ?? parameters.ciphertextModulusCount, form: .coefficient)
    }

    // Plaintexts

    /// The bytes of a message as a PIR database stores it.
    package func serialize(_ plaintext: EvaluationPlaintext) -> [UInt8] { serialized(plaintext.polynomial) }

    /// Bytes that every stored message takes.
    package var evaluationPlaintextByteCount: Int {
        parameters.polynomialByteCount(rowCount: parameters.ciphertextModulusCount)
    }

    /// Reads a message that is stored over the moduli of a fresh ciphertext.
    package func deserializeEvaluationPlaintext(
        _ bytes: ArraySlice<UInt8>
    ) throws(SerializationError) -> EvaluationPlaintext {
        EvaluationPlaintext(
            polynomial: try polynomial(
                bytes, rowCount: parameters.ciphertextModulusCount, form: .evaluation, name: "plaintext"))
    }

    // Keys

    /// The components of a key, seeded where the seed is known.
    package func serialize(_ key: KeySwitchKey) -> [SerializedCiphertext] {
        key.components.map { component in
            guard let seed = component.seed else {
                return serialize(Ciphertext([component.first, component.second]))
            }
            return .seeded(polynomial: serialized(component.first), seed: seed)
        }
    }

    /// Reads a key-switching key: one ciphertext per ciphertext modulus, each over all moduli.
    package func deserializeKeySwitchKey(
        _ components: [SerializedCiphertext]
    ) throws(SerializationError) -> KeySwitchKey {
        guard parameters.supportsEvaluationKeys else { throw .keyWithoutModulus }
        guard components.count == parameters.ciphertextModulusCount else {
            throw .componentCount(components.count, expected: parameters.ciphertextModulusCount)
        }
        var result: [KeySwitchKey.Component] = []
        for component in components {
            let ciphertext = try deserialize(component, rowCount: rings.count, form: .evaluation)
            var seed: [UInt8]?
            if case .seeded(_, let known) = component { seed = known }
            result.append(
                .init(first: ciphertext.polynomials[0], second: ciphertext.polynomials[1], seed: seed))
        }
        return KeySwitchKey(components: result)
    }

    /// Reads an evaluation key from its parts.
    ///
    /// - Parameter galoisKeys: By Galois element, which may be any number in foreign input.
    package func deserializeEvaluationKey(
        galoisKeys: [UInt64: [SerializedCiphertext]], relinearizationKey: [SerializedCiphertext]?
    ) throws(SerializationError) -> EvaluationKey {
        var keys: [UInt32: KeySwitchKey] = [:]
        for (element, components) in galoisKeys.sorted(by: { $0.key < $1.key }) {
            guard element > 1, element % 2 == 1, element < UInt64(2 * parameters.polynomialDegree) else {
                throw .galoisElement(element, degree: parameters.polynomialDegree)
            }
            keys[UInt32(element)] = try deserializeKeySwitchKey(components)
        }
        var relinearization: KeySwitchKey?
        if let relinearizationKey { relinearization = try deserializeKeySwitchKey(relinearizationKey) }
        return EvaluationKey(galoisKeys: keys, relinearizationKey: relinearization)
    }

    /// The secret key as bytes. Whoever has them can read every message.
    package func serialize(_ secretKey: SecretKey) -> [UInt8] {
        var bytes: [UInt8] = [1, 0]
        appendSerialized(secretKey.polynomial, to: &bytes)
        return bytes
    }

    /// Reads a secret key, and refuses one whose coefficients are not all -1, 0 or 1. Variable time.
    package func deserializeSecretKey(_ bytes: [UInt8]) throws(SerializationError) -> SecretKey {
        let expected = 2 + byteCount(rowCount: rings.count, skippedLSBs: 0)
        guard bytes.count == expected else {
            throw .byteCount(bytes.count, expected: expected, of: "secret key")
        }
        guard bytes[0] == 1, bytes[1] == 0 else {
            throw .polynomialCount(Int(bytes[0]) | Int(bytes[1]) << 8, expected: 1)
        }
        let secret = try polynomial(bytes[2...], rowCount: rings.count, form: .evaluation)
        var coefficients = secret
        convertToCoefficients(&coefficients)
        let reference = coefficients.withRow(0) { rings[0].signedTernary($0) }
        for row in 0..<rings.count {
            let ternary = coefficients.withRow(row) { rings[row].signedTernary($0) }
            guard ternary != nil, ternary == reference else { throw .secretKeyNotTernary }
        }
        return SecretKey(secret)
    }
}

extension BFVContext {
    private func serialize(_ ciphertext: Ciphertext, skippedLSBs: [Int]) -> SerializedCiphertext {
        let count = ciphertext.polynomials.count
        var bytes = [UInt8(truncatingIfNeeded: count), UInt8(truncatingIfNeeded: count >> 8)]
        for (polynomial, skipped) in zip(ciphertext.polynomials, skippedLSBs) {
            appendSerialized(polynomial, skippedLSBs: skipped, to: &bytes)
        }
        return .full(polynomials: bytes, skippedLSBs: skippedLSBs, correctionFactor: 1)
    }

    private func deserialize(
        _ serialized: SerializedCiphertext, rowCount: Int, form: Polynomial.Form
    ) throws(SerializationError) -> Ciphertext {
        precondition((1...rings.count).contains(rowCount), "there are \(rings.count) moduli")
        switch serialized {
        case .seeded(let bytes, let seed):
            guard seed.count == DeterministicRandomBits.seedByteCount else {
                throw .seedByteCount(seed.count, expected: DeterministicRandomBits.seedByteCount)
            }
            let first = try polynomial(bytes[...], rowCount: rowCount, form: form)
            return expand(SeededCiphertext(polynomial: first, seed: seed))
        case .full(let bytes, let skipped, let correctionFactor):
            return try deserializeFull(
                bytes, skippedLSBs: skipped, correctionFactor: correctionFactor, rowCount: rowCount,
                form: form)
        }
    }

    private func deserializeFull(
        _ bytes: [UInt8], skippedLSBs: [Int], correctionFactor: UInt64, rowCount: Int, form: Polynomial.Form
    ) throws(SerializationError) -> Ciphertext {
        guard correctionFactor == 1 else { throw .correctionFactor(correctionFactor) }
        let narrowest = parameters.coefficientModuli.prefix(rowCount).map(residueBitCount(of:)).min() ?? 0
        guard
            skippedLSBs.isEmpty
                || skippedLSBs.count == 2 && skippedLSBs.allSatisfy({ (0..<narrowest).contains($0) })
        else { throw .skippedBitCounts(skippedLSBs, expectedCount: 2, below: narrowest) }
        let skipped = skippedLSBs.isEmpty ? [0, 0] : skippedLSBs
        let lengths = skipped.map { byteCount(rowCount: rowCount, skippedLSBs: $0) }
        guard bytes.count == 2 + lengths[0] + lengths[1] else {
            throw .byteCount(bytes.count, expected: 2 + lengths[0] + lengths[1], of: "ciphertext")
        }
        let count = Int(bytes[0]) | Int(bytes[1]) << 8
        guard count == 2 else { throw .polynomialCount(count, expected: 2) }
        let border = 2 + lengths[0]
        return Ciphertext([
            try polynomial(bytes[2..<border], rowCount: rowCount, form: form, skippedLSBs: skipped[0]),
            try polynomial(bytes[border...], rowCount: rowCount, form: form, skippedLSBs: skipped[1]),
        ])
    }
}
