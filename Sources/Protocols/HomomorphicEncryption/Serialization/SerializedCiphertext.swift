/// A ciphertext as bytes with the side fields that travel in its message.
///
/// The cases mirror the wire message of the same name (article "Homomorphic encryption", section "Serialized objects").
package enum SerializedCiphertext: Hashable, Sendable {
    /// The first polynomial, and the 32-byte seed of the second.
    case seeded(polynomial: [UInt8], seed: [UInt8])

    /// A 2-byte little-endian polynomial count and the polynomials.
    ///
    /// `skippedLSBs` has one number per polynomial, or is empty for none; the correction factor is 1 in BFV.
    case full(polynomials: [UInt8], skippedLSBs: [Int], correctionFactor: UInt64)
}

/// Why bytes are not the object that was expected.
package enum SerializationError: Error, Equatable {
    case byteCount(Int, expected: Int, of: String)
    case residueOutOfRange(UInt64, modulus: UInt64)
    case polynomialCount(Int, expected: Int)
    case seedByteCount(Int, expected: Int)
    case skippedBitCounts([Int], expectedCount: Int, below: Int)
    case correctionFactor(UInt64)
    case componentCount(Int, expected: Int)
    case keyWithoutModulus
    case galoisElement(UInt64, degree: Int)
    case secretKeyNotTernary
}

extension SerializationError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .byteCount(let count, let expected, let object):
            "the \(object) has \(count) bytes; these parameters need \(expected)"
        case .residueOutOfRange(let residue, let modulus):
            "residue is \(residue); it must be below the modulus \(modulus)"
        case .polynomialCount(let count, let expected):
            "the ciphertext has \(count) polynomials; \(expected) are allowed here"
        case .seedByteCount(let count, let expected):
            "the seed has \(count) bytes; it must have \(expected)"
        case .skippedBitCounts(let counts, let expectedCount, let limit):
            "skipped bits are \(counts); \(expectedCount) numbers in 0..<\(limit), or none, are allowed"
        case .correctionFactor(let factor):
            "correction factor is \(factor); it must be 1"
        case .componentCount(let count, let expected):
            "the key-switching key has \(count) ciphertexts; these parameters need \(expected)"
        case .keyWithoutModulus:
            "there is one coefficient modulus; evaluation keys need at least two"
        case .galoisElement(let element, let degree):
            "Galois element is \(element); it must be odd and in 3...\(2 * degree - 1)"
        case .secretKeyNotTernary:
            "the secret key has a coefficient other than -1, 0 and 1; it is damaged or of other parameters"
        }
    }
}
