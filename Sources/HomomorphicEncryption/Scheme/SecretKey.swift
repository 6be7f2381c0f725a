/// The client's secret: a polynomial with coefficients -1, 0 and 1.
///
/// It never leaves the client. Its memory is overwritten when the last reference goes away; copies that
/// arithmetic makes on the way are not.
package final class SecretKey: Sendable {
    let degree: Int
    let rowCount: Int

    /// Rows over all moduli in evaluation form.
    ///
    /// Safe to share: written in `init` before anyone else has a reference, and in `deinit` after the
    /// last one is gone; in between it is only read.
    private nonisolated(unsafe) let words: UnsafeMutableBufferPointer<UInt64>

    /// Takes a polynomial over all moduli in evaluation form.
    init(_ polynomial: Polynomial) {
        precondition(polynomial.form == .evaluation, "secret keys are kept in evaluation form")
        degree = polynomial.degree
        rowCount = polynomial.rowCount
        words = .allocate(capacity: polynomial.residues.count)
        _ = words.initialize(from: polynomial.residues)
    }

    deinit {
        for index in words.indices { words[index] = 0 }
        // Reading one word back through an opaque call keeps the loop above from being optimized away.
        withExtendedLifetime(words[0]) {}
        words.deallocate()
    }

    /// The residues for one modulus, in evaluation form. Valid while the key is.
    func withRow<Result>(_ index: Int, _ body: (Row) -> Result) -> Result {
        withExtendedLifetime(self) {
            body(Row(rebasing: words[index * degree..<(index + 1) * degree]))
        }
    }

    /// A copy of all rows.
    var polynomial: Polynomial { Polynomial(degree: degree, form: .evaluation, residues: Array(words)) }
}
