/// One scheme with its parameters, from a field like `WWW-Authenticate` (RFC 9110, section 11).
struct HTTPAuthChallenge: Hashable {
    static let privateTokenScheme = "privatetoken"

    let scheme: String
    /// Values by lower-case name, quotes and escapes removed. Empty for a scheme with one opaque value.
    let parameters: [String: String]

    /// Reads all challenges of a field.
    ///
    /// Commas separate challenges as well as parameters. A name is a parameter if an equals
    /// sign follows, otherwise it is the next scheme.
    static func parse(_ value: String) throws(HTTPAuthSyntaxError) -> [HTTPAuthChallenge] {
        var scanner = Scanner(value)
        var challenges: [HTTPAuthChallenge] = []
        while scanner.skipSeparators() {
            let scheme = try scanner.token()
            var parameters: [String: String] = [:]
            if scanner.skipBlanks(), !scanner.skipOpaqueValue() {
                while let (name, value) = try scanner.parameter() {
                    guard parameters.updateValue(value, forKey: name) == nil else {
                        throw .duplicateParameter(name)
                    }
                }
            }
            challenges.append(HTTPAuthChallenge(scheme: scheme, parameters: parameters))
        }
        return challenges
    }
}

/// The place where a field with challenges stops following the grammar.
package enum HTTPAuthSyntaxError: Error, Hashable, Sendable {
    /// A character that cannot stand there; the offset is in bytes.
    case unexpectedByte(UInt8, offset: Int)
    case unexpectedEnd
    case duplicateParameter(String)
}

extension HTTPAuthSyntaxError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .unexpectedByte(let byte, let offset):
            "byte \(byte) cannot stand at byte \(offset) of an authentication field"
        case .unexpectedEnd:
            "the authentication field ends inside a parameter"
        case .duplicateParameter(let name):
            "the parameter '\(name)' occurs twice in one challenge"
        }
    }
}

private struct Scanner {
    private let bytes: [UInt8]
    private var offset = 0

    init(_ text: String) {
        bytes = Array(text.utf8)
    }

    private var current: UInt8? { offset < bytes.count ? bytes[offset] : nil }

    private mutating func skip(_ byte: UInt8) -> Bool {
        guard current == byte else { return false }
        offset += 1
        return true
    }

    /// - Returns: `false` if there was nothing to skip.
    mutating func skipBlanks() -> Bool {
        let start = offset
        while current == UInt8(ascii: " ") || current == UInt8(ascii: "\t") { offset += 1 }
        return offset > start
    }

    /// Empty list elements are allowed, so any number of commas separates.
    ///
    /// - Returns: `false` at the end of the text.
    mutating func skipSeparators() -> Bool {
        while skipBlanks() || skip(UInt8(ascii: ",")) {}
        return current != nil
    }

    mutating func token() throws(HTTPAuthSyntaxError) -> String {
        let start = offset
        while let byte = current, Self.isToken(byte) { offset += 1 }
        guard offset > start else { throw unexpected }
        return String(decoding: bytes[start..<offset], as: UTF8.self)
    }

    /// Skips a `token68`, the one value that some schemes have instead of parameters.
    mutating func skipOpaqueValue() -> Bool {
        var ahead = self
        while let byte = ahead.current, Self.isOpaque(byte) { ahead.offset += 1 }
        guard ahead.offset > offset else { return false }
        while ahead.skip(UInt8(ascii: "=")) {}
        _ = ahead.skipBlanks()
        guard ahead.current == nil || ahead.current == UInt8(ascii: ",") else { return false }
        self = ahead
        return true
    }

    /// The next parameter of this challenge, or `nil` (and no movement) at the next challenge or the end.
    mutating func parameter() throws(HTTPAuthSyntaxError) -> (name: String, value: String)? {
        var ahead = self
        guard ahead.skipSeparators() else { return nil }
        let name = try ahead.token()
        _ = ahead.skipBlanks()
        guard ahead.skip(UInt8(ascii: "=")) else { return nil }
        _ = ahead.skipBlanks()
        let value = try ahead.current == UInt8(ascii: "\"") ? ahead.quotedString() : ahead.bareValue()
        _ = ahead.skipBlanks()
        guard ahead.current == nil || ahead.current == UInt8(ascii: ",") else { throw ahead.unexpected }
        self = ahead
        return (name.lowercased(), value)
    }

    /// A token, and behind it the padding of base64url, which the grammar allows only between
    /// quotes but writers forget to quote.
    private mutating func bareValue() throws(HTTPAuthSyntaxError) -> String {
        var value = try token()
        while skip(UInt8(ascii: "=")) { value += "=" }
        return value
    }

    private mutating func quotedString() throws(HTTPAuthSyntaxError) -> String {
        offset += 1
        var content: [UInt8] = []
        while let byte = current {
            offset += 1
            switch byte {
            case UInt8(ascii: "\""):
                return String(decoding: content, as: UTF8.self)
            case UInt8(ascii: "\\"):
                guard let escaped = current else { throw .unexpectedEnd }
                offset += 1
                content.append(escaped)
            default:
                content.append(byte)
            }
        }
        throw .unexpectedEnd
    }

    private var unexpected: HTTPAuthSyntaxError {
        current.map { .unexpectedByte($0, offset: offset) } ?? .unexpectedEnd
    }

    private static func isAlphanumeric(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
            || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }

    private static func isToken(_ byte: UInt8) -> Bool {
        isAlphanumeric(byte) || "!#$%&'*+-.^_`|~".utf8.contains(byte)
    }

    private static func isOpaque(_ byte: UInt8) -> Bool {
        isAlphanumeric(byte) || "-._~+/".utf8.contains(byte)
    }
}
