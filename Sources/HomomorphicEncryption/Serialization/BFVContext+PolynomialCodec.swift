extension BFVContext {
    /// The rows of a polynomial, each packed with ceil(log2 q) bits per residue and padded to a byte.
    func appendSerialized(_ polynomial: Polynomial, skippedLSBs: Int = 0, to bytes: inout [UInt8]) {
        for row in 0..<polynomial.rowCount {
            let bits = residueBitCount(of: parameters.coefficientModuli[row])
            polynomial.withRow(row) {
                appendPackedBits($0, bitsEach: bits, skippedLSBs: skippedLSBs, to: &bytes)
            }
        }
    }

    func serialized(_ polynomial: Polynomial) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(parameters.polynomialByteCount(rowCount: polynomial.rowCount))
        appendSerialized(polynomial, to: &bytes)
        return bytes
    }

    /// Bytes of a polynomial over the first `rowCount` moduli.
    func byteCount(rowCount: Int, skippedLSBs: Int) -> Int {
        parameters.coefficientModuli.prefix(rowCount).reduce(0) { sum, modulus in
            sum
                + packedByteCount(
                    count: parameters.polynomialDegree, bitsEach: residueBitCount(of: modulus),
                    skippedLSBs: skippedLSBs)
        }
    }

    /// Reads a polynomial from exactly its bytes, and refuses residues that are not reduced.
    func polynomial(
        _ bytes: ArraySlice<UInt8>, rowCount: Int, form: Polynomial.Form, skippedLSBs: Int = 0,
        name: String = "polynomial"
    ) throws(SerializationError) -> Polynomial {
        let expected = byteCount(rowCount: rowCount, skippedLSBs: skippedLSBs)
        guard bytes.count == expected else {
            throw .byteCount(bytes.count, expected: expected, of: name)
        }
        var result = Polynomial(degree: parameters.polynomialDegree, rowCount: rowCount, form: form)
        var start = 0
        for row in 0..<rowCount {
            let modulus = parameters.coefficientModuli[row]
            let bits = residueBitCount(of: modulus)
            let length = packedByteCount(
                count: parameters.polynomialDegree, bitsEach: bits, skippedLSBs: skippedLSBs)
            let largest = bytes.withUnsafeBufferPointer { all in
                result.withMutableRow(row) { target in
                    unpackBits(
                        UnsafeBufferPointer(rebasing: all[start..<start + length]), bitsEach: bits,
                        skippedLSBs: skippedLSBs, into: target)
                    return target.reduce(0, max)
                }
            }
            guard largest < modulus else { throw .residueOutOfRange(largest, modulus: modulus) }
            start += length
        }
        return result
    }
}
