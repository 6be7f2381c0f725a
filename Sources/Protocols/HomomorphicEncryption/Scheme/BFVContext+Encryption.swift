import RingKernels

extension BFVContext {
    /// Draws a secret key.
    ///
    /// - Parameter generator: Asked for 32 bytes, which seed an AES-128 CTR_DRBG. Use a cryptographically
    ///   secure one (`SystemRandomNumberGenerator`) for anything but tests.
    package func generateSecretKey(using generator: inout some RandomNumberGenerator) -> SecretKey {
        var bits = DeterministicRandomBits(seededBy: &generator)
        var coefficients = bits.ternary(count: parameters.polynomialDegree)
        let key = SecretKey(rowCount: rings.count, stride: rowStride)
        let rows = key.rows
        for (row, ring) in rings.enumerated() {
            ring.lift(coefficients, into: rows[row])
            ring.forwardTransform(rows[row])
        }
        coefficients.withUnsafeMutableBytes { overwrite($0) }
        bits.wipe()
        return key
    }

    /// Encrypts a message under the secret key, over `q_0 … q_{L-1}`, in coefficient form.
    ///
    /// - Parameter generator: Asked for 64 bytes: the public seed, and the seed of the noise.
    package func encrypt(
        _ plaintext: Plaintext, secretKey: SecretKey, using generator: inout some RandomNumberGenerator
    ) -> SeededCiphertext {
        let rowCount = parameters.ciphertextModulusCount
        let seed = randomSeed(using: &generator)
        var noise = DeterministicRandomBits(seededBy: &generator)
        var first = polynomial(rowCount: rowCount, form: .coefficient)
        let output = first.mutableRows
        workspaces.lend(isSecret: true) { workspace in
            let errors = errors(&noise, workspace)
            let lifted = rows(1, workspace)[0]
            fillUniform(output, seed: seed)
            for row in 0..<rowCount {
                let ring = rings[row]
                rk_multiply(ring.kernel, output[row], output[row], secretKey.rows[row])
                ring.inverseTransform(output[row])
                ring.lift(errors, into: lifted)
                rk_add(ring.kernel, output[row], output[row], lifted)
                rk_negate(ring.kernel, output[row], output[row])
            }
            topLevel.message.add(plaintext.coefficients, to: output)
        }
        return SeededCiphertext(polynomial: first, seed: seed)
    }

    /// The ciphertext that a seeded one stands for, in the form of its first polynomial.
    package func expand(_ seeded: SeededCiphertext) -> Ciphertext {
        var second = polynomial(rowCount: seeded.polynomial.rowCount, form: .evaluation)
        fillUniform(second.mutableRows, seed: seeded.seed)
        if seeded.polynomial.form == .coefficient { convertToCoefficients(&second) }
        return Ciphertext([seeded.polynomial, second])
    }

    /// The message in a ciphertext of two or three polynomials, in either form, with any number of rows.
    ///
    /// Rounds exactly. Variable time where a rounding is close. If the noise budget is spent the result is a wrong
    /// message, not an error.
    package func decrypt(_ ciphertext: Ciphertext, secretKey: SecretKey) -> Plaintext {
        withPhase(of: ciphertext, secretKey: secretKey) {
            Plaintext(coefficients: level(of: ciphertext).rounding.message(of: $0))
        }
    }

    /// Bits of noise that may still be added before decryption fails, or +infinity without noise.
    ///
    /// Variable time. Never send this number to a server: it depends on the secret key.
    package func noiseBudget(of ciphertext: Ciphertext, secretKey: SecretKey) -> Double {
        withPhase(of: ciphertext, secretKey: secretKey) { level(of: ciphertext).rounding.noiseBudget(of: $0) }
    }

    /// c0 + c1·s + c2·s² …, in coefficient form.
    private func withPhase<Result>(
        of ciphertext: Ciphertext, secretKey: SecretKey, _ body: (Rows) -> Result
    ) -> Result {
        workspaces.lend(isSecret: true) { workspace in
            let rowCount = ciphertext.rowCount
            let isEvaluation = ciphertext.form == .evaluation
            let sum = rows(rowCount, workspace)
            let transformed = rows(1, workspace)[0]
            let polynomials = ciphertext.polynomials
            sum.copy(from: polynomials[polynomials.count - 1].rows)
            for row in 0..<rowCount {
                let ring = rings[row]
                if !isEvaluation { ring.forwardTransform(sum[row]) }
                // Horner's rule, from the last polynomial down to the second.
                for polynomial in polynomials[1..<polynomials.count - 1].reversed() {
                    rk_multiply(ring.kernel, sum[row], sum[row], secretKey.rows[row])
                    transformed.copyMemory(from: polynomial.rows[row], byteCount: rowStride)
                    if !isEvaluation { ring.forwardTransform(transformed) }
                    rk_add(ring.kernel, sum[row], sum[row], transformed)
                }
                rk_multiply(ring.kernel, sum[row], sum[row], secretKey.rows[row])
                if isEvaluation { rk_add(ring.kernel, sum[row], sum[row], polynomials[0].rows[row]) }
                ring.inverseTransform(sum[row])
                if !isEvaluation { rk_add(ring.kernel, sum[row], sum[row], polynomials[0].rows[row]) }
            }
            return body(sum)
        }
    }

    /// (-(a·s + e), a) in evaluation form, with `a` uniform from a seed and `e` small.
    func encryptZero(
        seed: [UInt8], noise: inout DeterministicRandomBits, secretKey: SecretKey, first: Rows, second: Rows,
        _ workspace: Workspace
    ) {
        workspace.scope {
            let errors = errors(&noise, workspace)
            let lifted = rows(1, workspace)[0]
            fillUniform(second, seed: seed)
            for row in 0..<first.count {
                let ring = rings[row]
                ring.lift(errors, into: lifted)
                ring.forwardTransform(lifted)
                rk_multiply(ring.kernel, first[row], second[row], secretKey.rows[row])
                rk_add(ring.kernel, first[row], first[row], lifted)
                rk_negate(ring.kernel, first[row], first[row])
            }
        }
    }

    /// The uniform polynomial that a seed stands for, in evaluation form over the first moduli.
    func fillUniform(_ rows: Rows, seed: [UInt8]) {
        var bits = DeterministicRandomBits(seed: seed)
        for row in 0..<rows.count { bits.fillUniform(rows[row], of: rings[row]) }
    }

    /// Errors for one polynomial.
    private func errors(
        _ bits: inout DeterministicRandomBits, _ workspace: Workspace
    ) -> UnsafeMutablePointer<Int8> {
        let degree = parameters.polynomialDegree
        let errors = workspace.memory(byteCount: degree).bindMemory(to: Int8.self, capacity: degree)
        bits.fillCenteredBinomial(
            UnsafeMutableBufferPointer(start: errors, count: degree), instructionSet: instructionSet)
        bits.wipe()
        return errors
    }
}
