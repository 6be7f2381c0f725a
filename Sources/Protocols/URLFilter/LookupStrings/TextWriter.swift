/// Writes bytes one after the other into memory that its owner made large enough.
struct TextWriter {
    private let buffer: UnsafeMutableBufferPointer<UInt8>
    private(set) var position: Int

    init(_ buffer: UnsafeMutableBufferPointer<UInt8>, at position: Int) {
        self.buffer = buffer
        self.position = position
    }

    /// The place of the bytes that `body` writes.
    @inline(__always)
    mutating func write(_ body: (inout TextWriter) -> Void) -> Range<Int> {
        let start = position
        body(&self)
        return start..<position
    }

    /// Appends a copy of what stands in the buffer already.
    mutating func append(written range: Range<Int>) {
        append(UnsafeBufferPointer(rebasing: buffer[range]))
    }

    mutating func append(_ byte: UInt8) {
        require(1)
        buffer[position] = byte
        position += 1
    }

    mutating func append(_ bytes: UnsafeBufferPointer<UInt8>) {
        guard let source = bytes.baseAddress, let target = buffer.baseAddress else { return }
        require(bytes.count)
        (target + position).update(from: source, count: bytes.count)
        position += bytes.count
    }

    mutating func append(_ bytes: [UInt8]) {
        bytes.withUnsafeBufferPointer { append($0) }
    }

    mutating func append(_ text: StaticString) {
        append(UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    /// Appends a path that starts with `/`, without its empty segments and without a `/` at its end.
    ///
    /// - Parameter length: Stop after so many bytes were written.
    mutating func appendSegments(_ path: UnsafeBufferPointer<UInt8>, length: Int) {
        let end = position + length
        var previous = UInt8(ascii: "/")
        for byte in path {
            if position == end { return }
            if byte != UInt8(ascii: "/") {
                if previous == UInt8(ascii: "/") { append(previous) }
                append(byte)
            }
            previous = byte
        }
    }

    mutating func append(decimal number: Int) {
        if number >= 10 { append(decimal: number / 10) }
        append(UInt8(ascii: "0") + UInt8(number % 10))
    }

    private func require(_ count: Int) {
        precondition(position + count <= buffer.count, "a text is longer than its buffer was made for")
    }
}
