/// The client's secret: a polynomial with coefficients -1, 0 and 1.
///
/// It never leaves the client. Its memory is overwritten when the last reference goes away, and so is the scratch
/// memory of operations that use it.
package final class SecretKey: Sendable {
    /// Rows over all moduli in evaluation form.
    private let memory: RowMemory
    private let stride: Int
    private let rowCount: Int

    /// A key whose rows are filled in by the caller, before anyone else has a reference.
    init(rowCount: Int, stride: Int) {
        memory = RowMemory(byteCount: rowCount * stride)
        self.stride = stride
        self.rowCount = rowCount
    }

    deinit { overwrite(UnsafeMutableRawBufferPointer(start: memory.start, count: memory.byteCount)) }

    /// The rows, to be read only, and only while the key exists.
    var rows: Rows { Rows(start: memory.start, stride: stride, count: rowCount) }
}
