import HomomorphicEncryption

/// Turns the few ciphertexts of a query into one ciphertext per position of its vector.
///
/// Source: PIR protocol fact sheet, section 9.6.
struct QueryExpansion {
    private let context: BFVContext
    private let key: EvaluationKey
    /// Exponents `k` of the Galois elements `2^k + 1` the key has, ascending.
    private let exponents: [Int]

    init(context: BFVContext, key: EvaluationKey) {
        self.context = context
        self.key = key
        exponents = key.galoisElements.compactMap { element in
            (element - 1).nonzeroBitCount == 1 ? (element - 1).trailingZeroBitCount : nil
        }
    }

    /// - Parameters:
    ///   - ciphertexts: The query, in coefficient form.
    ///   - vectorLength: Positions over all ciphertexts.
    /// - Returns: `vectorLength` ciphertexts in coefficient form.
    func expand(_ ciphertexts: [Ciphertext], vectorLength: Int) throws -> [Ciphertext] {
        let degree = context.parameters.polynomialDegree
        return try ciphertexts.enumerated().flatMap { number, ciphertext in
            let count = IndexQuery.outputCount(
                ofCiphertext: number, vectorLength: vectorLength, degree: degree)
            return try expand(ciphertext, count: count, step: 1, height: count.ceilLog2)
        }
    }

    private func expand(_ ciphertext: Ciphertext, count: Int, step: Int, height: Int) throws -> [Ciphertext] {
        if count == 1 {
            guard step <= height else { return [ciphertext] }
            // A branch that ends a step early misses one doubling.
            var doubled = ciphertext
            context.add(ciphertext, to: &doubled)
            return [doubled]
        }
        let moved = try rotate(ciphertext, exponent: context.parameters.polynomialDegree.ceilLog2 - step + 1)
        var even = ciphertext
        context.add(moved, to: &even)
        var odd = ciphertext
        context.subtract(moved, from: &odd)
        context.multiplyByInversePowerOfX(&odd, exponent: 1 << (step - 1))
        let evens = try expand(even, count: (count + 1) / 2, step: step + 1, height: height)
        let odds = try expand(odd, count: count / 2, step: step + 1, height: height)
        return (0..<count).map { $0 % 2 == 0 ? evens[$0 / 2] : odds[$0 / 2] }
    }

    /// Applies X → X^(2^exponent + 1), by the largest element at hand, repeated as often as needed.
    private func rotate(_ ciphertext: Ciphertext, exponent: Int) throws -> Ciphertext {
        guard let available = exponents.last(where: { $0 <= exponent }) else {
            throw PIRError.noUsableGaloisElement(below: (1 << UInt32(exponent)) + 1)
        }
        var result = ciphertext
        for _ in 0..<(1 << (exponent - available)) {
            result = try context.applyGalois(result, element: (1 << UInt32(available)) + 1, key: key)
        }
        return result
    }
}
