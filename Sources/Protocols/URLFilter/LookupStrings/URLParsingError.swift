import Decoding

/// Why a URL has no lookup strings.
///
/// On a device it is an error in both fail modes (article "Device", section "Fail mode", error 3).
package enum URLParsingError: InputFault, Equatable {
    case empty
    case tooLong(Int, allowed: Int)
    /// A scheme that never reaches a web server.
    case notWeb(scheme: String)
    /// A byte that no host may have, in one whose percent-encoding was decoded.
    case forbiddenInHost(UInt8, host: String)
    /// A control character, or a character that cannot be in a host name.
    case forbiddenByte(UInt8, offset: Int)
    case notUTF8
    /// Not ASCII, and Foundation cannot encode it.
    case notConvertible
    case noScheme
    case noHost
    case hostTooLong(Int, allowed: Int)
    case emptyLabel(host: String)
    case malformedAddress(String)
    case malformedPort(String)
    case tooManyStrings(Int, allowed: Int)
}

extension URLParsingError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .empty: "the URL is empty"
        case .tooLong(let got, let allowed):
            "the URL has \(got) bytes; at most \(allowed) are expanded"
        case .notWeb(let scheme): "no web URL: scheme \(scheme)"
        case .forbiddenInHost(let byte, let host):
            "the host '\(host)' has \(Self.name(byte)), which no host may have"
        case .forbiddenByte(let byte, let offset):
            "the URL has \(Self.name(byte)) at offset \(offset), where none may be"
        case .notUTF8: "the URL is not ASCII and not UTF-8"
        case .notConvertible: "the URL is not ASCII and cannot be written with Punycode and percent-encoding"
        case .noScheme: "the URL has no scheme; write for example https://example.com"
        case .noHost: "the URL has no host after its scheme"
        case .hostTooLong(let got, let allowed):
            "the host has \(got) bytes; a host name has at most \(allowed)"
        case .emptyLabel(let host): "the host '\(host)' has two dots in a row or starts with one"
        case .malformedAddress(let text): "the host '\(text)' is not an IPv6 address in square brackets"
        case .malformedPort(let text): "the port is '\(text)'; it must be a number in 0...65535"
        case .tooManyStrings(let got, let allowed):
            "the URL would expand to \(got) lookup strings; at most \(allowed) are made"
        }
    }

    private static func name(_ byte: UInt8) -> String {
        switch byte {
        case 0x20: "a blank"
        case 0x00..<0x20, 0x7F: "a control character (byte \(byte))"
        case 0x21..<0x7F: "the character '\(UnicodeScalar(byte))'"
        default: "byte \(byte)"
        }
    }
}
