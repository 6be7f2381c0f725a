/// An element of the ring, as one row of residues per modulus.
///
/// It does not know its moduli: rows always belong to the first moduli of the ``BFVContext`` in use.
package struct Polynomial: Sendable {
    /// Meaning of the numbers in a row.
    package enum Form: Hashable, Sendable {
        /// Coefficients of X^0 … X^(N-1).
        case coefficient
        /// Values at the odd powers of the modulus' smallest primitive 2N-th root of unity, in
        /// bit-reversed order (article "Homomorphic encryption", section "Ring and transform").
        case evaluation
    }

    /// Numbers per row, `N`.
    package let degree: Int

    package let rowCount: Int

    /// Bytes of a residue: 4 or 8.
    package let wordByteCount: Int

    package internal(set) var form: Form

    /// All rows, one after the other. Each residue is below its modulus.
    private var memory: RowMemory

    /// The zero polynomial.
    init(degree: Int, rowCount: Int, wordByteCount: Int, form: Form) {
        self.degree = degree
        self.rowCount = rowCount
        self.wordByteCount = wordByteCount
        self.form = form
        memory = RowMemory(byteCount: rowCount * Rows.stride(degree: degree, wordByteCount: wordByteCount))
    }

    /// Rows from numbers, one after the other.
    package init(degree: Int, wordByteCount: Int, form: Form, residues: [UInt64]) {
        precondition(residues.count.isMultiple(of: degree), "rows of \(degree) residues expected")
        self.init(
            degree: degree, rowCount: residues.count / degree, wordByteCount: wordByteCount, form: form)
        for (place, residue) in residues.enumerated() {
            let row = rows[place / degree]
            if wordByteCount == 4 {
                row.storeBytes(of: UInt32(residue), toByteOffset: 4 * (place % degree), as: UInt32.self)
            } else {
                row.storeBytes(of: residue, toByteOffset: 8 * (place % degree), as: UInt64.self)
            }
        }
    }

    /// All residues as numbers, row after row.
    package var residues: [UInt64] {
        (0..<rowCount).flatMap { row in
            (0..<degree).map { index in
                wordByteCount == 4
                    ? UInt64(rows[row].load(fromByteOffset: 4 * index, as: UInt32.self))
                    : rows[row].load(fromByteOffset: 8 * index, as: UInt64.self)
            }
        }
    }

    /// The rows, to be read only, and only while the polynomial exists unchanged.
    var rows: Rows {
        Rows(
            start: memory.start, stride: Rows.stride(degree: degree, wordByteCount: wordByteCount),
            count: rowCount)
    }

    /// The rows, to be changed by the caller before anything else happens to the polynomial.
    var mutableRows: Rows {
        mutating get {
            if !isKnownUniquelyReferenced(&memory) {
                memory = RowMemory(copying: memory, byteCount: memory.byteCount)
            }
            return rows
        }
    }

    /// Fills a secret polynomial with zeros by a call that the optimizer may not drop.
    mutating func overwrite() {
        let rows = mutableRows
        HomomorphicEncryption.overwrite(
            UnsafeMutableRawBufferPointer(start: rows.start, count: rows.count * rows.stride))
    }

    /// Changes a row in place.
    package mutating func withMutableRow(_ index: Int, _ body: (UnsafeMutableRawPointer) -> Void) {
        body(mutableRows[index])
    }

    /// Reads a row.
    package func withRow<Result>(_ index: Int, _ body: (UnsafeRawPointer) -> Result) -> Result {
        withExtendedLifetime(memory) { body(UnsafeRawPointer(rows[index])) }
    }
}

extension Polynomial: Hashable {
    package static func == (left: Self, right: Self) -> Bool {
        left.degree == right.degree && left.rowCount == right.rowCount && left.form == right.form
            && left.wordByteCount == right.wordByteCount
            && (0..<left.rowCount).allSatisfy { row in
                left.withRow(row) { x in
                    right.withRow(row) { y in
                        UnsafeRawBufferPointer(start: x, count: left.degree * left.wordByteCount)
                            .elementsEqual(
                                UnsafeRawBufferPointer(start: y, count: left.degree * left.wordByteCount))
                    }
                }
            }
    }

    package func hash(into hasher: inout Hasher) {
        for row in 0..<rowCount {
            withRow(row) {
                hasher.combine(bytes: UnsafeRawBufferPointer(start: $0, count: degree * wordByteCount))
            }
        }
    }
}
