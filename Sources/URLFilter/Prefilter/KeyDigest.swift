/// The two 32-bit hashes of a key from which all its positions in a prefilter follow.
///
/// Source: apple-url-filter fact sheet, section 2. All arithmetic wraps at 32 bits.
package struct KeyDigest: Hashable, Sendable {
    /// First position: FNV-1a, 32 bit (XOR, then multiply).
    package let start: UInt32
    /// Distance from one position to the next: MurmurHash3 x86_32 with the filter's `murmurSeed`.
    package let step: UInt32

    package init(start: UInt32, step: UInt32) {
        self.start = start
        self.step = step
    }

    /// - Complexity: O(length of the key); about 2 ns a byte.
    package init(_ key: UnsafeBufferPointer<UInt8>, murmurSeed: UInt32) {
        var running = RunningDigest(murmurSeed: murmurSeed)
        self = running.digest(upTo: key.count, of: UnsafeRawBufferPointer(key))
    }

    package init(_ key: [UInt8], murmurSeed: UInt32) {
        self = key.withUnsafeBufferPointer { KeyDigest($0, murmurSeed: murmurSeed) }
    }

    package init(_ key: ArraySlice<UInt8>, murmurSeed: UInt32) {
        self = key.withUnsafeBufferPointer { KeyDigest($0, murmurSeed: murmurSeed) }
    }

    /// Hashes the UTF-8 bytes of the string.
    package init(_ key: String, murmurSeed: UInt32) {
        var key = key
        self = key.withUTF8 { KeyDigest($0, murmurSeed: murmurSeed) }
    }
}

/// Hashes a text and, on the way, each of its beginnings that is asked for.
///
/// The lookup strings of a URL are mostly beginnings of one another (`example.com`, `example.com/`,
/// `example.com/a`), so hashing them together reads each byte once instead of once per string.
struct RunningDigest {
    private var fnv: UInt32 = 0x811C_9DC5
    /// MurmurHash3 after all whole blocks of four bytes.
    private var murmur: UInt32
    /// Bytes that `fnv` has read.
    private var position = 0
    /// Bytes that `murmur` has read, a multiple of 4.
    private var blockEnd = 0

    init(murmurSeed: UInt32) {
        murmur = murmurSeed
    }

    /// The digest of the first `length` bytes.
    ///
    /// - Parameters:
    ///   - length: Not less than in the call before.
    ///   - text: The same bytes in every call, at least `length` of them.
    mutating func digest(upTo length: Int, of text: UnsafeRawBufferPointer) -> KeyDigest {
        precondition(
            length >= position && length <= text.count,
            "a running digest only moves forward, from \(position) to at most \(text.count), got \(length)")
        while position < length {
            fnv = (fnv ^ UInt32(text[position])) &* 0x0100_0193
            position += 1
        }
        while blockEnd + 4 <= length {
            let block = UInt32(littleEndian: text.loadUnaligned(fromByteOffset: blockEnd, as: UInt32.self))
            murmur = Self.rotate(murmur ^ Self.scramble(block), 13) &* 5 &+ 0xE654_6B64
            blockEnd += 4
        }
        var tail: UInt32 = 0
        for index in stride(from: length - 1, through: blockEnd, by: -1) {
            tail = tail << 8 | UInt32(text[index])
        }
        var hash = murmur
        if blockEnd < length { hash ^= Self.scramble(tail) }
        hash ^= UInt32(truncatingIfNeeded: length)
        hash = (hash ^ hash >> 16) &* 0x85EB_CA6B
        hash = (hash ^ hash >> 13) &* 0xC2B2_AE35
        return KeyDigest(start: fnv, step: hash ^ hash >> 16)
    }

    private static func scramble(_ block: UInt32) -> UInt32 {
        rotate(block &* 0xCC9E_2D51, 15) &* 0x1B87_3593
    }

    private static func rotate(_ value: UInt32, _ count: UInt32) -> UInt32 {
        value << count | value >> (32 - count)
    }
}
