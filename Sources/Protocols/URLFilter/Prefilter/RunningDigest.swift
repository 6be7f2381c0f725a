/// The digest of a text that is still growing.
///
/// The lookup strings of a URL are mostly beginnings of one another (`example.com`, `example.com/`,
/// `example.com/a`), so hashing them together reads each byte once instead of once per string. A copy goes on
/// from where the original was, so texts that only begin alike share the work up to there.
struct RunningDigest: BitwiseCopyable {
    private var fnv: UInt32 = 0x811C_9DC5
    /// MurmurHash3 after all whole blocks of four bytes.
    private var murmur: UInt32
    /// The bytes after the last whole block, the first one lowest; zero above them.
    private var pending: UInt32 = 0
    /// Bytes read, modulo 2³².
    private var length: UInt32 = 0

    @inline(__always)
    init(murmurSeed: UInt32) {
        murmur = murmurSeed
    }

    /// The digest of what was read so far.
    @inline(__always)
    var digest: KeyDigest {
        // A block of zeros would change nothing, so an empty rest needs no branch.
        var hash = murmur ^ Self.scramble(pending) ^ length
        hash = (hash ^ hash >> 16) &* 0x85EB_CA6B
        hash = (hash ^ hash >> 13) &* 0xC2B2_AE35
        return KeyDigest(start: fnv, step: hash ^ hash >> 16)
    }

    /// Reads on.
    @inline(__always)
    mutating func append(_ text: RawSpan) {
        var offset = 0
        while offset + 4 <= text.byteCount {
            append(block: Self.block(of: text, at: offset))
            offset += 4
        }
        if offset < text.byteCount { append(rest: text, from: offset) }
    }

    /// Reads on by 16 bytes of a text that has them.
    @inline(__always)
    fileprivate mutating func append(sixteen text: RawSpan, from offset: Int) {
        append(block: Self.block(of: text, at: offset))
        append(block: Self.block(of: text, at: offset + 4))
        append(block: Self.block(of: text, at: offset + 8))
        append(block: Self.block(of: text, at: offset + 12))
    }

    /// - Parameter offset: At least 4 bytes before the end of the text.
    @inline(__always)
    private static func block(of text: RawSpan, at offset: Int) -> UInt32 {
        UInt32(littleEndian: text.unsafeLoadUnaligned(fromUncheckedByteOffset: offset, as: UInt32.self))
    }

    @inline(__always)
    private mutating func append(block: UInt32) {
        fnv = (fnv ^ block & 0xFF) &* Self.fnvPrime
        fnv = (fnv ^ block >> 8 & 0xFF) &* Self.fnvPrime
        fnv = (fnv ^ block >> 16 & 0xFF) &* Self.fnvPrime
        fnv = (fnv ^ block >> 24) &* Self.fnvPrime
        let joined = UInt64(pending) | UInt64(block) &<< UInt64((length & 3) &<< 3)
        murmur = Self.mixed(murmur, UInt32(truncatingIfNeeded: joined))
        pending = UInt32(truncatingIfNeeded: joined >> 32)
        length &+= 4
    }

    /// One to three bytes, up to the end of the text.
    @inline(__always)
    private mutating func append(rest text: RawSpan, from start: Int) {
        var joined = UInt64(pending)
        var shift = UInt64(length & 3) &<< 3
        for offset in start..<text.byteCount {
            let byte = text.unsafeLoad(fromUncheckedByteOffset: offset, as: UInt8.self)
            fnv = (fnv ^ UInt32(byte)) &* Self.fnvPrime
            joined |= UInt64(byte) &<< shift
            shift &+= 8
        }
        length &+= UInt32(truncatingIfNeeded: text.byteCount - start)
        // Whether a block is complete is hard to predict, so both outcomes are computed.
        let mixed = Self.mixed(murmur, UInt32(truncatingIfNeeded: joined))
        let isBlock = shift >= 32
        murmur = isBlock ? mixed : murmur
        pending = UInt32(truncatingIfNeeded: isBlock ? joined >> 32 : joined)
    }

    private static let fnvPrime: UInt32 = 0x0100_0193

    @inline(__always)
    private static func mixed(_ hash: UInt32, _ block: UInt32) -> UInt32 {
        rotate(hash ^ scramble(block), 13) &* 5 &+ 0xE654_6B64
    }

    @inline(__always)
    private static func scramble(_ block: UInt32) -> UInt32 {
        rotate(block &* 0xCC9E_2D51, 15) &* 0x1B87_3593
    }

    @inline(__always)
    private static func rotate(_ value: UInt32, _ count: UInt32) -> UInt32 {
        value &<< count | value &>> (32 - count)
    }
}

extension RunningDigest {
    /// Lets several texts go on alike.
    ///
    /// Each byte waits for the one before it, but the texts do not wait for one another: a piece of one
    /// after the other keeps the processor busy with several of them at once.
    @inline(__always)
    static func append(_ text: RawSpan, to digests: UnsafeMutableBufferPointer<RunningDigest>) {
        var offset = 0
        while offset + 16 <= text.byteCount {
            for index in digests.indices {
                var digest = digests[index]
                digest.append(sixteen: text, from: offset)
                digests[index] = digest
            }
            offset += 16
        }
        guard offset < text.byteCount else { return }
        let rest = text.extracting(droppingFirst: offset)
        for index in digests.indices {
            var digest = digests[index]
            digest.append(rest)
            digests[index] = digest
        }
    }
}
