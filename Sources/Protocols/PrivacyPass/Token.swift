import Decoding

/// The part of a token that its issuer signs without seeing it (RFC 9578, section 6).
package struct TokenInput: Hashable, Sendable {
    /// 2 + 32 + 32 + 32 bytes.
    package static let byteCount = 98

    /// Drawn by the client; what makes the token one of a kind.
    package let nonce: TokenNonce
    /// SHA-256 of the ``TokenChallenge``.
    package let challengeDigest: [UInt8]
    /// SHA-256 of the issuer's public key.
    package let keyID: [UInt8]

    package init(nonce: TokenNonce, challengeDigest: [UInt8], keyID: [UInt8]) {
        precondition(
            challengeDigest.count == 32 && keyID.count == 32,
            "digest and key id have \(challengeDigest.count) and \(keyID.count) bytes; both must have 32")
        self.nonce = nonce
        self.challengeDigest = challengeDigest
        self.keyID = keyID
    }

    package var encoded: [UInt8] {
        TokenType.blindRSA2048.bigEndianBytes + nonce.bytes + challengeDigest + keyID
    }
}

/// Proof that an issuer vouches for the bearer, good for one request.
package struct Token: Hashable, Sendable {
    /// 98 bytes of input and a signature of 256.
    package static let byteCount = TokenInput.byteCount + authenticatorByteCount
    static let authenticatorByteCount = 256

    package let input: TokenInput
    /// The issuer's signature, 256 bytes.
    package let authenticator: [UInt8]

    package init(input: TokenInput, authenticator: [UInt8]) throws(TokenFormatError) {
        guard authenticator.count == Self.authenticatorByteCount else {
            throw .length(
                .token, found: TokenInput.byteCount + authenticator.count, expected: Self.byteCount)
        }
        self.input = input
        self.authenticator = authenticator
    }

    package var encoded: [UInt8] { input.encoded + authenticator }

    package init(decoding bytes: [UInt8]) throws(TokenFormatError) {
        var reader = ByteReader(bytes)
        // The type comes first: a token of another type may well have another length.
        if let type = reader.uint16(), type != TokenType.blindRSA2048 {
            throw .tokenType(.token, found: type)
        }
        guard bytes.count == Self.byteCount, let nonce = reader.take(TokenNonce.byteCount),
            let digest = reader.take(32), let keyID = reader.take(32),
            let authenticator = reader.take(Self.authenticatorByteCount)
        else { throw .length(.token, found: bytes.count, expected: Self.byteCount) }
        input = TokenInput(
            nonce: TokenNonce(nonce), challengeDigest: Array(digest), keyID: Array(keyID))
        self.authenticator = Array(authenticator)
    }
}

/// The 32 random bytes that tell a token from every other one.
///
/// Kept as four numbers rather than an array: a ledger holds millions of them.
package struct TokenNonce: Hashable, Sendable {
    package static let byteCount = 32

    private let words: SIMD4<UInt64>

    package static func random() -> TokenNonce {
        var generator = SystemRandomNumberGenerator()
        return TokenNonce(words: .random(in: .min ... .max, using: &generator))
    }

    /// - Parameter bytes: Exactly 32.
    package init(_ bytes: some Collection<UInt8>) {
        precondition(
            bytes.count == Self.byteCount, "a nonce has \(Self.byteCount) bytes, got \(bytes.count)")
        var words = SIMD4<UInt64>()
        for (index, byte) in bytes.enumerated() { words[index / 8] = words[index / 8] << 8 | UInt64(byte) }
        self.init(words: words)
    }

    private init(words: SIMD4<UInt64>) {
        self.words = words
    }

    package var bytes: [UInt8] {
        (0..<Self.byteCount).map { UInt8(truncatingIfNeeded: words[$0 / 8] >> UInt64(56 - 8 * ($0 % 8))) }
    }
}
