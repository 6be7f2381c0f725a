/// Turns a product with another secret into a product with the holder's secret.
///
/// One component per ciphertext modulus, each two polynomials over all moduli in evaluation form (article "Homomorphic
/// encryption", section "Keys and encryption"). It is kept ready to be used: the rows of ciphertext moduli are divided
/// by the special modulus already, which spares a pass over every result.
package struct KeySwitchKey: Sendable {
    /// Seed of the second polynomial of each component; absent if the key came as full ciphertexts.
    let seeds: [[UInt8]?]

    private let memory: RowMemory
    private let stride: Int
    /// Moduli, the special one included.
    private let rowCount: Int

    /// A key whose rows are filled in by the caller, before anyone else has a reference.
    init(seeds: [[UInt8]?], rowCount: Int, stride: Int) {
        self.seeds = seeds
        self.rowCount = rowCount
        self.stride = stride
        memory = RowMemory(byteCount: 2 * seeds.count * rowCount * stride)
    }

    /// Memory, in bytes.
    package var byteCount: Int { memory.byteCount }

    /// One of the two polynomials of a component, to be read only, and only while the key exists.
    @inline(__always)
    func rows(component: Int, polynomial: Int) -> Rows {
        Rows(
            start: memory.start + (2 * component + polynomial) * rowCount * stride, stride: stride,
            count: rowCount)
    }
}

/// The keys that a client gives to a server so that it can compute on ciphertexts.
package struct EvaluationKey: Sendable {
    /// Keys for the automorphisms X -> X^e, by `e`.
    package let galoisKeys: [UInt32: KeySwitchKey]

    package let relinearizationKey: KeySwitchKey?

    package init(galoisKeys: [UInt32: KeySwitchKey], relinearizationKey: KeySwitchKey?) {
        self.galoisKeys = galoisKeys
        self.relinearizationKey = relinearizationKey
    }

    /// The Galois elements it has keys for, ascending.
    package var galoisElements: [UInt32] { galoisKeys.keys.sorted() }

    /// Memory, in bytes.
    package var byteCount: Int {
        galoisKeys.values.reduce(relinearizationKey?.byteCount ?? 0) { $0 + $1.byteCount }
    }
}
