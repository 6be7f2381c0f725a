/// An encrypted message: two polynomials, or three after a multiplication.
///
/// The sum of polynomial i times the i-th power of the secret key is the scaled message plus noise.
package struct Ciphertext: Hashable, Sendable {
    /// All over the same moduli and in the same form.
    package internal(set) var polynomials: [Polynomial]

    init(_ polynomials: [Polynomial]) {
        precondition(polynomials.count >= 2, "a ciphertext has at least two polynomials")
        self.polynomials = polynomials
    }

    /// Moduli that are left: `L` for a fresh ciphertext, 1 in a response.
    package var rowCount: Int { polynomials[0].rowCount }

    package var form: Polynomial.Form { polynomials[0].form }
}

/// A fresh ciphertext whose second polynomial is still known by the seed it was drawn from.
///
/// It is half as long as the ciphertext on the wire. ``BFVContext/expand(_:)`` gives the ciphertext.
package struct SeededCiphertext: Hashable, Sendable {
    /// The first polynomial: coefficient form in a query, evaluation form in a key.
    package internal(set) var polynomial: Polynomial

    /// 32 bytes for ``DeterministicRandomBits``.
    package let seed: [UInt8]
}

/// A message: `N` coefficients below the plaintext modulus.
package struct Plaintext: Hashable, Sendable {
    package let coefficients: [UInt64]
}

/// A message prepared as a factor of ciphertexts: lifted to the ciphertext moduli, evaluation form.
///
/// This is the form in which a PIR database is stored.
package struct EvaluationPlaintext: Hashable, Sendable {
    package let polynomial: Polynomial
}

/// The constants of operations on ciphertexts over the first `rowCount` moduli.
struct CiphertextLevel: Sendable {
    let message: MessageScaling
    let rounding: PhaseRounding
    let scaling: BaseScaling

    init(rings: [RingModulus], plaintextModulus: UInt64, auxiliary: [RingModulus], wordSize: Int) {
        message = MessageScaling(rings: rings, plaintextModulus: plaintextModulus)
        rounding = PhaseRounding(rings: rings, plaintextModulus: plaintextModulus)
        scaling = BaseScaling(
            rings: rings, auxiliary: auxiliary, plaintextModulus: plaintextModulus, wordSize: wordSize)
    }
}

/// The two polynomials of a ciphertext in scratch memory.
///
/// In which form they are, and over which moduli, is said by the operation that fills them.
package struct CiphertextRows {
    package let first: Rows
    package let second: Rows

    package init(first: Rows, second: Rows) {
        self.first = first
        self.second = second
    }
}

/// The three polynomials of a product of ciphertexts, over the moduli of products, in scratch memory.
package struct TensorRows {
    let polynomials: [Rows]
}
