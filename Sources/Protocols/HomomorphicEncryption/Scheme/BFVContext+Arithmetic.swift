import RingKernels

extension BFVContext {
    /// Changes every polynomial to evaluation form, if it is not yet.
    package func convertToEvaluation(_ ciphertext: inout Ciphertext) {
        for index in ciphertext.polynomials.indices { convertToEvaluation(&ciphertext.polynomials[index]) }
    }

    /// Changes every polynomial to coefficient form, if it is not yet.
    package func convertToCoefficients(_ ciphertext: inout Ciphertext) {
        for index in ciphertext.polynomials.indices { convertToCoefficients(&ciphertext.polynomials[index]) }
    }

    /// Adds a ciphertext of the same form and moduli.
    package func add(_ addend: Ciphertext, to ciphertext: inout Ciphertext) {
        combine(&ciphertext, addend) { rk_add($0.kernel, $1, $1, $2) }
    }

    /// Subtracts a ciphertext of the same form and moduli.
    package func subtract(_ subtrahend: Ciphertext, from ciphertext: inout Ciphertext) {
        combine(&ciphertext, subtrahend) { rk_subtract($0.kernel, $1, $1, $2) }
    }

    /// Makes the message its negative.
    package func negate(_ ciphertext: inout Ciphertext) {
        for index in ciphertext.polynomials.indices {
            let rows = ciphertext.polynomials[index].mutableRows
            for row in 0..<rows.count { rk_negate(rings[row].kernel, rows[row], rows[row]) }
        }
    }

    /// Adds a message to a ciphertext in coefficient form.
    package func add(_ plaintext: Plaintext, to ciphertext: inout Ciphertext) {
        precondition(ciphertext.form == .coefficient, "messages are added in coefficient form")
        let scaling = level(of: ciphertext).message
        scaling.add(plaintext.coefficients, to: ciphertext.polynomials[0].mutableRows)
    }

    /// Subtracts a message from a ciphertext in coefficient form.
    package func subtract(_ plaintext: Plaintext, from ciphertext: inout Ciphertext) {
        precondition(ciphertext.form == .coefficient, "messages are subtracted in coefficient form")
        let scaling = level(of: ciphertext).message
        scaling.add(plaintext.coefficients, to: ciphertext.polynomials[0].mutableRows, subtract: true)
    }

    /// Multiplies a ciphertext in evaluation form by a message.
    package func multiply(_ ciphertext: inout Ciphertext, by plaintext: EvaluationPlaintext) {
        precondition(ciphertext.form == .evaluation, "messages are factors in evaluation form")
        let factor = plaintext.polynomial.rows
        for index in ciphertext.polynomials.indices {
            let rows = ciphertext.polynomials[index].mutableRows
            for row in 0..<rows.count { rk_multiply(rings[row].kernel, rows[row], rows[row], factor[row]) }
        }
    }

    /// The sum of products of ciphertexts in evaluation form with messages; a missing message counts as zero.
    ///
    /// Sums are reduced late, so this costs less than multiplying and adding.
    ///
    /// - Parameters:
    ///   - ciphertexts: Not empty, all in evaluation form with two polynomials over the same moduli.
    ///   - plaintexts: As many.
    /// - Returns: A ciphertext in evaluation form; all zero if every message is missing.
    package func innerProduct(
        _ ciphertexts: ArraySlice<Ciphertext>, _ plaintexts: ArraySlice<EvaluationPlaintext?>
    ) -> Ciphertext {
        precondition(
            !ciphertexts.isEmpty && ciphertexts.count == plaintexts.count,
            "an inner product needs as many plaintexts as ciphertexts, and at least one")
        let rowCount = ciphertexts.first!.rowCount
        var result = Ciphertext(
            (0..<2).map { _ in polynomial(rowCount: rowCount, form: .evaluation) })
        let factors = zip(ciphertexts, plaintexts).compactMap { ciphertext, plaintext in
            precondition(ciphertext.form == .evaluation, "inner products need evaluation form")
            return plaintext.map { (ciphertext, $0.polynomial) }
        }
        guard !factors.isEmpty else { return result }
        for index in 0..<2 {
            let output = result.polynomials[index].mutableRows
            for row in 0..<rowCount {
                let left = factors.map { UnsafeRawPointer?($0.0.polynomials[index].rows[row]) }
                let right = factors.map { UnsafeRawPointer?($0.1.rows[row]) }
                withExtendedLifetime(factors) {
                    rk_multiply_sum(rings[row].kernel, output[row], left, right, factors.count)
                }
            }
        }
        return result
    }

    /// Multiplies the message of a ciphertext in coefficient form by X^-k.
    ///
    /// - Parameter exponent: In `0..<N`.
    package func multiplyByInversePowerOfX(_ ciphertext: inout Ciphertext, exponent: Int) {
        precondition(ciphertext.form == .coefficient, "powers of X are factors in coefficient form")
        precondition(
            (0..<parameters.polynomialDegree).contains(exponent),
            "exponents are in 0..<\(parameters.polynomialDegree)")
        for index in ciphertext.polynomials.indices {
            let input = ciphertext.polynomials[index]
            var output = polynomial(rowCount: input.rowCount, form: .coefficient)
            let rows = output.mutableRows
            for row in 0..<rows.count {
                rk_multiply_inverse_power(rings[row].kernel, rows[row], input.rows[row], exponent)
            }
            ciphertext.polynomials[index] = output
        }
    }

    func convertToEvaluation(_ polynomial: inout Polynomial) {
        guard polynomial.form == .coefficient else { return }
        let rows = polynomial.mutableRows
        for row in 0..<rows.count { rings[row].forwardTransform(rows[row]) }
        polynomial.form = .evaluation
    }

    func convertToCoefficients(_ polynomial: inout Polynomial) {
        guard polynomial.form == .evaluation else { return }
        let rows = polynomial.mutableRows
        for row in 0..<rows.count { rings[row].inverseTransform(rows[row]) }
        polynomial.form = .coefficient
    }

    private func combine(
        _ target: inout Ciphertext, _ other: Ciphertext,
        _ operation: (RingModulus, UnsafeMutableRawPointer, UnsafeMutableRawPointer) -> Void
    ) {
        precondition(
            target.polynomials.count == other.polynomials.count && target.rowCount == other.rowCount
                && target.form == other.form,
            "ciphertexts must agree in polynomial count, moduli and form")
        for index in target.polynomials.indices {
            let rows = target.polynomials[index].mutableRows
            for row in 0..<rows.count {
                operation(rings[row], rows[row], other.polynomials[index].rows[row])
            }
        }
    }
}
