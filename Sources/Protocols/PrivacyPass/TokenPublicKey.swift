import Crypto
import CryptoExtras
import Foundation

/// The public key of an issuer: RSA with 2048 bits and exponent 65537.
///
/// It travels as a DER SubjectPublicKeyInfo with the algorithm RSASSA-PSS and the parameters
/// SHA-384, MGF1 with SHA-384 and a salt of 48 bytes (RFC 9578, section 8.2.2). For this size
/// and exponent everything but the modulus is constant, so the two ends are compared, not parsed.
package struct TokenPublicKey: Sendable {
    typealias BlindRSA = _RSA.BlindSigning.PublicKey<SHA384>

    /// The key as issuer directories publish it, 342 bytes.
    package let subjectPublicKeyInfo: [UInt8]
    /// SHA-256 of ``subjectPublicKeyInfo``.
    package let keyID: [UInt8]
    let blindRSA: BlindRSA

    /// Last byte of ``keyID``, by which a token request names the key.
    package var truncatedKeyID: UInt8 { keyID[31] }

    static let modulusByteCount = 256
    package static let subjectPublicKeyInfoByteCount = prefix.count + modulusByteCount + suffix.count

    private static let suffix: [UInt8] = [0x02, 0x03, 0x01, 0x00, 0x01]
    private static let prefix: [UInt8] = [
        0x30, 0x82, 0x01, 0x52,  // SubjectPublicKeyInfo
        0x30, 0x3D, 0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x0A,  // id-RSASSA-PSS
        0x30, 0x30, 0xA0, 0x0D, 0x30, 0x0B,
        0x06, 0x09, 0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, 0x02,  // hash: SHA-384
        0xA1, 0x1A, 0x30, 0x18,
        0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x08,  // mask: MGF1
        0x30, 0x0B,
        0x06, 0x09, 0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, 0x02,  // with SHA-384
        0xA2, 0x03, 0x02, 0x01, 0x30,  // salt: 48 bytes
        0x03, 0x82, 0x01, 0x0F, 0x00, 0x30, 0x82, 0x01, 0x0A,  // RSAPublicKey
        0x02, 0x82, 0x01, 0x01, 0x00,  // modulus: 257 bytes, the first is 0
    ]

    package init(subjectPublicKeyInfo bytes: [UInt8]) throws(TokenKeyError) {
        guard bytes.count == Self.subjectPublicKeyInfoByteCount else {
            throw .publicKeyLength(bytes.count, expected: Self.subjectPublicKeyInfoByteCount)
        }
        guard bytes.starts(with: Self.prefix), bytes.suffix(Self.suffix.count) == Self.suffix[...] else {
            throw .publicKeyAlgorithm
        }
        let modulus = bytes.dropFirst(Self.prefix.count).prefix(Self.modulusByteCount)
        // swift-crypto refuses this form of key, so the key is made from its two numbers.
        let key = try? BlindRSA(
            n: Data(modulus), e: Data([1, 0, 1]), parameters: .RSABSSA_SHA384_PSS_Deterministic)
        guard let key, key.keySizeInBits == 8 * Self.modulusByteCount else { throw .publicKeyModulus }
        self.init(subjectPublicKeyInfo: bytes, blindRSA: key)
    }

    init(_ key: BlindRSA) throws(TokenKeyError) {
        guard let numbers = try? key.getKeyPrimitives() else { throw .publicKeyModulus }
        guard numbers.modulus.count == Self.modulusByteCount else {
            throw .keySize(bits: key.keySizeInBits)
        }
        guard Array(numbers.publicExponent) == [1, 0, 1] else { throw .publicKeyAlgorithm }
        self.init(subjectPublicKeyInfo: Self.prefix + numbers.modulus + Self.suffix, blindRSA: key)
    }

    private init(subjectPublicKeyInfo: [UInt8], blindRSA: BlindRSA) {
        self.subjectPublicKeyInfo = subjectPublicKeyInfo
        self.blindRSA = blindRSA
        keyID = Array(SHA256.hash(data: subjectPublicKeyInfo))
    }

    /// Whether `token` carries a signature of this key. Says nothing about whether it was spent.
    package func isSignatureValid(of token: Token) -> Bool {
        blindRSA.isValidSignature(
            _RSA.Signing.RSASignature(rawRepresentation: token.authenticator),
            for: blindRSA.prepare(token.input.encoded))
    }
}

extension TokenPublicKey: Hashable {
    package static func == (left: TokenPublicKey, right: TokenPublicKey) -> Bool { left.keyID == right.keyID }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(keyID)
    }
}

/// Why a key cannot sign or verify tokens.
package enum TokenKeyError: Error, Hashable, Sendable {
    case publicKeyLength(Int, expected: Int)
    /// The frame around the modulus is not the one that belongs to token type 2.
    case publicKeyAlgorithm
    /// The modulus has fewer than 2048 bits or is even.
    case publicKeyModulus
    case keySize(bits: Int)
    /// The text is not the PEM form of an RSA private key.
    case privateKeyText
    case generationFailed
}

extension TokenKeyError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .publicKeyLength(let found, let expected):
            "the issuer's public key has \(found) bytes; it must have \(expected)"
        case .publicKeyAlgorithm:
            "the issuer's public key is not RSASSA-PSS with SHA-384, MGF1-SHA-384, salt 48 and exponent 65537"
        case .publicKeyModulus:
            "the modulus of the issuer's public key is not an odd number of 2048 bits"
        case .keySize(let bits):
            "the issuer's key has \(bits) bits; token type 2 has 2048"
        case .privateKeyText:
            "the text is not an RSA private key in PEM form"
        case .generationFailed:
            "the cryptographic library could not generate an RSA key"
        }
    }
}
