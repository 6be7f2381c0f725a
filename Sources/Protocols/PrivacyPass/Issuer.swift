import Crypto
import CryptoExtras
import Foundation

/// The holder of one private key, which signs token requests without seeing the tokens.
///
/// An operator has one issuer per tier of users; see ``TieredIssuers``.
package struct Issuer: Sendable {
    private let key: _RSA.BlindSigning.PrivateKey<SHA384>
    package let publicKey: TokenPublicKey

    /// Generates a key. Takes some 60 ms of CPU time, and at times several times that.
    package init() throws(TokenKeyError) {
        guard
            let key = try? _RSA.BlindSigning.PrivateKey<SHA384>(
                keySize: .bits2048, parameters: .RSABSSA_SHA384_PSS_Deterministic)
        else { throw .generationFailed }
        try self.init(key)
    }

    /// - Parameter text: A PKCS#8 or PKCS#1 private key of 2048 bits.
    package init(privateKeyPEM text: String) throws(TokenKeyError) {
        guard
            let key = try? _RSA.BlindSigning.PrivateKey<SHA384>(
                pemRepresentation: text, parameters: .RSABSSA_SHA384_PSS_Deterministic)
        else { throw .privateKeyText }
        try self.init(key)
    }

    private init(_ key: _RSA.BlindSigning.PrivateKey<SHA384>) throws(TokenKeyError) {
        guard key.keySizeInBits == 8 * TokenPublicKey.modulusByteCount else {
            throw .keySize(bits: key.keySizeInBits)
        }
        self.key = key
        publicKey = try TokenPublicKey(key.publicKey)
    }

    /// The key to store, as PKCS#8. Whoever has it can make tokens.
    package var privateKeyPEM: String { key.pkcs8PEMRepresentation }

    /// Answers the body of a token request.
    package func issue(_ request: [UInt8]) throws(IssuanceError) -> TokenResponse {
        let parsed: TokenRequest
        do {
            parsed = try TokenRequest(decoding: request)
        } catch {
            throw .malformed(error)
        }
        return try issue(parsed)
    }

    /// Signs a blinded message; about half a millisecond of CPU time.
    package func issue(_ request: TokenRequest) throws(IssuanceError) -> TokenResponse {
        guard request.truncatedKeyID == publicKey.truncatedKeyID else {
            throw .unknownKey(truncatedID: request.truncatedKeyID, expected: publicKey.truncatedKeyID)
        }
        guard let signature = try? key.blindSignature(for: request.blindedMessage),
            let response = try? TokenResponse(decoding: Array(signature.rawRepresentation))
        else { throw .blindedMessageOutOfRange }
        return response
    }
}

/// Why an issuer does not answer a token request.
package enum IssuanceError: Error, Hashable, Sendable {
    case malformed(TokenFormatError)
    case unknownKey(truncatedID: UInt8, expected: UInt8)
    /// The blinded message is not smaller than the modulus.
    case blindedMessageOutOfRange
}

extension IssuanceError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .malformed(let error):
            "\(error)"
        case .unknownKey(let found, let expected):
            "the token request names key \(found); the key of this user is \(expected)"
        case .blindedMessageOutOfRange:
            "the blinded message is not smaller than the modulus of the key"
        }
    }
}
