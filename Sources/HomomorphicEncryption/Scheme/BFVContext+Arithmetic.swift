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
        combine(&ciphertext, addend) { $0.add($1, $2) }
    }

    /// Subtracts a ciphertext of the same form and moduli.
    package func subtract(_ subtrahend: Ciphertext, from ciphertext: inout Ciphertext) {
        combine(&ciphertext, subtrahend) { $0.subtract($1, $2) }
    }

    /// Makes the message its negative.
    package func negate(_ ciphertext: inout Ciphertext) {
        for index in ciphertext.polynomials.indices {
            for row in 0..<ciphertext.rowCount {
                ciphertext.polynomials[index].withMutableRow(row) { rings[row].negate($0) }
            }
        }
    }

    /// Adds a message to a ciphertext in coefficient form.
    package func add(_ plaintext: Plaintext, to ciphertext: inout Ciphertext) {
        precondition(ciphertext.form == .coefficient, "messages are added in coefficient form")
        level(of: ciphertext).message.combine(
            plaintext.coefficients, into: &ciphertext.polynomials[0], rings: rings
        ) { $0.add($1, $2) }
    }

    /// Subtracts a message from a ciphertext in coefficient form.
    package func subtract(_ plaintext: Plaintext, from ciphertext: inout Ciphertext) {
        precondition(ciphertext.form == .coefficient, "messages are subtracted in coefficient form")
        level(of: ciphertext).message.combine(
            plaintext.coefficients, into: &ciphertext.polynomials[0], rings: rings
        ) { $0.subtract($1, $2) }
    }

    /// Multiplies a ciphertext in evaluation form by a message.
    package func multiply(_ ciphertext: inout Ciphertext, by plaintext: EvaluationPlaintext) {
        precondition(ciphertext.form == .evaluation, "messages are factors in evaluation form")
        for index in ciphertext.polynomials.indices {
            for row in 0..<ciphertext.rowCount {
                ciphertext.polynomials[index].withMutableRow(row) { target in
                    plaintext.polynomial.withRow(row) { rings[row].multiply(target, $0) }
                }
            }
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
            (0..<2).map { _ in
                Polynomial(degree: parameters.polynomialDegree, rowCount: rowCount, form: .evaluation)
            })
        for row in 0..<rowCount {
            for index in 0..<2 {
                let sum = ProductSum(ring: rings[row])
                for (ciphertext, plaintext) in zip(ciphertexts, plaintexts) {
                    guard let plaintext else { continue }
                    precondition(ciphertext.form == .evaluation, "inner products need evaluation form")
                    ciphertext.polynomials[index].withRow(row) { left in
                        plaintext.polynomial.withRow(row) { right in sum.add(left, right) }
                    }
                }
                result.polynomials[index].withMutableRow(row) { sum.store(into: $0) }
            }
        }
        return result
    }

    /// Multiplies the message of a ciphertext in coefficient form by X^-k.
    ///
    /// - Parameter exponent: In `0..<N`.
    package func multiplyByInversePowerOfX(_ ciphertext: inout Ciphertext, exponent: Int) {
        precondition(ciphertext.form == .coefficient, "powers of X are factors in coefficient form")
        for index in ciphertext.polynomials.indices {
            let input = ciphertext.polynomials[index]
            for row in 0..<ciphertext.rowCount {
                ciphertext.polynomials[index].withMutableRow(row) { output in
                    input.withRow(row) {
                        rings[row].multiplyByInversePowerOfX($0, exponent: exponent, into: output)
                    }
                }
            }
        }
    }

    func convertToEvaluation(_ polynomial: inout Polynomial) {
        guard polynomial.form == .coefficient else { return }
        for row in 0..<polynomial.rowCount {
            polynomial.withMutableRow(row) { rings[row].forwardTransform($0) }
        }
        polynomial.form = .evaluation
    }

    func convertToCoefficients(_ polynomial: inout Polynomial) {
        guard polynomial.form == .evaluation else { return }
        for row in 0..<polynomial.rowCount {
            polynomial.withMutableRow(row) { rings[row].inverseTransform($0) }
        }
        polynomial.form = .coefficient
    }

    private func combine(
        _ target: inout Ciphertext, _ other: Ciphertext, _ operation: (RingModulus, MutableRow, Row) -> Void
    ) {
        precondition(
            target.polynomials.count == other.polynomials.count && target.rowCount == other.rowCount
                && target.form == other.form,
            "ciphertexts must agree in polynomial count, moduli and form")
        for index in target.polynomials.indices {
            for row in 0..<target.rowCount {
                target.polynomials[index].withMutableRow(row) { left in
                    other.polynomials[index].withRow(row) { operation(rings[row], left, $0) }
                }
            }
        }
    }
}
