extension BFVContext {
    /// The product of two ciphertexts in coefficient form: three polynomials, to be relinearized.
    package func multiply(_ left: Ciphertext, _ right: Ciphertext) throws(BFVError) -> Ciphertext {
        try ciphertextInnerProduct([left], [right])
    }

    /// The sum of products of ciphertexts, with one scaling and rounding at the end.
    ///
    /// The procedure of Bajard, Eynard, Hasan and Zucca in the variant of the PIR protocol fact sheet,
    /// section 6.5, bit for bit.
    ///
    /// - Parameters:
    ///   - left: Not empty; two polynomials each, coefficient form, over the same moduli as `right`.
    ///   - right: As many.
    /// - Returns: Three polynomials in coefficient form.
    package func ciphertextInnerProduct(
        _ left: ArraySlice<Ciphertext>, _ right: ArraySlice<Ciphertext>
    ) throws(BFVError) -> Ciphertext {
        precondition(
            !left.isEmpty && left.count == right.count,
            "an inner product needs as many right factors as left ones, and at least one")
        for factor in [left, right].joined() {
            precondition(
                factor.form == .coefficient && factor.rowCount == left.first!.rowCount,
                "ciphertexts are multiplied in coefficient form over the same moduli")
            guard factor.polynomials.count == 2 else {
                throw .polynomialCount(factor.polynomials.count, expected: 2)
            }
        }
        let scaling = level(of: left.first!).scaling
        let sum = TensorSum(rings: scaling.allRings)
        for (left, right) in zip(left, right) {
            sum.add(
                left.polynomials.map(scaling.extendedEvaluation(of:)),
                right.polynomials.map(scaling.extendedEvaluation(of:)))
        }
        return Ciphertext(sum.polynomials().map(scaling.scaledDown(_:)))
    }
}
