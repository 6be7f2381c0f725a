extension BFVContext {
    /// Draws a secret key.
    ///
    /// - Parameter generator: Asked for 32 bytes, which seed an AES-128 CTR_DRBG. Use a cryptographically
    ///   secure one (`SystemRandomNumberGenerator`) for anything but tests.
    package func generateSecretKey(using generator: inout some RandomNumberGenerator) -> SecretKey {
        var bits = DeterministicRandomBits(seededBy: &generator)
        let coefficients = bits.ternary(count: parameters.polynomialDegree)
        return SecretKey(evaluation(of: coefficients, rowCount: rings.count))
    }

    /// Encrypts a message under the secret key, over `q_0 … q_{L-1}`, in coefficient form.
    ///
    /// - Parameter generator: Asked for 64 bytes: the public seed, and the seed of the noise.
    package func encrypt(
        _ plaintext: Plaintext, secretKey: SecretKey, using generator: inout some RandomNumberGenerator
    ) -> SeededCiphertext {
        let rowCount = parameters.ciphertextModulusCount
        var zero = encryptionOfZero(rowCount: rowCount, secretKey: secretKey, using: &generator)
        convertToCoefficients(&zero.first)
        levels[rowCount - 1].message.combine(plaintext.coefficients, into: &zero.first, rings: rings) {
            $0.add($1, $2)
        }
        return SeededCiphertext(polynomial: zero.first, seed: zero.seed)
    }

    /// The ciphertext that a seeded one stands for, in the form of its first polynomial.
    package func expand(_ seeded: SeededCiphertext) -> Ciphertext {
        var second = uniformPolynomial(seed: seeded.seed, rowCount: seeded.polynomial.rowCount)
        if seeded.polynomial.form == .coefficient { convertToCoefficients(&second) }
        return Ciphertext([seeded.polynomial, second])
    }

    /// The message in a ciphertext of two or three polynomials, in either form, with any number of rows.
    ///
    /// Rounds exactly. Variable time. If the noise budget is spent the result is a wrong message, not an error.
    package func decrypt(_ ciphertext: Ciphertext, secretKey: SecretKey) -> Plaintext {
        let phase = phase(of: ciphertext, secretKey: secretKey)
        return Plaintext(coefficients: level(of: ciphertext).rounding.message(of: phase))
    }

    /// Bits of noise that may still be added before decryption fails, or +infinity without noise.
    ///
    /// Variable time. Never send this number to a server: it depends on the secret key.
    package func noiseBudget(of ciphertext: Ciphertext, secretKey: SecretKey) -> Double {
        level(of: ciphertext).rounding.noiseBudget(of: phase(of: ciphertext, secretKey: secretKey))
    }

    /// c0 + c1·s + c2·s² …, in coefficient form.
    private func phase(of ciphertext: Ciphertext, secretKey: SecretKey) -> Polynomial {
        var ciphertext = ciphertext
        convertToEvaluation(&ciphertext)
        // Horner's rule, from the last polynomial down.
        var sum = ciphertext.polynomials[ciphertext.polynomials.count - 1]
        for polynomial in ciphertext.polynomials.dropLast().reversed() {
            for row in 0..<sum.rowCount {
                sum.withMutableRow(row) { target in
                    secretKey.withRow(row) { rings[row].multiply(target, $0) }
                    polynomial.withRow(row) { rings[row].add(target, $0) }
                }
            }
        }
        convertToCoefficients(&sum)
        return sum
    }

    /// (-(a·s + e), a) in evaluation form, with `a` uniform and `e` small, and the seed of `a`.
    func encryptionOfZero(
        rowCount: Int, secretKey: SecretKey, using generator: inout some RandomNumberGenerator
    ) -> (first: Polynomial, second: Polynomial, seed: [UInt8]) {
        let seed = randomSeed(using: &generator)
        var bits = DeterministicRandomBits(seededBy: &generator)
        let noise = evaluation(
            of: bits.centeredBinomial(count: parameters.polynomialDegree), rowCount: rowCount)
        let second = uniformPolynomial(seed: seed, rowCount: rowCount)
        var first = second
        for row in 0..<rowCount {
            first.withMutableRow(row) { target in
                secretKey.withRow(row) { rings[row].multiply(target, $0) }
                noise.withRow(row) { rings[row].add(target, $0) }
                rings[row].negate(target)
            }
        }
        return (first, second, seed)
    }

    /// The uniform polynomial that a seed stands for, in evaluation form over the first moduli.
    func uniformPolynomial(seed: [UInt8], rowCount: Int) -> Polynomial {
        var bits = DeterministicRandomBits(seed: seed)
        var polynomial = Polynomial(
            degree: parameters.polynomialDegree, rowCount: rowCount, form: .evaluation)
        for row in 0..<rowCount {
            polynomial.withMutableRow(row) { bits.fillUniform($0, below: rings[row].arithmetic) }
        }
        return polynomial
    }

    /// Small signed coefficients over the first moduli, in evaluation form.
    private func evaluation(of coefficients: [Int8], rowCount: Int) -> Polynomial {
        var polynomial = Polynomial(
            degree: parameters.polynomialDegree, rowCount: rowCount, form: .evaluation)
        for row in 0..<rowCount {
            polynomial.withMutableRow(row) { target in
                rings[row].lift(coefficients, into: target)
                rings[row].forwardTransform(target)
            }
        }
        return polynomial
    }
}
