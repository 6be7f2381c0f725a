/// A position in a structure that only moves forward and never past the end.
struct ByteReader {
    private let bytes: [UInt8]
    private(set) var offset = 0

    var isAtEnd: Bool { offset == bytes.count }
    var remaining: Int { bytes.count - offset }

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    mutating func byte() -> UInt8? {
        take(1)?.first
    }

    /// A number of two bytes, most significant first.
    mutating func uint16() -> UInt16? {
        take(2).map { UInt16(bigEndianBytes: $0) }
    }

    /// The next `count` bytes, or `nil` and no movement when there are fewer.
    mutating func take(_ count: Int) -> ArraySlice<UInt8>? {
        guard count >= 0, count <= remaining else { return nil }
        defer { offset += count }
        return bytes[offset..<offset + count]
    }
}

extension UInt16 {
    /// Both bytes of the number, most significant first. `bytes` has exactly two.
    fileprivate init(bigEndianBytes bytes: ArraySlice<UInt8>) {
        self = bytes.reduce(0) { $0 << 8 | UInt16($1) }
    }

    /// The two bytes of the number, most significant first.
    var bigEndianBytes: [UInt8] { [UInt8(self >> 8), UInt8(self & 0xFF)] }
}
