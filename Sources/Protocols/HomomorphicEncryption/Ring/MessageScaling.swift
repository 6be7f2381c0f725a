import RingKernels

/// Scales messages from the plaintext modulus `t` to the modulus `Q` of a ciphertext: round(Q·m/t).
struct MessageScaling: Sendable {
    private let rings: [RingModulus]
    private let plaintextModulus: UInt64

    /// Q mod t.
    private let remainder: UInt64

    /// floor(Q/t) for each ciphertext modulus.
    private let quotients: [UInt64]

    init(rings: [RingModulus], plaintextModulus: UInt64) {
        let modulus = Modulus(plaintextModulus)
        let remainder = modulus.product(rings.map(\.modulus))
        self.rings = rings
        self.plaintextModulus = plaintextModulus
        self.remainder = remainder
        // Q is zero modulo each row, so floor(Q/t) = (Q - remainder) / t is -remainder/t there.
        quotients = rings.map { ring in
            let arithmetic = ring.arithmetic
            return arithmetic.multiply(
                arithmetic.negate(arithmetic.reduce(remainder)),
                arithmetic.inverse(arithmetic.reduce(plaintextModulus)))
        }
    }

    /// Adds a scaled message to the rows of a polynomial, or subtracts it.
    ///
    /// As in article "Homomorphic encryption", section "Keys and encryption": floor(Q/t)·m + floor(((Q mod t)·m +
    /// (t+1)/2) / t).
    func add(_ message: [UInt64], to rows: Rows, subtract: Bool = false) {
        for (row, ring) in rings.enumerated() {
            rk_add_scaled_message(
                ring.wordByteCount, rows[row], message, message.count, plaintextModulus, quotients[row],
                remainder, ring.modulus, subtract)
        }
    }
}
