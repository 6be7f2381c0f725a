/// Why bytes are not a binary HTTP message, or why a message cannot be written as one.
package struct BinaryHTTPError: Error, Hashable, Sendable {
    /// A part of a message, in the words of RFC 9292.
    package enum Part: String, Sendable {
        case framing = "framing indicator"
        case method
        case scheme
        case authority
        case path
        case status = "status code"
        case fieldSection = "field section"
        case fieldName = "field name"
        case fieldValue = "field value"
        case content
        case trailers = "trailer section"
    }

    package enum Problem: Hashable, Sendable {
        /// The message ends inside the part, or the part claims more bytes than there are.
        case truncated(Part)
        /// The framing indicator is none of 0...3.
        case unknownFraming(UInt64)
        /// A response where a request is expected, or the other way round.
        case wrongKind(framing: UInt64, expected: [UInt64])
        /// The method, scheme, authority or path is empty where it may not be or has a byte HTTP forbids.
        /// `found` is at most 64 characters of it.
        case forbiddenControlData(Part, found: String)
        case statusOutOfRange(UInt64, allowed: ClosedRange<UInt64>)
        case emptyFieldName
        case forbiddenFieldName(String)
        /// NUL, CR or LF anywhere, or a space or tab at an end (RFC 9113, section 8.2.1).
        case forbiddenFieldValue(name: String)
        /// A field that repeats control data, follows a regular field or is in a trailer section.
        case misplacedPseudoField(String)
        case paddingNotZero(UInt8)
        case messageTooLong(found: Int, limit: Int)
        case tooManyFields(limit: Int)
        case fieldSectionTooLong(limit: Int)
        case tooManyInformationalResponses(limit: Int)
    }

    package let problem: Problem
    /// Bytes from the start of the message to the part at fault. When a message is
    /// being written, the bytes written so far.
    package let offset: Int
}

extension BinaryHTTPError: CustomStringConvertible {
    package var description: String { "byte \(offset): \(problem)" }
}

extension BinaryHTTPError.Problem: CustomStringConvertible {
    package var description: String {
        switch self {
        case .truncated(let part):
            "the message ends inside its \(part.rawValue)"
        case .unknownFraming(let found):
            "the framing indicator is \(found); it must be in 0...3"
        case .wrongKind(let found, let expected):
            "the framing indicator is \(found); this kind of message has "
                + expected.map(String.init).joined(separator: " or ")
        case .forbiddenControlData(let part, let found):
            "the \(part.rawValue) is '\(found)'; HTTP does not allow that"
        case .statusOutOfRange(let found, let allowed):
            "the status code is \(found); it must be in \(allowed.lowerBound)...\(allowed.upperBound)"
        case .emptyFieldName:
            "a field name has no characters; it needs at least 1"
        case .forbiddenFieldName(let name):
            "the field name is '\(name)'; only letters, digits and !#$%&'*+-.^_`|~ are allowed"
        case .forbiddenFieldValue(let name):
            "the value of field '\(name)' has a NUL, CR or LF, or starts or ends with a space or tab"
        case .misplacedPseudoField(let name):
            "the pseudo-field '\(name)' is not allowed here"
        case .paddingNotZero(let byte):
            "a padding byte is \(byte); it must be 0"
        case .messageTooLong(let found, let limit):
            "the message has \(found) bytes; at most \(limit) are accepted"
        case .tooManyFields(let limit):
            "the message has more than \(limit) fields"
        case .fieldSectionTooLong(let limit):
            "a field section has more than \(limit) bytes"
        case .tooManyInformationalResponses(let limit):
            "the message has more than \(limit) informational responses"
        }
    }
}
