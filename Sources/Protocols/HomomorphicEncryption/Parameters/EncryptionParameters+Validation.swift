import Decoding
import Foundation

extension EncryptionParameters {
    /// Largest sum of log2 over all moduli for the quantum128 level, by ring degree.
    static let quantum128Bits: [Int: Float] = [
        1024: 21, 2048: 41, 4096: 83, 8192: 165, 16384: 330, 32768: 660,
    ]

    /// The checks of article "Homomorphic encryption", section "Validation".
    ///
    /// The constants γ and m̃ of that section need no check: none of them leaves remainder 1 modulo 2N.
    static func validate(
        degree: Int, plaintextModulus: UInt64, moduli: [UInt64], securityLevel: SecurityLevel
    ) throws(EncryptionParametersError) {
        guard (2...maximumDegree).contains(degree), degree & (degree - 1) == 0 else {
            throw .polynomialDegree(degree, maximum: maximumDegree)
        }
        guard (1...maximumModulusCount).contains(moduli.count) else {
            throw .modulusCount(moduli.count, allowed: 1...maximumModulusCount)
        }
        guard plaintextModulus > 2, plaintextModulus <= maximumModulus, isPrime(plaintextModulus) else {
            throw .plaintextModulusNotOddPrime(plaintextModulus)
        }
        for (index, modulus) in moduli.enumerated() {
            guard modulus <= maximumModulus else { throw .modulusTooLarge(modulus, maximum: maximumModulus) }
            guard modulus > plaintextModulus else {
                throw .modulusNotAbovePlaintextModulus(modulus, plaintextModulus: plaintextModulus)
            }
            guard modulus % UInt64(2 * degree) == 1 else {
                throw .modulusWithoutTransform(modulus, degree: degree)
            }
            guard !moduli[..<index].contains(modulus) else { throw .modulusRepeated(modulus) }
            guard isPrime(modulus) else { throw .modulusNotPrime(modulus) }
        }
        guard securityLevel == .quantum128 else { return }
        guard let allowed = quantum128Bits[degree] else {
            throw .degreeWithoutSecurityBound(degree, known: quantum128Bits.keys.sorted())
        }
        // Single precision, like the software that other parties run, so that all agree on the border.
        let bits = moduli.reduce(Float(0)) { $0 + log2(Float($1)) }
        guard bits <= allowed else { throw .insecure(modulusBits: bits, allowed: allowed, degree: degree) }
    }
}

/// Why parameters cannot be used.
package enum EncryptionParametersError: InputFault, Equatable {
    case unknownName(String, known: [String])
    case polynomialDegree(Int, maximum: Int)
    case modulusCount(Int, allowed: ClosedRange<Int>)
    case plaintextModulusNotOddPrime(UInt64)
    case modulusTooLarge(UInt64, maximum: UInt64)
    case modulusNotAbovePlaintextModulus(UInt64, plaintextModulus: UInt64)
    case modulusWithoutTransform(UInt64, degree: Int)
    case modulusRepeated(UInt64)
    case modulusNotPrime(UInt64)
    case degreeWithoutSecurityBound(Int, known: [Int])
    case insecure(modulusBits: Float, allowed: Float, degree: Int)
    case modulusTooWideForWords(UInt64, wordSize: Int)
}

extension EncryptionParametersError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .unknownName(let name, let known):
            "rlweParameters is '\(name)'; it must be one of \(known.joined(separator: ", "))"
        case .polynomialDegree(let degree, let maximum):
            "polynomial degree is \(degree); it must be a power of two in 2...\(maximum)"
        case .modulusCount(let count, let allowed):
            "\(count) coefficient moduli; there must be \(allowed.lowerBound)...\(allowed.upperBound)"
        case .plaintextModulusNotOddPrime(let modulus):
            "plaintext modulus is \(modulus); it must be an odd prime below 2^62"
        case .modulusTooLarge(let modulus, let maximum):
            "coefficient modulus is \(modulus); it must be at most \(maximum)"
        case .modulusNotAbovePlaintextModulus(let modulus, let plaintextModulus):
            "coefficient modulus is \(modulus); it must exceed the plaintext modulus \(plaintextModulus)"
        case .modulusWithoutTransform(let modulus, let degree):
            "coefficient modulus is \(modulus); it must leave remainder 1 when divided by \(2 * degree)"
        case .modulusRepeated(let modulus):
            "coefficient modulus \(modulus) appears twice; each may appear once"
        case .modulusNotPrime(let modulus):
            "coefficient modulus is \(modulus); it must be prime"
        case .degreeWithoutSecurityBound(let degree, let known):
            "polynomial degree is \(degree); the quantum128 level is defined for "
                + known.map(String.init).joined(separator: ", ")
        case .insecure(let bits, let allowed, let degree):
            "the coefficient moduli have \(bits) bits; degree \(degree) allows \(allowed) at the quantum128 level"
        case .modulusTooWideForWords(let modulus, let wordSize):
            "coefficient modulus is \(modulus); \(wordSize)-bit words need moduli below 2^\(wordSize - 2)"
        }
    }
}
