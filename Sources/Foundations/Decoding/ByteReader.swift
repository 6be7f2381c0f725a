/// A position in a message that only moves forward and never past the end.
///
/// Every read that would pass the end returns `nil` and leaves the position
/// where it was, so that an error can say where the message stops making sense.
package struct ByteReader {
    private let bytes: [UInt8]
    private let end: Int

    /// Bytes from the start of the whole message to the next unread byte.
    package private(set) var offset: Int

    package var remaining: Int { end - offset }
    package var isAtEnd: Bool { offset == end }

    package init(_ bytes: [UInt8]) {
        self.init(bytes, from: 0, to: bytes.count)
    }

    private init(_ bytes: [UInt8], from start: Int, to end: Int) {
        self.bytes = bytes
        self.end = end
        offset = start
    }

    package mutating func byte() -> UInt8? {
        guard offset < end else { return nil }
        defer { offset += 1 }
        return bytes[offset]
    }

    /// A number of two bytes, most significant first.
    package mutating func uint16() -> UInt16? {
        guard remaining >= 2 else { return nil }
        defer { offset += 2 }
        return UInt16(bytes[offset]) << 8 | UInt16(bytes[offset + 1])
    }

    /// The next `count` bytes. A count that does not fit an `Int` cannot be in the message either.
    package mutating func take(_ count: some BinaryInteger) -> ArraySlice<UInt8>? {
        guard let count = Int(exactly: count), count >= 0, count <= remaining else { return nil }
        defer { offset += count }
        return bytes[offset..<offset + count]
    }

    package mutating func takeRest() -> ArraySlice<UInt8> {
        defer { offset = end }
        return bytes[offset..<end]
    }

    /// A reader of the next `count` bytes; this one continues behind them.
    package mutating func split(_ count: some BinaryInteger) -> ByteReader? {
        let start = offset
        guard let part = take(count) else { return nil }
        return ByteReader(bytes, from: start, to: part.endIndex)
    }
}
