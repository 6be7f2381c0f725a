/// The ring of polynomials modulo X^N + 1 and one prime: the seam below which residues are computed with.
///
/// Everything above handles rows as a whole through the operations of this type, ``ProductSum``,
/// ``BaseScaling``, ``MessageScaling`` and ``PhaseRounding``. Operations work in place, allocate nothing
/// and expect rows of `degree` reduced residues.
package final class RingModulus: Sendable {
    package let arithmetic: Modulus

    /// Residues per row, `N`.
    package let degree: Int

    /// Powers of the root for the transform, in bit-reversed order, each with its Shoup quotient.
    let forwardFactors: TransformFactors

    /// Powers of the inverse root, in the same order.
    let inverseFactors: TransformFactors

    /// 1/N with its Shoup quotient, for the end of the inverse transform.
    let scale: (value: UInt64, quotient: UInt64)

    /// - Parameters:
    ///   - modulus: A prime congruent to 1 modulo `2 * degree`.
    ///   - degree: A power of two.
    package init(modulus: UInt64, degree: Int) {
        let arithmetic = Modulus(modulus)
        let root = arithmetic.smallestPrimitiveRoot(order: UInt64(2 * degree))
        self.arithmetic = arithmetic
        self.degree = degree
        forwardFactors = TransformFactors(root: root, degree: degree, modulus: arithmetic)
        inverseFactors = TransformFactors(
            root: arithmetic.inverse(root), degree: degree, modulus: arithmetic)
        let scale = arithmetic.inverse(arithmetic.reduce(UInt64(degree)))
        self.scale = (scale, shoupQuotient(scale, arithmetic))
    }

    package var modulus: UInt64 { arithmetic.value }
}

/// Powers of a root in the order in which a transform meets them.
struct TransformFactors: Sendable {
    /// Entry `i` is the root to the power of `i` with its bits reversed.
    let values: [UInt64]

    /// floor(value · 2^b / modulus), with `b` = 32 for narrow moduli and 64 for wide ones.
    let quotients: [UInt64]

    init(root: UInt64, degree: Int, modulus: Modulus) {
        let bits = degree.trailingZeroBitCount
        var values = Array(repeating: UInt64(1), count: degree)
        var power: UInt64 = 1
        for exponent in 0..<degree {
            values[bitReversed(exponent, bits: bits)] = power
            power = modulus.multiply(power, root)
        }
        self.values = values
        quotients = values.map { shoupQuotient($0, modulus) }
    }
}

/// The precomputed quotient that turns a modular product with a constant into two plain products.
func shoupQuotient(_ factor: UInt64, _ modulus: Modulus) -> UInt64 {
    modulus.isNarrow
        ? factor << 32 / modulus.value
        : modulus.value.dividingFullWidth((factor, 0)).quotient
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
