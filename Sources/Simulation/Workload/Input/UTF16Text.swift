/// Turns UTF-16 into UTF-8, piece by piece.
///
/// Windows writes logs, exports and profiles in UTF-16 with a byte order mark. Halves of surrogate pairs alone become
/// U+FFFD.
struct UTF16Text {
    private let isBigEndian: Bool
    /// First byte of a unit that is cut, and the first half of a pair.
    private var oddByte: UInt8?
    private var firstHalf: UInt16?
    /// UTF-8 that is not passed on yet: `output[start...]`.
    private var output: [UInt8] = []
    private var start = 0

    /// The longest mark that tells one encoding from the others.
    static let markLength = 4

    /// - Parameter head: The first bytes of the data.
    /// - Returns: `nil` unless they begin with the mark of UTF-16: in UTF-32 two zeros follow it.
    init?(head: [UInt8]) {
        switch head.prefix(2) {
        case [0xFE, 0xFF]: isBigEndian = true
        case [0xFF, 0xFE] where !head.dropFirst(2).elementsEqual([0, 0]): isBigEndian = false
        default: return nil
        }
    }

    /// Whether all is passed on.
    var isEmpty: Bool { start == output.count }

    mutating func append(_ input: some Sequence<UInt8>) {
        if isEmpty {
            output.removeAll(keepingCapacity: true)
            start = 0
        }
        for byte in input {
            guard let first = oddByte else {
                oddByte = byte
                continue
            }
            oddByte = nil
            let unit = isBigEndian ? UInt16(first) << 8 | UInt16(byte) : UInt16(byte) << 8 | UInt16(first)
            append(unit)
        }
    }

    /// Ends the text. A character that is cut there is unknown and becomes U+FFFD.
    mutating func finish() {
        if firstHalf != nil || oddByte != nil { append("\u{FFFD}" as Unicode.Scalar) }
        (firstHalf, oddByte) = (nil, nil)
    }

    mutating func take(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        let count = min(buffer.count, output.count - start)
        buffer.copyBytes(from: output[start..<start + count])
        start += count
        return count
    }

    private mutating func append(_ unit: UInt16) {
        if let first = firstHalf {
            firstHalf = nil
            if UTF16.isTrailSurrogate(unit) {
                let value = 0x10000 + (UInt32(first) - 0xD800) << 10 + (UInt32(unit) - 0xDC00)
                return append(Unicode.Scalar(value) ?? "\u{FFFD}")
            }
            append("\u{FFFD}" as Unicode.Scalar)
        }
        if UTF16.isLeadSurrogate(unit) {
            firstHalf = unit
        } else {
            append(Unicode.Scalar(unit) ?? "\u{FFFD}")
        }
    }

    private mutating func append(_ scalar: Unicode.Scalar) {
        output.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
    }
}
