/// The two-byte number that says how tokens are made (RFC 9577, section 2.1.1).
package enum TokenType {
    /// Blind RSA with 2048 bits, publicly verifiable (RFC 9578, section 6). The only type the
    /// URL filter uses and the only one this module makes.
    package static let blindRSA2048: UInt16 = 0x0002
}

/// Why bytes are not the Privacy Pass structure they should be.
package enum TokenFormatError: Error, Hashable, Sendable {
    package enum Structure: String, Sendable {
        case challenge = "token challenge"
        case token
        case request = "token request"
        case response = "token response"
    }

    /// A structure of one fixed length has another one.
    case length(Structure, found: Int, expected: Int)
    /// A structure of varying length ends inside a part of it.
    case truncated(Structure, offset: Int)
    case trailingBytes(Structure, count: Int)
    /// A token type this module does not make.
    case tokenType(Structure, found: UInt16)
    case issuerName(String)
    case redemptionContextLength(Int)
    case originInfo(String)
}

extension TokenFormatError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .length(let structure, let found, let expected):
            "the \(structure.rawValue) has \(found) bytes; it must have \(expected)"
        case .truncated(let structure, let offset):
            "the \(structure.rawValue) ends too early, in the part at byte \(offset)"
        case .trailingBytes(let structure, let count):
            "\(count) bytes follow the \(structure.rawValue)"
        case .tokenType(let structure, let found):
            "the \(structure.rawValue) has token type \(found); only type 2, blind RSA, is supported"
        case .issuerName(let name):
            "the issuer name is '\(name)'; it must be 1 to 65535 printable ASCII characters"
        case .redemptionContextLength(let found):
            "the redemption context has \(found) bytes; it must have 0 or 32"
        case .originInfo(let info):
            "the origin info is '\(info)'; it must be at most 65535 printable ASCII characters"
        }
    }
}

extension UInt16 {
    /// The two bytes of the number, most significant first.
    var bigEndianBytes: [UInt8] { [UInt8(self >> 8), UInt8(self & 0xFF)] }
}
