import Crypto
import Decoding

/// Request of a client to an issuer (RFC 9578, section 6.1).
package struct TokenRequest: Hashable, Sendable {
    package static let byteCount = 259
    /// `Content-Type` of the request.
    package static let mediaType = "application/private-token-request"
    static let blindedMessageByteCount = 256

    /// Last byte of the id of the key that should sign.
    package let truncatedKeyID: UInt8
    /// 256 bytes.
    package let blindedMessage: [UInt8]

    package init(truncatedKeyID: UInt8, blindedMessage: [UInt8]) throws(TokenFormatError) {
        guard blindedMessage.count == Self.blindedMessageByteCount else {
            throw .length(.request, found: 3 + blindedMessage.count, expected: Self.byteCount)
        }
        self.truncatedKeyID = truncatedKeyID
        self.blindedMessage = blindedMessage
    }

    package var encoded: [UInt8] {
        TokenType.blindRSA2048.bigEndianBytes + [truncatedKeyID] + blindedMessage
    }

    /// Tells requests apart in 16 bytes: the front of a hash.
    package var mark: UInt128 {
        SHA256.hash(data: encoded).withUnsafeBytes { $0.loadUnaligned(as: UInt128.self) }
    }

    package init(decoding bytes: [UInt8]) throws(TokenFormatError) {
        var reader = ByteReader(bytes)
        if let type = reader.uint16(), type != TokenType.blindRSA2048 {
            throw .tokenType(.request, found: type)
        }
        guard bytes.count == Self.byteCount, let truncatedKeyID = reader.byte(),
            let blindedMessage = reader.take(Self.blindedMessageByteCount)
        else { throw .length(.request, found: bytes.count, expected: Self.byteCount) }
        try self.init(truncatedKeyID: truncatedKeyID, blindedMessage: Array(blindedMessage))
    }
}

/// Answer of an issuer (RFC 9578, section 6.2).
package struct TokenResponse: Hashable, Sendable {
    package static let byteCount = 256
    /// `Content-Type` of the response.
    package static let mediaType = "application/private-token-response"

    /// 256 bytes.
    package let blindSignature: [UInt8]

    package var encoded: [UInt8] { blindSignature }

    package init(decoding bytes: [UInt8]) throws(TokenFormatError) {
        guard bytes.count == Self.byteCount else {
            throw .length(.response, found: bytes.count, expected: Self.byteCount)
        }
        blindSignature = bytes
    }
}
