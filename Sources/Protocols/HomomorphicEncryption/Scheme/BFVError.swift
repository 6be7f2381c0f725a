/// Why an operation on messages, ciphertexts or keys is impossible.
package enum BFVError: Error, Equatable {
    case tooManyCoefficients(Int, maximum: Int)
    case coefficientOutOfRange(UInt64, plaintextModulus: UInt64)
    case signedCoefficientOutOfRange(Int64, plaintextModulus: UInt64)
    case tooManyBytes(Int, maximum: Int)
    case noSIMDEncoding(plaintextModulus: UInt64, degree: Int)
    case noKeySwitchingModulus
    case galoisElement(UInt32, degree: Int)
    case missingGaloisKey(UInt32, available: [UInt32])
    case missingRelinearizationKey
    case polynomialCount(Int, expected: Int)
}

extension BFVError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .tooManyCoefficients(let count, let maximum):
            "the message has \(count) coefficients; a plaintext holds at most \(maximum)"
        case .coefficientOutOfRange(let value, let modulus):
            "message coefficient is \(value); it must be below the plaintext modulus \(modulus)"
        case .signedCoefficientOutOfRange(let value, let modulus):
            "message coefficient is \(value); its magnitude must be at most half the plaintext modulus \(modulus)"
        case .tooManyBytes(let count, let maximum):
            "the message has \(count) bytes; a plaintext holds at most \(maximum)"
        case .noSIMDEncoding(let modulus, let degree):
            "plaintext modulus is \(modulus); slots need remainder 1 when divided by \(2 * degree)"
        case .noKeySwitchingModulus:
            "there is one coefficient modulus; evaluation keys need at least two"
        case .galoisElement(let element, let degree):
            "Galois element is \(element); it must be odd and in 3...\(2 * degree - 1)"
        case .missingGaloisKey(let element, let available):
            "the evaluation key has no Galois element \(element); it has "
                + (available.isEmpty ? "none" : available.map(String.init).joined(separator: ", "))
        case .missingRelinearizationKey:
            "the evaluation key has no relinearization key; this operation needs one"
        case .polynomialCount(let count, let expected):
            "the ciphertext has \(count) polynomials; this operation needs \(expected)"
        }
    }
}
