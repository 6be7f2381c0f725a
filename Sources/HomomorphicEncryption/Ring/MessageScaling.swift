/// Scales messages from the plaintext modulus `t` to the modulus `Q` of a ciphertext: round(Q·m/t).
struct MessageScaling: Sendable {
    private let plaintextModulus: UInt64

    /// Q mod t.
    private let remainder: UInt64

    /// floor(Q/t) for each ciphertext modulus.
    private let quotients: [UInt64]

    init(rings: [RingModulus], plaintextModulus: UInt64) {
        let modulus = Modulus(plaintextModulus)
        let remainder = modulus.product(rings.map(\.modulus))
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

    /// Applies `operation` to every row of a polynomial and the scaled message.
    ///
    /// PIR protocol fact sheet, section 4: floor(Q/t)·m + floor(((Q mod t)·m + (t+1)/2) / t).
    func combine(
        _ message: [UInt64], into polynomial: inout Polynomial, rings: [RingModulus],
        _ operation: (RingModulus, MutableRow, Row) -> Void
    ) {
        let half = (plaintextModulus + 1) / 2
        let corrections = message.map { coefficient in
            var product = remainder.multipliedFullWidth(by: coefficient)
            let (low, carry) = product.low.addingReportingOverflow(half)
            product = (product.high + (carry ? 1 : 0), low)
            return product.high == 0
                ? low / plaintextModulus : plaintextModulus.dividingFullWidth(product).quotient
        }
        withUnsafeTemporaryAllocation(of: UInt64.self, capacity: message.count) { scaled in
            for row in 0..<polynomial.rowCount {
                let modulus = rings[row].arithmetic
                let quotient = modulus.constant(quotients[row])
                for index in scaled.indices {
                    scaled[index] = modulus.add(
                        modulus.multiply(message[index], quotient), corrections[index])
                }
                polynomial.withMutableRow(row) { operation(rings[row], $0, Row(scaled)) }
            }
        }
    }
}
