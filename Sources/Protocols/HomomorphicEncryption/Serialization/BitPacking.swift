import RingKernels

/// Packs numbers as bit strings, most significant bit first (article "Homomorphic encryption", section "Bit packing").
///
/// - Parameters:
///   - values: Each below 2^`bitsEach`.
///   - bitsEach: Width of a number, in `1...64`.
///   - skippedLSBs: Low bits of each number that are left out, below `bitsEach`.
/// - Returns: Whole bytes, the last one padded with zero bits.
package func packBits(_ values: [UInt64], bitsEach: Int, skippedLSBs: Int = 0) -> [UInt8] {
    var bytes: [UInt8] = []
    values.withUnsafeBytes {
        guard let start = $0.baseAddress else { return }
        appendPackedBits(
            start, wordByteCount: 8, count: values.count, bitsEach: bitsEach, skippedLSBs: skippedLSBs,
            to: &bytes)
    }
    return bytes
}

/// Reads numbers that ``packBits(_:bitsEach:skippedLSBs:)`` wrote; bits past the end of `bytes` are zero.
///
/// - Parameter count: Numbers to read. Bytes that are left over are ignored.
package func unpackBits(_ bytes: [UInt8], count: Int, bitsEach: Int, skippedLSBs: Int = 0) -> [UInt64] {
    checkWidths(bitsEach, skippedLSBs)
    return Array(unsafeUninitializedCapacity: count) { output, initializedCount in
        _ = rk_unpack_bits(
            8, output.baseAddress, count, bytes, bytes.count, UInt32(bitsEach), UInt32(skippedLSBs))
        initializedCount = count
    }
}

/// Bytes that `count` packed numbers take.
func packedByteCount(count: Int, bitsEach: Int, skippedLSBs: Int = 0) -> Int {
    (count * (bitsEach - skippedLSBs) + 7) / 8
}

/// Packs the words of a row, of 4 or 8 bytes each.
func appendPackedBits(
    _ words: UnsafeRawPointer, wordByteCount: Int, count: Int, bitsEach: Int, skippedLSBs: Int,
    to bytes: inout [UInt8]
) {
    checkWidths(bitsEach, skippedLSBs)
    let byteCount = packedByteCount(count: count, bitsEach: bitsEach, skippedLSBs: skippedLSBs)
    bytes.append(contentsOf: repeatElement(0, count: byteCount))
    bytes.withUnsafeMutableBufferPointer { bytes in
        guard let end = bytes.baseAddress.map({ $0 + bytes.count }) else { return }
        rk_pack_bits(
            wordByteCount, end - byteCount, words, count, UInt32(bitsEach), UInt32(skippedLSBs))
    }
}

private func checkWidths(_ bitsEach: Int, _ skippedLSBs: Int) {
    precondition((1...64).contains(bitsEach) && (0..<bitsEach).contains(skippedLSBs), "widths out of range")
}
