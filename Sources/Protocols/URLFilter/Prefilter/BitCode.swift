/// Bits one after the other, the most significant of a byte first.
struct BitWriter {
    private var bytes: [UInt8] = []
    private var pending: UInt64 = 0
    private var pendingBits = 0

    /// Appends whole bytes; only between whole bytes.
    mutating func append(_ whole: [UInt8]) {
        precondition(pendingBits == 0, "whole bytes stand before any single bit")
        bytes += whole
    }

    /// Appends a number of four bytes, the most significant first.
    mutating func append(_ number: UInt32) {
        append([24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) })
    }

    /// Appends the low bits of a number.
    ///
    /// - Parameter bits: At most 32.
    mutating func append(_ number: UInt64, bits: Int) {
        pending = pending << UInt64(bits) | number & (1 << UInt64(bits) - 1)
        pendingBits += bits
        while pendingBits >= 8 {
            pendingBits -= 8
            bytes.append(UInt8(truncatingIfNeeded: pending >> UInt64(pendingBits)))
        }
    }

    /// Appends so many ones, and a zero.
    mutating func appendOnes(_ count: Int) {
        for _ in 0..<count / 32 { append(.max, bits: 32) }
        append(1 << UInt64(count % 32 + 1) - 2, bits: count % 32 + 1)
    }

    /// All bytes, the last one filled with zeros.
    mutating func finished() -> [UInt8] {
        if pendingBits > 0 { append(0, bits: 8 - pendingBits) }
        return bytes
    }
}

/// Reads what a ``BitWriter`` has written.
struct BitReader {
    private let bytes: [UInt8]
    private var place: Int

    /// - Parameter start: Byte to begin with.
    init(_ bytes: [UInt8], from start: Int) {
        self.bytes = bytes
        place = start * 8
    }

    private mutating func bit() -> UInt8? {
        guard place >> 3 < bytes.count else { return nil }
        defer { place += 1 }
        return bytes[place >> 3] >> UInt8(7 - place & 7) & 1
    }

    /// - Parameter count: At most 32.
    mutating func bits(_ count: Int) -> UInt64? {
        var number: UInt64 = 0
        for _ in 0..<count {
            guard let bit = bit() else { return nil }
            number = number << 1 | UInt64(bit)
        }
        return number
    }

    /// Counts ones up to a zero.
    ///
    /// - Returns: `nil` for more than allowed, or without a zero.
    mutating func ones(atMost most: Int) -> Int? {
        var count = 0
        while let bit = bit() {
            if bit == 0 { return count }
            count += 1
            if count > most { return nil }
        }
        return nil
    }
}
