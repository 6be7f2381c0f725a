import RingKernels

/// Lifts polynomials to enough moduli for an exact product, and divides the product by Q/t.
///
/// The full-RNS procedure of Bajard, Eynard, Hasan and Zucca (IACR ePrint 2016/510) with the constants of article
/// "Homomorphic encryption", section "Products of ciphertexts". `Q` is the ciphertext modulus, `B` the product of the
/// auxiliary primes but the last, which is `m_sk`.
final class BaseScaling: Sendable {
    /// The moduli of a lifted polynomial: those of the ciphertext, then the auxiliary ones.
    let allRings: [RingModulus]

    /// Rows of a ciphertext.
    let baseCount: Int

    /// Safe to share: the kernels only read it, and `deinit` frees it.
    nonisolated(unsafe) private let kernel: OpaquePointer

    init(rings: [RingModulus], auxiliary: [RingModulus], plaintextModulus: UInt64, wordSize: Int) {
        precondition(auxiliary.count == rings.count + 1, "a lift needs one modulus more than the ciphertext")
        let base = rings.map { OpaquePointer?($0.kernel) }
        let targets = auxiliary.map { OpaquePointer?($0.kernel) }
        guard
            let kernel = rk_scaling_create(
                base, base.count, targets, plaintextModulus, UInt32(wordSize / 2))
        else { preconditionFailure("no memory for the scaling of \(base.count) moduli") }
        self.kernel = kernel
        allRings = rings + auxiliary
        baseCount = rings.count
    }

    deinit { rk_scaling_destroy(kernel) }

    /// Fills the auxiliary rows of the output, those from `baseCount` on. Coefficients.
    func lift(_ base: Rows, into output: Rows) {
        withRowPointers(base) { base in
            withRowPointers(output) { output in
                base.withMemoryRebound(to: UnsafeRawPointer?.self) { base in
                    rk_scaling_lift(kernel, output.baseAddress! + baseCount, base.baseAddress!)
                }
            }
        }
    }

    /// round(t·x/Q), nearly: from the rows of a product over all rings to `baseCount` rows. Coefficients.
    func round(_ product: Rows, into output: Rows) {
        withRowPointers(product) { input in
            withRowPointers(output) { output in
                input.withMemoryRebound(to: UnsafeRawPointer?.self) { input in
                    rk_scaling_round(
                        kernel, output.baseAddress!, input.baseAddress!, input.baseAddress! + baseCount)
                }
            }
        }
    }
}

/// The addresses of all rows, for kernels that take several.
func withRowPointers<Result>(
    _ rows: Rows, _ body: (UnsafeMutableBufferPointer<UnsafeMutableRawPointer?>) -> Result
) -> Result {
    withUnsafeTemporaryAllocation(of: UnsafeMutableRawPointer?.self, capacity: rows.count) { pointers in
        for row in 0..<rows.count { pointers[row] = rows[row] }
        return body(pointers)
    }
}
