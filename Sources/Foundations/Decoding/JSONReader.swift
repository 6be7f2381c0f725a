package import Foundation

/// Reads JSON that somebody else wrote. The only way in which the program decodes JSON.
package enum JSONReader {
    /// - Throws: `DecodingError`, with the path of what is wrong.
    package static func read<Document: Decodable>(
        _ type: Document.Type, from data: Data
    ) throws -> Document {
        // Foundation of Swift 6.3 traps where the bracket that nests too deep, the 513th, is the last byte: it wants to
        // tell the line and column behind it. No JSON ends in a bracket that opens.
        guard data.last != UInt8(ascii: "[") else {
            throw DecodingError.dataCorrupted(
                .init(codingPath: [], debugDescription: "the text ends with a bracket that opens"))
        }
        return try JSONDecoder().decode(type, from: data)
    }
}
