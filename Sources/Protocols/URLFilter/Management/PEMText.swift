import Foundation

/// A binary message written as text between two lines (RFC 7468, sections 8 and 9), as `openssl smime -outform PEM`
/// writes it.
enum PEMText {
    private static let opening = "-----BEGIN "
    /// Labels of signed messages; tools write either.
    private static let labels = ["CMS", "PKCS7"]

    static func isPEM(_ bytes: [UInt8]) -> Bool {
        bytes.drop { $0 <= 0x20 }.starts(with: opening.utf8)
    }

    /// The message between the lines.
    static func read(_ bytes: [UInt8]) throws(PropertyFault) -> [UInt8] {
        let lines = String(decoding: bytes, as: UTF8.self).split(
            omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        let first = lines.firstIndex { $0.hasPrefix(opening) } ?? 0
        let label = lines[first].dropFirst(opening.count).prefix { $0 != "-" }
        guard labels.contains(String(label)) else {
            throw PropertyFault(
                line: first + 1, message: "a PEM text of '\(label.prefix(40))', not of a signed profile")
        }
        guard let last = lines.firstIndex(where: { $0.hasPrefix("-----END \(label)-----") }), last > first
        else {
            throw PropertyFault(
                line: lines.count, message: "the PEM text has no line '-----END \(label)-----': it is cut")
        }
        let text = lines[(first + 1)..<last].joined()
        guard let message = Data(base64Encoded: text) else {
            throw PropertyFault(line: first + 2, message: "what stands in the PEM text is not base64")
        }
        return Array(message)
    }
}
