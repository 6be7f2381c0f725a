import RingKernels

extension BFVContext {
    /// The rows of a polynomial, each packed with ceil(log2 q) bits per residue and padded to a byte.
    func appendSerialized(_ polynomial: Polynomial, skippedLSBs: Int = 0, to bytes: inout [UInt8]) {
        for row in 0..<polynomial.rowCount {
            let bits = residueBitCount(of: parameters.coefficientModuli[row])
            polynomial.withRow(row) {
                appendPackedBits(
                    $0, wordByteCount: wordByteCount, count: parameters.polynomialDegree, bitsEach: bits,
                    skippedLSBs: skippedLSBs, to: &bytes)
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
        var result = polynomial(rowCount: rowCount, form: form)
        try read(bytes, into: result.mutableRows, skippedLSBs: skippedLSBs, name: name)
        return result
    }

    /// Reads rows over the first moduli from exactly their bytes, and refuses residues that are not reduced.
    func read(
        _ bytes: ArraySlice<UInt8>, into rows: Rows, skippedLSBs: Int = 0, name: String = "polynomial"
    ) throws(SerializationError) {
        let expected = byteCount(rowCount: rows.count, skippedLSBs: skippedLSBs)
        guard bytes.count == expected else {
            throw .byteCount(bytes.count, expected: expected, of: name)
        }
        let wrong = bytes.withUnsafeBufferPointer { bytes -> (residue: UInt64, modulus: UInt64)? in
            var start = 0
            for row in 0..<rows.count {
                let modulus = parameters.coefficientModuli[row]
                let bits = residueBitCount(of: modulus)
                let length = packedByteCount(
                    count: parameters.polynomialDegree, bitsEach: bits, skippedLSBs: skippedLSBs)
                let largest = rk_unpack_bits(
                    wordByteCount, rows[row], parameters.polynomialDegree, bytes.baseAddress! + start, length,
                    UInt32(bits), UInt32(skippedLSBs))
                guard largest < modulus else { return (largest, modulus) }
                start += length
            }
            return nil
        }
        if let wrong { throw .residueOutOfRange(wrong.residue, modulus: wrong.modulus) }
    }
}
