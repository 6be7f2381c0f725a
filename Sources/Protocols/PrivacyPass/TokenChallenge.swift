import Crypto
import Decoding

/// Issuer, origins and context that a token is made for (RFC 9577, section 2.1).
///
/// The URL filter's device writes the challenge itself, with nothing but the issuer's name
/// in it (article "Device", section "Tokens"). So all tokens of one issuer have the same
/// ``digest``, and can be fetched ahead.
package struct TokenChallenge: Hashable, Sendable {
    package let tokenType: UInt16
    /// Host name of the issuer and optional port.
    package let issuerName: String
    /// Binds the token to a moment or a session. 32 bytes or none.
    package let redemptionContext: [UInt8]
    /// Host names, separated by commas without spaces. May be empty.
    package let originInfo: String

    /// Names of the origins that accept the token; empty when any does.
    package var origins: [String] { originInfo.split(separator: ",").map(String.init) }

    package init(
        tokenType: UInt16 = TokenType.blindRSA2048, issuerName: String, redemptionContext: [UInt8] = [],
        originInfo: String = ""
    ) throws(TokenFormatError) {
        guard (1...Int(UInt16.max)).contains(issuerName.utf8.count), Self.isPrintable(issuerName) else {
            throw .issuerName(String(issuerName.prefix(64)))
        }
        guard redemptionContext.isEmpty || redemptionContext.count == 32 else {
            throw .redemptionContextLength(redemptionContext.count)
        }
        guard originInfo.utf8.count <= Int(UInt16.max), Self.isPrintable(originInfo) else {
            throw .originInfo(String(originInfo.prefix(64)))
        }
        self.tokenType = tokenType
        self.issuerName = issuerName
        self.redemptionContext = redemptionContext
        self.originInfo = originInfo
    }

    private static func isPrintable(_ text: String) -> Bool {
        text.utf8.allSatisfy { (0x20...0x7E).contains($0) }
    }

    /// 7 bytes and the three texts.
    package var encoded: [UInt8] {
        tokenType.bigEndianBytes
            + UInt16(issuerName.utf8.count).bigEndianBytes + issuerName.utf8
            + [UInt8(redemptionContext.count)] + redemptionContext
            + UInt16(originInfo.utf8.count).bigEndianBytes + originInfo.utf8
    }

    /// SHA-256 of ``encoded``, the form in which a token carries its challenge.
    package var digest: [UInt8] { Array(SHA256.hash(data: encoded)) }

    /// Reads a challenge of any token type that has this structure, as types 1 and 2 do.
    package init(decoding bytes: [UInt8]) throws(TokenFormatError) {
        var reader = ByteReader(bytes)
        guard let tokenType = reader.uint16() else { throw .truncated(.challenge, offset: reader.offset) }
        let issuerName = try Self.text(&reader, length: reader.uint16().map(Int.init))
        let contextOffset = reader.offset
        guard let contextLength = reader.byte(), let context = reader.take(Int(contextLength)) else {
            throw .truncated(.challenge, offset: contextOffset)
        }
        let originInfo = try Self.text(&reader, length: reader.uint16().map(Int.init))
        guard reader.isAtEnd else { throw .trailingBytes(.challenge, count: reader.remaining) }
        try self.init(
            tokenType: tokenType, issuerName: issuerName, redemptionContext: Array(context),
            originInfo: originInfo)
    }

    /// Text that is not ASCII comes out as characters that are none either, and is refused for it.
    private static func text(_ reader: inout ByteReader, length: Int?) throws(TokenFormatError) -> String {
        guard let length, let bytes = reader.take(length) else {
            throw .truncated(.challenge, offset: reader.offset)
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
