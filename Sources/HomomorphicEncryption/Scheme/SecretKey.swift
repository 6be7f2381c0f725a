#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

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
        overwrite(UnsafeMutableRawBufferPointer(words))
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

/// Fills memory with zeros by a call that the optimizer may not drop.
private func overwrite(_ memory: UnsafeMutableRawBufferPointer) {
    guard let start = memory.baseAddress else { return }
    #if canImport(Darwin)
        memset_s(start, memory.count, 0, memory.count)
    #else
        explicit_bzero(start, memory.count)
    #endif
}
