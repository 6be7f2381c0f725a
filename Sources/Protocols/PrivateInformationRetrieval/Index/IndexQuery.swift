package import HomomorphicEncryption

/// How a query names entries without showing them: a vector of zeros with a one per index and dimension.
///
/// Source: article "PIR protocol", section "Query".
package enum IndexQuery {
    /// Places of the ones: for each index a block as long as the sum of the dimensions, in it one position per
    /// dimension.
    static func onePositions(indices: [Int], shape: DatabaseShape) -> [Int] {
        indices.enumerated().flatMap { block, index in
            var start = block * shape.expandedCountPerIndex
            return zip(shape.coordinates(ofEntry: index), shape.dimensions).map { coordinate, dimension in
                defer { start += dimension }
                return start + coordinate
            }
        }
    }

    /// Ciphertexts a query for this many indices consists of.
    static func ciphertextCount(indexCount: Int, shape: DatabaseShape, degree: Int) -> Int {
        (indexCount * shape.expandedCountPerIndex + degree - 1) / degree
    }

    /// Positions of the vector that a ciphertext of the query carries.
    static func outputCount(ofCiphertext number: Int, vectorLength: Int, degree: Int) -> Int {
        min(degree, vectorLength - number * degree)
    }

    /// The messages to encrypt, one per `N` positions.
    ///
    /// Expanding doubles at every step, so a one is written as the inverse of the power of two that will come.
    package static func plaintexts(indices: [Int], shape: DatabaseShape, context: BFVContext) throws
        -> [Plaintext]
    {
        let degree = context.parameters.polynomialDegree
        let modulus = context.parameters.plaintextModulus
        let ones = onePositions(indices: indices, shape: shape)
        let length = indices.count * shape.expandedCountPerIndex
        let count = ciphertextCount(indexCount: indices.count, shape: shape, degree: degree)
        return try (0..<count).map { number in
            let outputs = outputCount(ofCiphertext: number, vectorLength: length, degree: degree)
            var coefficients = [UInt64](repeating: 0, count: degree)
            for position in ones where position / degree == number {
                coefficients[position % degree] = inversePowerOfTwo(outputs.ceilLog2, modulo: modulus)
            }
            return try context.plaintext(coefficients: coefficients)
        }
    }

    /// `(2^exponent)^-1` modulo an odd number.
    package static func inversePowerOfTwo(_ exponent: Int, modulo modulus: UInt64) -> UInt64 {
        var value: UInt64 = 1
        for _ in 0..<exponent { value = value % 2 == 0 ? value / 2 : value / 2 + modulus / 2 + 1 }
        return value
    }
}
