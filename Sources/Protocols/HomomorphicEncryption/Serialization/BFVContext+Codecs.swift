import RingKernels

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
        key.seeds.indices.map { component in
            let polynomials = (0..<2).map { asOnTheWire(key.rows(component: component, polynomial: $0)) }
            guard let seed = key.seeds[component] else { return serialize(Ciphertext(polynomials)) }
            return .seeded(polynomial: serialized(polynomials[0]), seed: seed)
        }
    }

    /// Reads a key-switching key: one ciphertext per ciphertext modulus, each over all moduli.
    package func deserializeKeySwitchKey(
        _ components: [SerializedCiphertext]
    ) throws(SerializationError) -> KeySwitchKey {
        try checkCount(ofComponents: components.count)
        let seeds = components.map { component -> [UInt8]? in
            if case .seeded(_, let seed) = component { seed } else { nil }
        }
        let key = KeySwitchKey(seeds: seeds, rowCount: rings.count, stride: rowStride)
        for (number, component) in components.enumerated() {
            let rows = (0..<2).map { key.rows(component: number, polynomial: $0) }
            try read(component, first: rows[0], second: rows[1])
            for polynomial in rows { divideBySpecialModulus(polynomial) }
        }
        return key
    }

    /// A polynomial of a key as it travels: what ``divideBySpecialModulus(_:)`` did is undone.
    private func asOnTheWire(_ rows: Rows) -> Polynomial {
        var result = polynomial(rowCount: rows.count, form: .evaluation)
        let output = result.mutableRows
        output.copy(from: rows)
        for (row, factor) in special.enumerated() {
            rk_multiply_constant(rings[row].kernel, output[row], output[row], factor.value)
        }
        return result
    }

    /// Reads an evaluation key from its parts.
    ///
    /// - Parameter galoisKeys: By Galois element, which may be any number in foreign input.
    package func deserializeEvaluationKey(
        galoisKeys: [UInt64: [SerializedCiphertext]], relinearizationKey: [SerializedCiphertext]?
    ) throws(SerializationError) -> EvaluationKey {
        var keys: [UInt32: KeySwitchKey] = [:]
        for (element, components) in galoisKeys.sorted(by: { $0.key < $1.key }) {
            try checkElement(element)
            keys[UInt32(element)] = try deserializeKeySwitchKey(components)
        }
        var relinearization: KeySwitchKey?
        if let relinearizationKey { relinearization = try deserializeKeySwitchKey(relinearizationKey) }
        return EvaluationKey(galoisKeys: keys, relinearizationKey: relinearization)
    }

    /// Throws what ``deserializeKeySwitchKey(_:)`` would throw, without making the key: seeds stay seeds.
    package func checkKeySwitchKey(_ components: [SerializedCiphertext]) throws(SerializationError) {
        try checkCount(ofComponents: components.count)
        try workspaces.lend { workspace throws(SerializationError) in
            let first = rows(rings.count, workspace)
            let second = rows(rings.count, workspace)
            for component in components {
                try read(component, first: first, second: second, expandsSeed: false)
            }
        }
    }

    /// Checks the key of an automorphism, as ``checkKeySwitchKey(_:)`` does.
    package func checkGaloisKey(
        element: UInt64, _ components: [SerializedCiphertext]
    ) throws(SerializationError) {
        try checkElement(element)
        try checkKeySwitchKey(components)
    }

    private func checkCount(ofComponents count: Int) throws(SerializationError) {
        guard parameters.supportsEvaluationKeys else { throw .keyWithoutModulus }
        guard count == parameters.ciphertextModulusCount else {
            throw .componentCount(count, expected: parameters.ciphertextModulusCount)
        }
    }

    private func checkElement(_ element: UInt64) throws(SerializationError) {
        guard element > 1, element % 2 == 1, element < UInt64(2 * parameters.polynomialDegree) else {
            throw .galoisElement(element, degree: parameters.polynomialDegree)
        }
    }

    /// The secret key as bytes. Whoever has them can read every message.
    package func serialize(_ secretKey: SecretKey) -> [UInt8] {
        var bytes: [UInt8] = [1, 0]
        var polynomial = polynomial(rowCount: rings.count, form: .evaluation)
        polynomial.mutableRows.copy(from: secretKey.rows)
        appendSerialized(polynomial, to: &bytes)
        polynomial.overwrite()
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
        let secretKey = SecretKey(rowCount: rings.count, stride: rowStride)
        try read(bytes[2...], into: secretKey.rows)
        let isTernary = workspaces.lend(isSecret: true) { workspace in
            let row = rows(1, workspace)[0]
            var reference: [Int8] = []
            defer { reference.withUnsafeMutableBytes { overwrite($0) } }
            for (index, ring) in rings.enumerated() {
                row.copyMemory(from: secretKey.rows[index], byteCount: rowStride)
                ring.inverseTransform(row)
                guard var ternary = ring.signedTernary(row) else { return false }
                let isSame = index == 0 || ternary == reference
                swap(&ternary, &reference)
                ternary.withUnsafeMutableBytes { overwrite($0) }
                guard isSame else { return false }
            }
            return true
        }
        guard isTernary else { throw .secretKeyNotTernary }
        return secretKey
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
        var first = polynomial(rowCount: rowCount, form: form)
        var second = polynomial(rowCount: rowCount, form: .evaluation)
        try read(serialized, first: first.mutableRows, second: second.mutableRows)
        if case .seeded = serialized {
            if form == .coefficient { convertToCoefficients(&second) }
        } else {
            second.form = form
        }
        return Ciphertext([first, second])
    }

    /// Reads both polynomials of a ciphertext into rows over the first moduli. What a seed stands for is in
    /// evaluation form.
    private func read(
        _ serialized: SerializedCiphertext, first: Rows, second: Rows, expandsSeed: Bool = true
    ) throws(SerializationError) {
        switch serialized {
        case .seeded(let bytes, let seed):
            guard seed.count == DeterministicRandomBits.seedByteCount else {
                throw .seedByteCount(seed.count, expected: DeterministicRandomBits.seedByteCount)
            }
            try read(bytes[...], into: first)
            if expandsSeed { fillUniform(second, seed: seed) }
        case .full(let bytes, let skipped, let correctionFactor):
            try readFull(
                bytes, skippedLSBs: skipped, correctionFactor: correctionFactor, first: first, second: second)
        }
    }

    private func readFull(
        _ bytes: [UInt8], skippedLSBs: [Int], correctionFactor: UInt64, first: Rows, second: Rows
    ) throws(SerializationError) {
        guard correctionFactor == 1 else { throw .correctionFactor(correctionFactor) }
        let rowCount = first.count
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
        try read(bytes[2..<border], into: first, skippedLSBs: skipped[0])
        try read(bytes[border...], into: second, skippedLSBs: skipped[1])
    }
}
