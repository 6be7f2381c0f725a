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
