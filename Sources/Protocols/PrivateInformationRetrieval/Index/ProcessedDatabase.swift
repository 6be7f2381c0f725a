package import HomomorphicEncryption

/// A database ready to answer queries: plaintexts in evaluation form, arranged by dimension.
///
/// Source: article "PIR protocol", section "Database encoding". For a keyword database there is a table per hash
/// function.
package struct ProcessedDatabase: Sendable {
    package let shape: DatabaseShape

    package let tableCount: Int

    /// A grid per table and chunk, chunk by chunk in a table.
    ///
    /// With `R` rows (the first dimension) and `C` columns, column `c` and row `r` of a grid hold what the query
    /// addresses as `r·C + c`.
    let grids: PlaintextGrids

    /// Whether a plaintext is stored as empty, which stands for all zero, for every place of a file.
    package let isEmpty: [Bool]

    init(shape: DatabaseShape, tableCount: Int, grids: PlaintextGrids, isEmpty: [Bool]) {
        precondition(
            isEmpty.count == tableCount * shape.plaintextCount,
            "every table has \(shape.plaintextCount) places")
        self.shape = shape
        self.tableCount = tableCount
        self.grids = grids
        self.isEmpty = isEmpty
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
        let grids = Self.emptyGrids(shape: shape, tableCount: entries.count, context: context)
        var isEmpty: [Bool] = []
        isEmpty.reserveCapacity(entries.count * shape.plaintextCount)
        for (number, table) in entries.enumerated() {
            precondition(table.count == shape.entryCount, "a table has \(shape.entryCount) entries")
            for chunk in 0..<shape.chunkCount {
                for place in 0..<shape.plaintextsPerChunk {
                    let bytes = Self.bytes(at: place, chunk: chunk, of: table, shape: shape)
                    let hasContents = bytes.contains { $0 != 0 }
                    isEmpty.append(!hasContents)
                    guard hasContents else { continue }
                    grids.store(
                        try context.plaintext(bytes: bytes), grid: number * shape.chunkCount + chunk,
                        column: place / grids.rowCount, row: place % grids.rowCount)
                }
            }
        }
        self.init(shape: shape, tableCount: entries.count, grids: grids, isEmpty: isEmpty)
    }

    /// Plaintexts of all tables, empty ones included.
    package var plaintextCount: Int { isEmpty.count }

    /// Memory of the plaintexts, in bytes: the size of the database in evaluation form.
    package var byteCount: Int { grids.byteCount }

    static func emptyGrids(shape: DatabaseShape, tableCount: Int, context: BFVContext) -> PlaintextGrids {
        PlaintextGrids(
            gridCount: tableCount * shape.chunkCount,
            columnCount: shape.plaintextsPerChunk / shape.dimensions[0], rowCount: shape.dimensions[0],
            context: context)
    }

    /// Bytes that one plaintext of a table carries.
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
        var bytes: [UInt8] = []
        bytes.reserveCapacity(shape.entriesPerPlaintext * shape.entrySize)
        for entry in table[first..<min(table.count, first + shape.entriesPerPlaintext)] {
            precondition(entry.count <= shape.entrySize, "an entry has at most \(shape.entrySize) bytes")
            bytes += entry
            bytes += repeatElement(0, count: shape.entrySize - entry.count)
        }
        return bytes
    }
}
