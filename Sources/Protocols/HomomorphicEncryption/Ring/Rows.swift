#if os(Linux)
    import Glibc
#endif

/// Rows of residues in memory that somebody else owns and keeps for as long as this is used.
///
/// A row is what the kernels work on: `N` words of 4 or 8 bytes on a 64-byte boundary.
package struct Rows {
    package let start: UnsafeMutableRawPointer

    /// Bytes from a row to the next.
    package let stride: Int

    package let count: Int

    init(start: UnsafeMutableRawPointer, stride: Int, count: Int) {
        self.start = start
        self.stride = stride
        self.count = count
    }

    /// Bytes from a row to the next: whole pieces of 64.
    ///
    /// Rows of pages get a piece more. Else equal places of all rows would compete for the same few lines of a
    /// cache, and operations on many rows would be slowed down (a sum of eight products by a third).
    static func stride(degree: Int, wordByteCount: Int) -> Int {
        let byteCount = (degree * wordByteCount + 63) & ~63
        return byteCount < 4096 ? byteCount : byteCount + 64
    }

    @inline(__always)
    package subscript(row: Int) -> UnsafeMutableRawPointer {
        assert((0..<count).contains(row), "row \(row) of \(count)")
        return start + row &* stride
    }

    func copy(from other: Rows) {
        start.copyMemory(from: other.start, byteCount: min(count, other.count) * stride)
    }
}

/// Memory of a fixed size for rows, on a 64-byte boundary.
///
/// A class because values share it until one of them changes. Safe to share between threads: it is written to
/// only by whoever holds the only reference, as the memory of the standard library's arrays is.
final class RowMemory: Sendable {
    nonisolated(unsafe) let start: UnsafeMutableRawPointer
    let byteCount: Int

    /// Size of the large pages of memory that are asked for where they pay.
    private static let largePage = 2 << 20

    /// Memory with zeros.
    init(byteCount: Int) {
        let isLarge = byteCount >= Self.largePage
        self.byteCount = byteCount
        start = .allocate(byteCount: max(byteCount, 64), alignment: isLarge ? Self.largePage : 64)
        #if os(Linux)
            // Scans are a tenth faster with large pages; without them everything works as well.
            if isLarge { _ = madvise(start, byteCount, MADV_HUGEPAGE) }
        #endif
        start.initializeMemory(as: UInt8.self, repeating: 0, count: byteCount)
    }

    init(copying other: RowMemory, byteCount: Int) {
        precondition(
            byteCount <= other.byteCount, "\(byteCount) of \(other.byteCount) bytes cannot be copied")
        self.byteCount = byteCount
        start = .allocate(byteCount: max(byteCount, 64), alignment: 64)
        start.copyMemory(from: other.start, byteCount: byteCount)
    }

    deinit { start.deallocate() }
}
