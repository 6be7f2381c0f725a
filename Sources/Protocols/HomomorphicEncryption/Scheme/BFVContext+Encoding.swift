extension BFVContext {
    /// A message from its coefficients, in the order of powers of X; missing ones are zero.
    package func plaintext(coefficients: [UInt64]) throws(BFVError) -> Plaintext {
        let degree = parameters.polynomialDegree
        guard coefficients.count <= degree else {
            throw .tooManyCoefficients(coefficients.count, maximum: degree)
        }
        let modulus = parameters.plaintextModulus
        if let wrong = coefficients.first(where: { $0 >= modulus }) {
            throw .coefficientOutOfRange(wrong, plaintextModulus: modulus)
        }
        return Plaintext(
            coefficients: coefficients + Array(repeating: 0, count: degree - coefficients.count))
    }

    /// A message from signed coefficients in -floor(t/2)...floor((t-1)/2).
    package func plaintext(signedCoefficients: [Int64]) throws(BFVError) -> Plaintext {
        let modulus = parameters.plaintextModulus
        let half = Int64(modulus / 2)
        if let wrong = signedCoefficients.first(where: { !(-half...half).contains($0) }) {
            throw .signedCoefficientOutOfRange(wrong, plaintextModulus: modulus)
        }
        return try plaintext(
            coefficients: signedCoefficients.map { $0 < 0 ? modulus - $0.magnitude : $0.magnitude })
    }

    /// A message that carries bytes, floor(log2 t) bits in each coefficient, most significant bit first.
    ///
    /// - Parameter bytes: At most ``EncryptionParameters/bytesPerPlaintext`` bytes.
    package func plaintext(bytes: [UInt8]) throws(BFVError) -> Plaintext {
        let maximum = parameters.bytesPerPlaintext
        guard bytes.count <= maximum else { throw .tooManyBytes(bytes.count, maximum: maximum) }
        // Bits that are missing are zero, and what fits the bits is below t.
        return Plaintext(
            coefficients: unpackBits(
                bytes, count: parameters.polynomialDegree, bitsEach: parameters.bitsPerCoefficient))
    }

    /// The bytes of a message that was made from bytes: always `bytesPerPlaintext` of them.
    ///
    /// A coefficient of a foreign message can exceed the bits that carry data; the excess is cut off.
    package func bytes(of plaintext: Plaintext) -> [UInt8] {
        let bits = parameters.bitsPerCoefficient
        let mask = UInt64(1) << UInt64(bits) - 1
        let packed = packBits(plaintext.coefficients.map { $0 & mask }, bitsEach: bits)
        return Array(packed.prefix(parameters.bytesPerPlaintext))
    }

    /// A message from `N` slot values: two rows of `N/2`, that rotate under Galois elements.
    ///
    /// As in article "Homomorphic encryption", section "Encoding". Sums and products of messages act on each slot
    /// alone.
    package func plaintext(slots: [UInt64]) throws(BFVError) -> Plaintext {
        let ring = try slotRing()
        var values = try plaintext(coefficients: slots).coefficients
        let ordered = values
        for (index, slot) in slotOrder().enumerated() { values[slot] = ordered[index] }
        var polynomial = slotPolynomial(values)
        polynomial.withMutableRow(0) { ring.inverseTransform($0) }
        return Plaintext(coefficients: polynomial.residues)
    }

    /// The slot values of a message.
    package func slots(of plaintext: Plaintext) throws(BFVError) -> [UInt64] {
        let ring = try slotRing()
        var polynomial = slotPolynomial(plaintext.coefficients)
        polynomial.withMutableRow(0) { ring.forwardTransform($0) }
        let values = polynomial.residues
        return slotOrder().map { values[$0] }
    }

    /// A message as a factor for ciphertexts with `rowCount` rows.
    ///
    /// Coefficients above t/2 stand for negative numbers, which keeps the noise of products small.
    ///
    /// - Parameter rowCount: `nil` for the rows of a fresh ciphertext.
    package func evaluationPlaintext(_ plaintext: Plaintext, rowCount: Int? = nil) -> EvaluationPlaintext {
        var polynomial = polynomial(
            rowCount: rowCount ?? parameters.ciphertextModulusCount, form: .evaluation)
        lift(plaintext.coefficients, into: polynomial.mutableRows)
        return EvaluationPlaintext(polynomial: polynomial)
    }

    /// A message over the first moduli, in evaluation form.
    func lift(_ message: [UInt64], into rows: Rows) {
        for row in 0..<rows.count {
            rings[row].liftCentered(message, from: parameters.plaintextModulus, into: rows[row])
            rings[row].forwardTransform(rows[row])
        }
    }

    private func slotPolynomial(_ values: [UInt64]) -> Polynomial {
        Polynomial(
            degree: parameters.polynomialDegree, wordByteCount: wordByteCount, form: .coefficient,
            residues: values)
    }

    private func slotRing() throws(BFVError) -> RingModulus {
        guard let plaintextRing else {
            throw .noSIMDEncoding(
                plaintextModulus: parameters.plaintextModulus, degree: parameters.polynomialDegree)
        }
        return plaintextRing
    }

    /// The index of the evaluation that holds each slot.
    private func slotOrder() -> [Int] {
        let degree = parameters.polynomialDegree
        let bits = degree.trailingZeroBitCount
        var order = Array(repeating: 0, count: degree)
        var element = 1
        for column in 0..<degree / 2 {
            order[column] = bitReversed((element - 1) / 2, bits: bits)
            order[degree / 2 + column] = bitReversed((2 * degree - 1 - element) / 2, bits: bits)
            element = element * 3 % (2 * degree)
        }
        return order
    }
}
