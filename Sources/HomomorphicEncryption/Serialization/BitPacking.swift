/// Packs numbers as bit strings, most significant bit first (PIR protocol fact sheet, section 7.1).
///
/// - Parameters:
///   - values: Each below 2^`bitsEach`.
///   - bitsEach: Width of a number, in `1...64`.
///   - skippedLSBs: Low bits of each number that are left out, below `bitsEach`.
/// - Returns: Whole bytes, the last one padded with zero bits.
package func packBits(_ values: [UInt64], bitsEach: Int, skippedLSBs: Int = 0) -> [UInt8] {
    var bytes: [UInt8] = []
    values.withUnsafeBufferPointer {
        appendPackedBits($0, bitsEach: bitsEach, skippedLSBs: skippedLSBs, to: &bytes)
    }
    return bytes
}

/// Reads numbers that ``packBits(_:bitsEach:skippedLSBs:)`` wrote; bits past the end of `bytes` are zero.
///
/// - Parameter count: Numbers to read. Bytes that are left over are ignored.
package func unpackBits(_ bytes: [UInt8], count: Int, bitsEach: Int, skippedLSBs: Int = 0) -> [UInt64] {
    bytes.withUnsafeBufferPointer { input in
        Array(unsafeUninitializedCapacity: count) { output, initializedCount in
            unpackBits(
                input, bitsEach: bitsEach, skippedLSBs: skippedLSBs,
                into: MutableRow(rebasing: output[..<count]))
            initializedCount = count
        }
    }
}

/// Bytes that `count` packed numbers take.
func packedByteCount(count: Int, bitsEach: Int, skippedLSBs: Int = 0) -> Int {
    (count * (bitsEach - skippedLSBs) + 7) / 8
}

func appendPackedBits(_ values: Row, bitsEach: Int, skippedLSBs: Int, to bytes: inout [UInt8]) {
    precondition((1...64).contains(bitsEach) && (0..<bitsEach).contains(skippedLSBs), "widths out of range")
    let width = bitsEach - skippedLSBs
    let byteCount = packedByteCount(count: values.count, bitsEach: bitsEach, skippedLSBs: skippedLSBs)
    bytes.append(contentsOf: repeatElement(0, count: byteCount))
    let start = bytes.count - byteCount
    bytes.withUnsafeMutableBufferPointer { bytes in
        var position = start
        // Bits not written yet, in the low end. Fewer than 8 between two pushes.
        var pending: UInt64 = 0
        var pendingCount = 0
        func push(_ value: UInt64, _ bitCount: Int) {
            pending = pending &<< UInt64(bitCount) | value
            pendingCount += bitCount
            while pendingCount >= 8 {
                pendingCount -= 8
                bytes[position] = UInt8(truncatingIfNeeded: pending &>> UInt64(pendingCount))
                position += 1
            }
        }
        for value in values {
            let kept = value &>> UInt64(skippedLSBs)
            if width > 32 {
                push(kept &>> 32, width - 32)
                push(kept & 0xffff_ffff, 32)
            } else {
                push(kept, width)
            }
        }
        if pendingCount > 0 {
            bytes[position] = UInt8(truncatingIfNeeded: pending &<< UInt64(8 - pendingCount))
        }
    }
}

func unpackBits(_ bytes: UnsafeBufferPointer<UInt8>, bitsEach: Int, skippedLSBs: Int, into output: MutableRow)
{
    precondition((1...64).contains(bitsEach) && (0..<bitsEach).contains(skippedLSBs), "widths out of range")
    let width = bitsEach - skippedLSBs
    var position = 0
    var pending: UInt64 = 0
    var pendingCount = 0
    func pull(_ bitCount: Int) -> UInt64 {
        while pendingCount < bitCount {
            pending = pending &<< 8
            if position < bytes.count { pending |= UInt64(bytes[position]) }
            position += 1
            pendingCount += 8
        }
        pendingCount -= bitCount
        return pending &>> UInt64(pendingCount) & (1 &<< UInt64(bitCount) - 1)
    }
    for index in output.indices {
        let kept = width > 32 ? pull(width - 32) &<< 32 | pull(32) : pull(width)
        output[index] = kept &<< UInt64(skippedLSBs)
    }
}
