extension BFVContext {
    /// Drops the last modulus of a ciphertext in coefficient form, and scales message and noise with it.
    package func modulusSwitchDown(_ ciphertext: inout Ciphertext) {
        precondition(ciphertext.form == .coefficient, "modulus switching needs coefficient form")
        precondition(ciphertext.rowCount > 1, "the last modulus cannot be dropped")
        let last = rings[ciphertext.rowCount - 1]
        for index in ciphertext.polynomials.indices {
            ciphertext.polynomials[index] = dropLastRow(
                of: ciphertext.polynomials[index], modulusOfLastRow: last)
        }
    }

    /// Drops all moduli but `q_0`, the form in which responses travel.
    package func modulusSwitchDownToSingle(_ ciphertext: inout Ciphertext) {
        while ciphertext.rowCount > 1 { modulusSwitchDown(&ciphertext) }
    }

    /// Divides by the modulus of the last row and rounds (PIR protocol fact sheet, section 6.2).
    ///
    /// The result is in coefficient form, as the rows that come in have to be.
    func dropLastRow(of polynomial: Polynomial, modulusOfLastRow last: RingModulus) -> Polynomial {
        var polynomial = polynomial
        let kept = polynomial.rowCount - 1
        polynomial.withMutableRow(kept) { last.addHalf($0) }
        var result = polynomial.prefix(rowCount: kept)
        result.form = .coefficient
        polynomial.withRow(kept) { shifted in
            for row in 0..<kept {
                result.withMutableRow(row) { rings[row].subtractAndDivide($0, shifted, by: last) }
            }
        }
        return result
    }
}
