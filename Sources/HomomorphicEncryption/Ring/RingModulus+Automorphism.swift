extension RingModulus {
    /// f(X) -> f(X^element) on coefficients: coefficient i moves to i·element, X^N being -1.
    package func applyGaloisToCoefficients(_ input: Row, element: UInt32, into output: MutableRow) {
        let modulus = arithmetic
        let mask = degree - 1
        var target = 0
        for index in 0..<degree {
            let value = input[index]
            output[target & mask] = target & degree == 0 ? value : modulus.negate(value)
            target &+= Int(element)
        }
    }

    /// f(X) -> f(X^element) on evaluations: a permutation.
    package func applyGaloisToEvaluations(_ input: Row, element: UInt32, into output: MutableRow) {
        let bits = degree.trailingZeroBitCount
        for index in 0..<degree {
            let exponent = Int(element) * (2 * bitReversed(index, bits: bits) + 1) % (2 * degree)
            output[index] = input[bitReversed((exponent - 1) / 2, bits: bits)]
        }
    }

    /// f(X) -> f(X)·X^-exponent on coefficients, for exponents in `0..<degree`.
    package func multiplyByInversePowerOfX(_ input: Row, exponent: Int, into output: MutableRow) {
        precondition((0..<degree).contains(exponent), "exponents are in 0..<\(degree)")
        let modulus = arithmetic
        let kept = degree - exponent
        for index in 0..<kept { output[index] = input[index + exponent] }
        for index in kept..<degree { output[index] = modulus.negate(input[index - kept]) }
    }
}
