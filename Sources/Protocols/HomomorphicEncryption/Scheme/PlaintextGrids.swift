import RingKernels

/// Messages in evaluation form, in grids of columns and rows, in the order in which a scan reads them.
///
/// One piece of memory per modulus, without anything between. Messages can be stored by several threads at once if
/// their places differ.
package final class PlaintextGrids: Sendable {
    package let gridCount: Int
    package let columnCount: Int
    package let rowCount: Int

    private let context: BFVContext
    /// Per ciphertext modulus.
    private let memories: [RowMemory]
    /// Bytes from a grid to the next.
    private let gridByteCount: Int

    /// Grids of zeros.
    package init(gridCount: Int, columnCount: Int, rowCount: Int, context: BFVContext) {
        self.gridCount = gridCount
        self.columnCount = columnCount
        self.rowCount = rowCount
        self.context = context
        let plaintextByteCount = context.parameters.polynomialDegree * context.wordByteCount
        let gridByteCount = (columnCount * rowCount * plaintextByteCount + 63) & ~63
        self.gridByteCount = gridByteCount
        memories = (0..<context.parameters.ciphertextModulusCount).map { _ in
            RowMemory(byteCount: gridCount * gridByteCount)
        }
    }

    /// Memory, in bytes.
    package var byteCount: Int { memories.reduce(0) { $0 + $1.byteCount } }

    /// Encodes a message and stores it.
    package func store(_ plaintext: Plaintext, grid: Int, column: Int, row: Int) {
        context.withWorkspace { workspace in
            let rows = context.rows(memories.count, workspace)
            context.lift(plaintext.coefficients, into: rows)
            store(rows, grid: grid, column: column, row: row)
        }
    }

    /// Stores a message from its bytes in a file: packed residues in evaluation form.
    package func store(
        serialized bytes: ArraySlice<UInt8>, grid: Int, column: Int, row: Int
    ) throws(SerializationError) {
        try context.withWorkspace { workspace throws(SerializationError) in
            let rows = context.rows(memories.count, workspace)
            try context.read(bytes, into: rows, name: "plaintext")
            store(rows, grid: grid, column: column, row: row)
        }
    }

    /// A message as the file has it: packed residues in evaluation form.
    package func serialized(grid: Int, column: Int, row: Int) -> [UInt8] {
        var polynomial = context.polynomial(rowCount: memories.count, form: .evaluation)
        let rows = polynomial.mutableRows
        for modulus in memories.indices {
            rk_scan_load(
                context.rings[modulus].kernel, start(grid: grid, modulus: modulus), columnCount, rowCount,
                column, row, rows[modulus])
        }
        return context.serialized(polynomial)
    }

    /// The beginning of a grid, modulo one of the moduli.
    func start(grid: Int, modulus: Int) -> UnsafeMutableRawPointer {
        precondition((0..<gridCount).contains(grid), "grid \(grid) of \(gridCount)")
        return memories[modulus].start + grid * gridByteCount
    }

    private func store(_ rows: Rows, grid: Int, column: Int, row: Int) {
        precondition(
            (0..<columnCount).contains(column) && (0..<rowCount).contains(row),
            "place (\(column), \(row)) of \(columnCount) columns and \(rowCount) rows")
        for modulus in memories.indices {
            rk_scan_store(
                context.rings[modulus].kernel, start(grid: grid, modulus: modulus), columnCount, rowCount,
                column, row, rows[modulus])
        }
    }
}
