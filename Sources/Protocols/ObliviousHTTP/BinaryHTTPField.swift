/// One header or trailer field.
package struct BinaryHTTPField: Hashable, Sendable {
    /// Letters, digits and a few signs; binary HTTP prefers lower case but does not demand it.
    package let name: String
    /// Bytes without NUL, CR and LF and without spaces or tabs at the ends. May be empty.
    package let value: [UInt8]

    /// The value as text, or `nil` when it is not UTF-8.
    package var text: String? { String(validating: value, as: UTF8.self) }

    package init(name: String, value: [UInt8]) {
        self.name = name
        self.value = value
    }

    package init(_ name: String, _ text: String) {
        self.init(name: name, value: Array(text.utf8))
    }

    /// Why HTTP forbids this field in a section, or `nil`.
    ///
    /// - Parameter pseudoFieldsAllowed: `false` in trailers and behind a regular field.
    func problem(pseudoFieldsAllowed: Bool) -> BinaryHTTPError.Problem? {
        guard !name.isEmpty else { return .emptyFieldName }
        let token = isPseudoField ? name.utf8.dropFirst() : name.utf8[...]
        guard !token.isEmpty, token.allSatisfy(HTTPCharacters.isToken) else {
            return .forbiddenFieldName(String(name.prefix(64)))
        }
        if isPseudoField, !pseudoFieldsAllowed || Self.controlDataNames.contains(name.lowercased()) {
            return .misplacedPseudoField(name)
        }
        let ends = [value.first, value.last]
        guard !value.contains(where: { $0 == 0 || $0 == 0x0A || $0 == 0x0D }),
            !ends.contains(0x20), !ends.contains(0x09)
        else { return .forbiddenFieldValue(name: name) }
        return nil
    }

    /// A name that starts with a colon, for example `:protocol` (RFC 9292, section 3.6).
    var isPseudoField: Bool { name.utf8.first == UInt8(ascii: ":") }

    /// Names of what a message says in its control data, and may not say again as a field.
    private static let controlDataNames: Set<String> = [
        ":method", ":scheme", ":authority", ":path", ":status",
    ]
}

extension Sequence<BinaryHTTPField> {
    /// The first field of that name, whose letters may be of either case.
    package func first(named name: String) -> BinaryHTTPField? {
        let wanted = name.lowercased()
        return first { $0.name.lowercased() == wanted }
    }
}

/// The character classes of RFC 9110 and RFC 3986 that a message is checked against.
enum HTTPCharacters {
    static func isToken(_ byte: UInt8) -> Bool {
        isLetter(byte) || isDigit(byte) || "!#$%&'*+-.^_`|~".utf8.contains(byte)
    }

    static func isScheme(_ byte: UInt8) -> Bool {
        isLetter(byte) || isDigit(byte) || "+-.".utf8.contains(byte)
    }

    /// Printable ASCII without the space: all that an authority or a path is made of.
    static func isVisible(_ byte: UInt8) -> Bool { (0x21...0x7E).contains(byte) }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }
}
