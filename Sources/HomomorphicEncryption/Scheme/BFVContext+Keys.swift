extension BFVContext {
    /// Makes the keys that a server needs for the given automorphisms and for products.
    ///
    /// - Parameters:
    ///   - galoisElements: Odd numbers in `3..<2N`.
    ///   - relinearization: Whether products of ciphertexts will be made.
    ///   - generator: Asked for 64 bytes per key component.
    package func makeEvaluationKey(
        galoisElements: [UInt32], relinearization: Bool = true, secretKey: SecretKey,
        using generator: inout some RandomNumberGenerator
    ) throws(BFVError) -> EvaluationKey {
        guard parameters.supportsEvaluationKeys else { throw .noKeySwitchingModulus }
        let secret = secretKey.polynomial
        var galoisKeys: [UInt32: KeySwitchKey] = [:]
        for element in galoisElements {
            try check(galoisElement: element)
            var source = secret
            for row in 0..<source.rowCount {
                source.withMutableRow(row) { output in
                    secretKey.withRow(row) {
                        rings[row].applyGaloisToEvaluations($0, element: element, into: output)
                    }
                }
            }
            galoisKeys[element] = makeKeySwitchKey(from: source, secretKey: secretKey, using: &generator)
        }
        guard relinearization else { return EvaluationKey(galoisKeys: galoisKeys, relinearizationKey: nil) }
        var square = secret
        for row in 0..<square.rowCount {
            square.withMutableRow(row) { output in
                secretKey.withRow(row) { rings[row].multiply(output, $0) }
            }
        }
        return EvaluationKey(
            galoisKeys: galoisKeys,
            relinearizationKey: makeKeySwitchKey(from: square, secretKey: secretKey, using: &generator))
    }

    func check(galoisElement element: UInt32) throws(BFVError) {
        guard element > 1, element % 2 == 1, element < 2 * parameters.polynomialDegree else {
            throw .galoisElement(element, degree: parameters.polynomialDegree)
        }
    }

    /// PIR protocol fact sheet, section 4: an encryption of zero per ciphertext modulus, with the special
    /// modulus times `source` added to that modulus' own row.
    private func makeKeySwitchKey(
        from source: Polynomial, secretKey: SecretKey, using generator: inout some RandomNumberGenerator
    ) -> KeySwitchKey {
        let special = parameters.coefficientModuli[rings.count - 1]
        return KeySwitchKey(
            components: (0..<parameters.ciphertextModulusCount).map { row in
                var zero = encryptionOfZero(
                    rowCount: rings.count, secretKey: secretKey, using: &generator)
                var scaled = source
                scaled.withMutableRow(row) { rings[row].multiply($0, by: special) }
                zero.first.withMutableRow(row) { target in
                    scaled.withRow(row) { rings[row].add(target, $0) }
                }
                return KeySwitchKey.Component(first: zero.first, second: zero.second, seed: zero.seed)
            })
    }
}
