package import Foundation

/// Values as the JSON that the program writes: keys in alphabetical order, slashes as they are.
package enum JSONText {
    /// The documents that `--json` prints and directories hold, with two spaces to a level.
    ///
    /// - Returns: Text that ends with a newline.
    package static func render(_ value: some Encodable) throws -> String {
        String(decoding: try encode(value, .prettyPrinted), as: UTF8.self) + "\n"
    }

    /// The same on one line without its end, for messages and for the elements of a long document that is written piece
    /// by piece.
    package static func renderLine(_ value: some Encodable) throws -> String {
        String(decoding: try line(value), as: UTF8.self)
    }

    /// The bytes of ``renderLine(_:)``.
    package static func line(_ value: some Encodable) throws -> Data { try encode(value, []) }

    private static func encode(_ value: some Encodable, _ layout: JSONEncoder.OutputFormatting) throws -> Data
    {
        let encoder = JSONEncoder()
        encoder.outputFormatting = layout.union([.sortedKeys, .withoutEscapingSlashes])
        return try encoder.encode(value)
    }
}
