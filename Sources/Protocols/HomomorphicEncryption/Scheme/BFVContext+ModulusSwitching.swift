extension BFVContext {
    /// Drops the last modulus of a ciphertext in coefficient form, and scales message and noise with it.
    package func modulusSwitchDown(_ ciphertext: inout Ciphertext) {
        precondition(ciphertext.form == .coefficient, "modulus switching needs coefficient form")
        precondition(ciphertext.rowCount > 1, "the last modulus cannot be dropped")
        for index in ciphertext.polynomials.indices {
            let input = ciphertext.polynomials[index]
            var output = polynomial(rowCount: input.rowCount - 1, form: .coefficient)
            let rows = output.mutableRows
            let last = input.rowCount - 1
            for row in 0..<last {
                rings[row].divideRounding(
                    input.rows[row], remainder: input.rows[last], modulus: rings[last], into: rows[row])
            }
            ciphertext.polynomials[index] = output
        }
    }

    /// Drops all moduli but `q_0`, the form in which responses travel.
    package func modulusSwitchDownToSingle(_ ciphertext: inout Ciphertext) {
        while ciphertext.rowCount > 1 { modulusSwitchDown(&ciphertext) }
    }

    /// The first row of a polynomial in coefficient form after all other moduli were dropped. Overwrites the rows.
    ///
    /// Divides by the modulus of the last row and rounds (article "Homomorphic encryption", section "Modulus
    /// switching"), until one is left.
    func single(_ rows: Rows) -> Polynomial {
        for last in stride(from: rows.count - 1, to: 0, by: -1) {
            for row in 0..<last {
                rings[row].divideRounding(
                    rows[row], remainder: rows[last], modulus: rings[last], into: rows[row])
            }
        }
        var polynomial = polynomial(rowCount: 1, form: .coefficient)
        polynomial.mutableRows.copy(from: rows)
        return polynomial
    }
}
