extension BFVContext {
    /// Applies the automorphism X -> X^element to the message of a ciphertext in coefficient form.
    ///
    /// - Throws: If the key for the element is missing.
    package func applyGalois(
        _ ciphertext: Ciphertext, element: UInt32, key: EvaluationKey
    ) throws(BFVError) -> Ciphertext {
        precondition(ciphertext.form == .coefficient, "automorphisms are applied in coefficient form")
        try check(galoisElement: element)
        guard ciphertext.polynomials.count == 2 else {
            throw .polynomialCount(ciphertext.polynomials.count, expected: 2)
        }
        guard let keySwitchKey = key.galoisKeys[element] else {
            throw .missingGaloisKey(element, available: key.galoisElements)
        }
        let moved = ciphertext.polynomials.map { polynomial in
            var output = Polynomial(
                degree: polynomial.degree, rowCount: polynomial.rowCount, form: .coefficient)
            for row in 0..<output.rowCount {
                output.withMutableRow(row) { target in
                    polynomial.withRow(row) {
                        rings[row].applyGaloisToCoefficients($0, element: element, into: target)
                    }
                }
            }
            return output
        }
        var (first, second) = switchKey(of: moved[1], using: keySwitchKey)
        add(moved[0], to: &first)
        second.form = .coefficient
        return Ciphertext([first, second])
    }

    /// Turns a product of three polynomials, in coefficient form, into a ciphertext of two.
    ///
    /// - Throws: If the relinearization key is missing.
    package func relinearize(_ ciphertext: Ciphertext, key: EvaluationKey) throws(BFVError) -> Ciphertext {
        precondition(ciphertext.form == .coefficient, "relinearization needs coefficient form")
        guard ciphertext.polynomials.count == 3 else {
            throw .polynomialCount(ciphertext.polynomials.count, expected: 3)
        }
        guard let keySwitchKey = key.relinearizationKey else { throw .missingRelinearizationKey }
        var (first, second) = switchKey(of: ciphertext.polynomials[2], using: keySwitchKey)
        add(ciphertext.polynomials[0], to: &first)
        add(ciphertext.polynomials[1], to: &second)
        return Ciphertext([first, second])
    }

    /// PIR protocol fact sheet, section 6.3.
    private func switchKey(of polynomial: Polynomial, using key: KeySwitchKey) -> (Polynomial, Polynomial) {
        let degree = polynomial.degree
        let rowCount = polynomial.rowCount
        let special = rings.count - 1
        let keyRows = Array(0..<rowCount) + [special]
        var outputs = (0..<2).map { _ in
            Polynomial(degree: degree, rowCount: rowCount + 1, form: .evaluation)
        }
        withUnsafeTemporaryAllocation(of: UInt64.self, capacity: degree) { digit in
            for (outputRow, keyRow) in keyRows.enumerated() {
                let ring = rings[keyRow]
                let firstSum = ProductSum(ring: ring)
                let secondSum = ProductSum(ring: ring)
                for component in 0..<rowCount {
                    polynomial.withRow(component) { ring.reduce($0, of: rings[component], into: digit) }
                    ring.forwardTransform(digit)
                    key.components[component].first.withRow(keyRow) { firstSum.add(Row(digit), $0) }
                    key.components[component].second.withRow(keyRow) { secondSum.add(Row(digit), $0) }
                }
                outputs[0].withMutableRow(outputRow) {
                    firstSum.store(into: $0)
                    ring.inverseTransform($0)
                }
                outputs[1].withMutableRow(outputRow) {
                    secondSum.store(into: $0)
                    ring.inverseTransform($0)
                }
            }
        }
        return (
            dropLastRow(of: outputs[0], modulusOfLastRow: rings[special]),
            dropLastRow(of: outputs[1], modulusOfLastRow: rings[special])
        )
    }

    private func add(_ addend: Polynomial, to target: inout Polynomial) {
        for row in 0..<target.rowCount {
            target.withMutableRow(row) { left in addend.withRow(row) { rings[row].add(left, $0) } }
        }
    }
}
