/// Residues of one polynomial for one modulus.
package typealias Row = UnsafeBufferPointer<UInt64>

/// Residues of one polynomial for one modulus, to be changed in place.
package typealias MutableRow = UnsafeMutableBufferPointer<UInt64>

/// An element of the ring, as one row of residues per modulus.
///
/// It does not know its moduli: rows always belong to the first moduli of the ``BFVContext`` in use.
package struct Polynomial: Hashable, Sendable {
    /// What the numbers of a row are.
    package enum Form: Hashable, Sendable {
        /// Coefficients of X^0 … X^(N-1).
        case coefficient
        /// Values at the odd powers of the modulus' smallest primitive 2N-th root of unity, in
        /// bit-reversed order (PIR protocol fact sheet, section 2).
        case evaluation
    }

    /// Numbers per row, `N`.
    package let degree: Int

    package let rowCount: Int

    package internal(set) var form: Form

    /// All rows, one after the other. Each residue is below its modulus.
    package internal(set) var residues: [UInt64]

    /// The zero polynomial.
    init(degree: Int, rowCount: Int, form: Form) {
        self.degree = degree
        self.rowCount = rowCount
        self.form = form
        residues = Array(repeating: 0, count: degree * rowCount)
    }

    /// Rows that a caller has computed, one after the other.
    init(degree: Int, form: Form, residues: [UInt64]) {
        precondition(residues.count.isMultiple(of: degree), "rows of \(degree) residues expected")
        self.degree = degree
        rowCount = residues.count / degree
        self.form = form
        self.residues = residues
    }

    func withRow<Result>(_ index: Int, _ body: (Row) -> Result) -> Result {
        residues.withUnsafeBufferPointer { all in
            body(Row(rebasing: all[index * degree..<(index + 1) * degree]))
        }
    }

    mutating func withMutableRow<Result>(_ index: Int, _ body: (MutableRow) -> Result) -> Result {
        let degree = degree
        return residues.withUnsafeMutableBufferPointer { all in
            body(MutableRow(rebasing: all[index * degree..<(index + 1) * degree]))
        }
    }

    /// The same polynomial over the first moduli only.
    func prefix(rowCount: Int) -> Polynomial {
        rowCount == self.rowCount
            ? self
            : Polynomial(degree: degree, form: form, residues: Array(residues[..<(rowCount * degree)]))
    }
}
