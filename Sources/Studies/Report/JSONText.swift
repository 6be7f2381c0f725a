import Foundation

/// Values as the JSON documents that `--json` prints: keys in alphabetical order, two spaces, slashes as they are.
package enum JSONText {
    /// - Returns: Text that ends with a newline.
    package static func render(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        encoder.nonConformingFloatEncodingStrategy = .throw
        return String(decoding: try encoder.encode(value), as: UTF8.self) + "\n"
    }

    /// The same on one line, for the elements of a long document that is written piece by piece.
    package static func renderLine(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }
}
