import Foundation

/// The text form of bytes in Privacy Pass headers and directories (RFC 4648, section 5).
///
/// RFC 9577 wants the padding written. A reader that knows it meets writers who leave it
/// out, as those of tokens may (their length needs none), can say so.
package enum Base64URL {
    package enum Padding: Sendable {
        /// `=` up to a multiple of four characters, no more and no fewer.
        case required
        /// Exact padding or none at all.
        case optional
    }

    /// The text of `bytes`, padded.
    package static func encode(_ bytes: [UInt8]) -> String {
        String(decoding: translated(Data(bytes).base64EncodedData(), "+-", "/_"), as: UTF8.self)
    }

    /// The bytes of `text`, or `nil` when it has a foreign character, the wrong padding, or
    /// bits set that no byte uses. So every byte string has one text, or two where padding is optional.
    package static func decode(_ text: some StringProtocol, padding: Padding = .required) -> [UInt8]? {
        var digits = Data(text.utf8)
        if padding == .optional, digits.last != UInt8(ascii: "=") {
            digits.append(contentsOf: repeatElement(UInt8(ascii: "="), count: (4 - digits.count % 4) % 4))
        }
        guard let bytes = Data(base64Encoded: translated(digits, "-+", "_/")) else { return nil }
        // Foundation takes the standard alphabet and bits that no byte uses; the text of the bytes has neither.
        let text = translated(bytes.base64EncodedData(), "+-", "/_")
        return text == digits ? Array(bytes) : nil
    }

    /// - Parameters:
    ///   - first: A character, and what takes its place.
    private static func translated(_ text: Data, _ first: StaticString, _ second: StaticString) -> Data {
        var text = text
        for pair in [first, second] {
            let (old, new) = (pair.utf8Start[0], pair.utf8Start[1])
            for index in text.indices where text[index] == old { text[index] = new }
        }
        return text
    }
}
