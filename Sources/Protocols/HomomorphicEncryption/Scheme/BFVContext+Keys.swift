import RingKernels

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
        for element in galoisElements { try check(galoisElement: element) }
        return workspaces.lend(isSecret: true) { workspace in
            let source = rows(rings.count, workspace)
            var galoisKeys: [UInt32: KeySwitchKey] = [:]
            for element in galoisElements {
                let automorphism = automorphism(element)
                for row in 0..<source.count {
                    automorphism.moveEvaluations(rings[row], secretKey.rows[row], into: source[row])
                }
                galoisKeys[element] = makeKeySwitchKey(
                    from: source, secretKey: secretKey, using: &generator, workspace)
            }
            guard relinearization else {
                return EvaluationKey(galoisKeys: galoisKeys, relinearizationKey: nil)
            }
            for row in 0..<source.count {
                rk_multiply(rings[row].kernel, source[row], secretKey.rows[row], secretKey.rows[row])
            }
            return EvaluationKey(
                galoisKeys: galoisKeys,
                relinearizationKey: makeKeySwitchKey(
                    from: source, secretKey: secretKey, using: &generator, workspace))
        }
    }

    func check(galoisElement element: UInt32) throws(BFVError) {
        guard element > 1, element % 2 == 1, element < 2 * parameters.polynomialDegree else {
            throw .galoisElement(element, degree: parameters.polynomialDegree)
        }
    }

    /// Brings the rows of a component into the form in which ``KeySwitchKey`` keeps them.
    func divideBySpecialModulus(_ polynomial: Rows) {
        for (row, factor) in special.enumerated() {
            rk_multiply_constant(rings[row].kernel, polynomial[row], polynomial[row], factor.inverse)
        }
    }

    /// Makes a key as in article "Homomorphic encryption", section "Keys and encryption": an encryption of zero per
    /// ciphertext modulus, with the special modulus times `source` added to that modulus' own row.
    private func makeKeySwitchKey(
        from source: Rows, secretKey: SecretKey, using generator: inout some RandomNumberGenerator,
        _ workspace: Workspace
    ) -> KeySwitchKey {
        var noises: [DeterministicRandomBits] = []
        let seeds = (0..<parameters.ciphertextModulusCount).map { _ in
            let seed = randomSeed(using: &generator)
            noises.append(DeterministicRandomBits(seededBy: &generator))
            return seed
        }
        let key = KeySwitchKey(seeds: seeds, rowCount: rings.count, stride: rowStride)
        for (component, seed) in seeds.enumerated() {
            let first = key.rows(component: component, polynomial: 0)
            let second = key.rows(component: component, polynomial: 1)
            encryptZero(
                seed: seed, noise: &noises[component], secretKey: secretKey, first: first, second: second,
                workspace)
            divideBySpecialModulus(first)
            divideBySpecialModulus(second)
            // The special modulus cancels out.
            rk_add(rings[component].kernel, first[component], first[component], source[component])
        }
        return key
    }
}
