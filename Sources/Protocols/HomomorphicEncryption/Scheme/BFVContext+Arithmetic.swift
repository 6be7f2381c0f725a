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
