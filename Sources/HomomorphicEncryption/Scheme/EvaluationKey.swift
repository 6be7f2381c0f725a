/// Turns a product with another secret into a product with the holder's secret.
///
/// One component per ciphertext modulus, each two polynomials over all moduli in evaluation form,
/// ready to be used (PIR protocol fact sheet, section 4).
package struct KeySwitchKey: Hashable, Sendable {
    struct Component: Hashable, Sendable {
        /// First polynomial with the seed of the second, as they travel.
        /// The seed is absent if the key came as full ciphertexts.
        let first: Polynomial
        let second: Polynomial
        let seed: [UInt8]?
    }

    let components: [Component]
}

/// The keys that a client gives to a server so that it can compute on ciphertexts.
package struct EvaluationKey: Hashable, Sendable {
    /// Keys for the automorphisms X -> X^e, by `e`.
    package let galoisKeys: [UInt32: KeySwitchKey]

    package let relinearizationKey: KeySwitchKey?

    package init(galoisKeys: [UInt32: KeySwitchKey], relinearizationKey: KeySwitchKey?) {
        self.galoisKeys = galoisKeys
        self.relinearizationKey = relinearizationKey
    }

    /// The Galois elements it has keys for, ascending.
    package var galoisElements: [UInt32] { galoisKeys.keys.sorted() }
}
