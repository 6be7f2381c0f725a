import CryptoExtras
import Foundation

/// The side that gets tokens: it blinds, has signed, and unblinds.
package struct TokenClient: Sendable {
    package let challenge: TokenChallenge
    package let publicKey: TokenPublicKey
    private let challengeDigest: [UInt8]

    package init(challenge: TokenChallenge, publicKey: TokenPublicKey) throws(TokenFormatError) {
        guard challenge.tokenType == TokenType.blindRSA2048 else {
            throw .tokenType(.challenge, found: challenge.tokenType)
        }
        self.challenge = challenge
        self.publicKey = publicKey
        challengeDigest = challenge.digest
    }

    /// Starts a token with a fresh nonce; about half a millisecond of CPU time.
    package func makePendingToken() throws(TokenClientError) -> PendingToken {
        let input = TokenInput(
            nonce: .random(), challengeDigest: challengeDigest, keyID: publicKey.keyID)
        return try PendingToken(input: input, publicKey: publicKey)
    }
}

/// A token that still lacks the issuer's signature.
///
/// Not `Sendable`: the blinding values of swift-crypto are not, and have no bytes to be stored
/// as. One task makes it, waits for the response and finishes it.
package struct PendingToken {
    package let input: TokenInput
    /// Request to send to the issuer.
    package let request: TokenRequest
    private let publicKey: TokenPublicKey
    private let message: _RSA.BlindSigning.PreparedMessage
    private let inverse: _RSA.BlindSigning.BlindingInverse

    fileprivate init(input: TokenInput, publicKey: TokenPublicKey) throws(TokenClientError) {
        let message = publicKey.blindRSA.prepare(input.encoded)
        guard let blinding = try? publicKey.blindRSA.blind(message),
            let request = try? TokenRequest(
                truncatedKeyID: publicKey.truncatedKeyID, blindedMessage: Array(blinding.blindedMessage))
        else { throw .blindingFailed }
        self.input = input
        self.request = request
        self.publicKey = publicKey
        self.message = message
        inverse = blinding.inverse
    }

    /// Unblinds the issuer's signature and checks it.
    ///
    /// - Parameter response: The body of the issuer's response.
    package func finish(with response: [UInt8]) throws(TokenClientError) -> Token {
        let parsed: TokenResponse
        do {
            parsed = try TokenResponse(decoding: response)
        } catch {
            throw .malformed(error)
        }
        let blindSignature = _RSA.BlindSigning.BlindSignature(rawRepresentation: parsed.blindSignature)
        guard
            let signature = try? publicKey.blindRSA.finalize(
                blindSignature, for: message, blindingInverse: inverse),
            let token = try? Token(input: input, authenticator: Array(signature.rawRepresentation))
        else { throw .signatureNotValid }
        return token
    }
}

/// Why a client gets no token.
package enum TokenClientError: Error, Hashable, Sendable {
    case blindingFailed
    case malformed(TokenFormatError)
    /// The issuer signed with another key, or something else than it was asked to.
    case signatureNotValid
}

extension TokenClientError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .blindingFailed: "the token could not be blinded for this public key"
        case .malformed(let error): "\(error)"
        case .signatureNotValid: "the issuer's answer is not a signature of the requested token"
        }
    }
}
