package import HomomorphicEncryption

/// A database ready to answer queries: plaintexts in evaluation form, arranged by dimension.
///
/// Source: PIR protocol fact sheet, section 9.3. For a keyword database there is a table per hash function.
package struct ProcessedDatabase: Sendable {
    package let shape: DatabaseShape

    /// Plaintexts of each table; nil stands for one that is all zero.
    ///
    /// Chunk by chunk, in a chunk column by column. With `R` rows (the first dimension) and `C` columns, place
    /// `c·R + r` of a chunk holds what the query addresses as `r·C + c`.
    package let tables: [[EvaluationPlaintext?]]

    init(shape: DatabaseShape, tables: [[EvaluationPlaintext?]]) {
        precondition(
            tables.allSatisfy { $0.count == shape.plaintextCount },
            "every table has \(shape.plaintextCount) places")
        self.shape = shape
        self.tables = tables
    }

    /// Encodes the entries of each table.
    ///
    /// - Parameters:
    ///   - entries: Per table `shape.entryCount` entries of at most `shape.entrySize` bytes.
    ///   - context: For the parameters whose plaintexts the shape was made for.
    package init(entries: [[[UInt8]]], shape: DatabaseShape, context: BFVContext) throws {
        precondition(
            shape.bytesPerPlaintext == context.parameters.bytesPerPlaintext,
            "the shape was made for plaintexts of \(shape.bytesPerPlaintext) bytes")
        let tables = try entries.map { table in
            precondition(table.count == shape.entryCount, "a table has \(shape.entryCount) entries")
            return try (0..<shape.chunkCount).flatMap { chunk in
                try (0..<shape.plaintextsPerChunk).map { place in
                    let bytes = Self.bytes(at: place, chunk: chunk, of: table, shape: shape)
                    guard bytes.contains(where: { $0 != 0 }) else { return EvaluationPlaintext?.none }
                    return context.evaluationPlaintext(try context.plaintext(bytes: bytes))
                }
            }
        }
        self.init(shape: shape, tables: tables)
    }

    /// What one plaintext of a table carries.
    private static func bytes(
        at place: Int, chunk: Int, of table: [[UInt8]], shape: DatabaseShape
    ) -> [UInt8] {
        let rowCount = shape.dimensions[0]
        let columnCount = shape.plaintextsPerChunk / rowCount
        let number = place % rowCount * columnCount + place / rowCount
        let first = number * shape.entriesPerPlaintext
        guard first < table.count else { return [] }
        if shape.entriesPerPlaintext == 1, shape.chunkCount > 1 {
            return Array(
                table[first].dropFirst(chunk * shape.bytesPerPlaintext).prefix(shape.bytesPerPlaintext))
        }
        let entries = table[first..<min(table.count, first + shape.entriesPerPlaintext)]
        return entries.flatMap { entry in
            precondition(entry.count <= shape.entrySize, "an entry has at most \(shape.entrySize) bytes")
            return entry + repeatElement(0, count: shape.entrySize - entry.count)
        }
    }
}
