import Decoding

/// The integers of QUIC (RFC 9000, section 16), which binary HTTP uses for every number.
///
/// The two top bits of the first byte give the length: 1, 2, 4 or 8 bytes.
/// A writer uses the shortest form; a reader accepts all four.
package enum VariableLengthInteger {
    /// Largest number that can be written, 2⁶² - 1.
    package static let maximum: UInt64 = (1 << 62) - 1

    /// Bytes of the shortest form: 1, 2, 4 or 8.
    package static func byteCount(of value: UInt64) -> Int {
        precondition(value <= maximum, "\(value) does not fit a variable-length integer")
        return value < 1 << 6 ? 1 : value < 1 << 14 ? 2 : value < 1 << 30 ? 4 : 8
    }

    /// Appends the shortest form. `value` must not exceed ``maximum``.
    package static func append(_ value: UInt64, to bytes: inout [UInt8]) {
        let count = byteCount(of: value)
        let tagged = value | UInt64(count.trailingZeroBitCount) << (8 * count - 2)
        for shift in (0..<count).reversed() {
            bytes.append(UInt8(truncatingIfNeeded: tagged >> (8 * shift)))
        }
    }

    /// Reads the integer at the start of `bytes`.
    ///
    /// - Returns: The value and the bytes it took, or `nil` when `bytes` ends too early.
    package static func decode(_ bytes: [UInt8]) -> (value: UInt64, byteCount: Int)? {
        var reader = ByteReader(bytes)
        return reader.variableLengthInteger().map { ($0, reader.offset) }
    }
}

extension ByteReader {
    mutating func variableLengthInteger() -> UInt64? {
        var ahead = self
        guard let first = ahead.byte(), let rest = ahead.take((1 << (first >> 6)) - 1) else { return nil }
        self = ahead
        return rest.reduce(UInt64(first & 0x3F)) { $0 << 8 | UInt64($1) }
    }
}
