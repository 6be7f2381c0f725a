import RingKernels

/// The ring of polynomials modulo X^N + 1 and one prime: the seam below which residues are computed with.
///
/// Everything above handles rows as a whole through the operations of this type and of ``BaseScaling``. They
/// allocate nothing and work on rows of the ring (see ``Rows``) whose residues are reduced.
package final class RingModulus: Sendable {
    package let arithmetic: Modulus

    /// Residues per row, `N`.
    package let degree: Int

    /// Bytes of a residue: 4 or 8.
    package let wordByteCount: Int

    package let instructionSet: InstructionSet

    /// Safe to share: the kernels only read it, and `deinit` frees it.
    nonisolated(unsafe) let kernel: OpaquePointer

    /// - Parameters:
    ///   - modulus: A prime congruent to 1 modulo `2 * degree`. Below 2^30 for words of 4 bytes.
    ///   - degree: A power of two.
    ///   - wordByteCount: Nil for the shortest word that can hold the modulus.
    package init(
        modulus: UInt64, degree: Int, wordByteCount: Int? = nil, instructionSet: InstructionSet = .best
    ) {
        let arithmetic = Modulus(modulus)
        let wordByteCount = wordByteCount ?? (arithmetic.isNarrow ? 4 : 8)
        let root = arithmetic.smallestPrimitiveRoot(order: UInt64(2 * degree))
        guard let kernel = rk_ring_create(modulus, root, degree, wordByteCount, instructionSet.kernel) else {
            preconditionFailure("no memory for a ring of degree \(degree), or no words for \(modulus)")
        }
        self.arithmetic = arithmetic
        self.degree = degree
        self.wordByteCount = wordByteCount
        self.instructionSet = instructionSet
        self.kernel = kernel
    }

    deinit { rk_ring_destroy(kernel) }

    package var modulus: UInt64 { arithmetic.value }

    /// Coefficients to evaluations: natural order in, bit-reversed order out.
    package func forwardTransform(_ row: UnsafeMutableRawPointer) { rk_forward(kernel, row) }

    /// Evaluations to coefficients, the inverse of ``forwardTransform(_:)``.
    package func inverseTransform(_ row: UnsafeMutableRawPointer) { rk_inverse(kernel, row) }

    /// (a - [remainder]) / p + addend for the modulus `p` of another ring, with the centered representative of a row
    /// modulo `p` (article "Homomorphic encryption", section "Modulus switching"). The output may be `a`.
    package func divideRounding(
        _ a: UnsafeRawPointer, remainder: UnsafeRawPointer, modulus other: RingModulus,
        addend: UnsafeRawPointer? = nil, into output: UnsafeMutableRawPointer
    ) {
        rk_divide_rounding(kernel, output, a, remainder, other.kernel, addend)
    }

    /// Residues of small signed numbers.
    func lift(_ numbers: UnsafePointer<Int8>, into row: UnsafeMutableRawPointer) {
        rk_lift_signed(instructionSet.kernel, wordByteCount, row, numbers, degree, modulus)
    }

    /// Residues of message coefficients, those above `plaintextModulus / 2` taken as negative.
    func liftCentered(
        _ message: UnsafePointer<UInt64>, from plaintextModulus: UInt64, into row: UnsafeMutableRawPointer
    ) {
        rk_lift_message(
            instructionSet.kernel, wordByteCount, row, message, degree, plaintextModulus, modulus)
    }

    /// The coefficients as -1, 0 and 1, or `nil` if there are others. Variable time.
    func signedTernary(_ row: UnsafeRawPointer) -> [Int8]? {
        var result: [Int8] = []
        result.reserveCapacity(degree)
        for index in 0..<degree {
            let residue = word(row, index)
            guard residue <= 1 || residue == modulus - 1 else { return nil }
            result.append(residue <= 1 ? Int8(residue) : -1)
        }
        return result
    }

    func word(_ row: UnsafeRawPointer, _ index: Int) -> UInt64 {
        wordByteCount == 4
            ? UInt64(row.load(fromByteOffset: 4 * index, as: UInt32.self))
            : row.load(fromByteOffset: 8 * index, as: UInt64.self)
    }
}

/// The map X -> X^element for polynomials of one degree.
package final class Automorphism: Sendable {
    package let element: UInt32

    /// Safe to share: the kernels only read it, and `deinit` frees it.
    nonisolated(unsafe) let kernel: OpaquePointer

    /// - Parameter element: Odd, below `2 * degree`.
    package init(degree: Int, element: UInt32) {
        guard let kernel = rk_automorphism_create(degree, element) else {
            preconditionFailure("no memory for an automorphism, or none with element \(element)")
        }
        self.element = element
        self.kernel = kernel
    }

    deinit { rk_automorphism_destroy(kernel) }

    /// f(X) -> f(X^element) on coefficients.
    package func moveCoefficients(
        _ ring: RingModulus, _ input: UnsafeRawPointer, into output: UnsafeMutableRawPointer
    ) {
        rk_move_coefficients(ring.kernel, kernel, output, input)
    }

    /// f(X) -> f(X^element) on evaluations.
    package func moveEvaluations(
        _ ring: RingModulus, _ input: UnsafeRawPointer, into output: UnsafeMutableRawPointer
    ) {
        rk_move_evaluations(ring.kernel, kernel, output, input)
    }
}

/// The low `bits` bits of a number in reverse order.
func bitReversed(_ number: Int, bits: Int) -> Int {
    // Swap neighbouring bits, pairs and nibbles, then the bytes.
    var x = UInt64(number)
    x = (x & 0x5555_5555_5555_5555) << 1 | (x >> 1) & 0x5555_5555_5555_5555
    x = (x & 0x3333_3333_3333_3333) << 2 | (x >> 2) & 0x3333_3333_3333_3333
    x = (x & 0x0f0f_0f0f_0f0f_0f0f) << 4 | (x >> 4) & 0x0f0f_0f0f_0f0f_0f0f
    return Int(x.byteSwapped >> UInt64(64 - bits))
}
