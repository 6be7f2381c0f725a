import Testing
import URLFilter

/// Differences between prefilters against the filters themselves.
@Suite struct PrefilterDifferenceTests {
    private static func filter(_ shape: BloomParameters, _ entries: Range<Int>) -> BloomFilter {
        var filter = BloomFilter(parameters: shape)
        for entry in entries { filter.insert("host-\(entry).example/") }
        return filter
    }

    private static func shape(_ bits: UInt32, _ hashes: UInt32 = 10) throws -> BloomParameters {
        try BloomParameters(bitCount: bits, hashCount: hashes, murmurSeed: 7)
    }

    /// Sizes that end within a byte and with one; few, many, all and no bits that differ.
    @Test(arguments: [143_776, 143_777, 143_783] as [UInt32], [1_000, 1_001, 1_150, 2_000, 20_000])
    func theNewerOneComesBack(bits: UInt32, first: Int) throws {
        let shape = try Self.shape(bits)
        let old = Self.filter(shape, 1_000..<11_000)
        let new = Self.filter(shape, first..<first + 10_000)
        let difference = try PrefilterDifference(from: old, to: new)
        #expect(try PrefilterDifference.apply(difference.bytes, to: old) == new)
        let flipped = zip(old.bytes, new.bytes).reduce(0) { $0 + ($1.0 ^ $1.1).nonzeroBitCount }
        #expect(difference.flippedCount == flipped)
    }

    /// Two bits of sixteen, 3 and 9, differ: distances 3 and 5. With b = 2 the code is 0 11, 10 01: 0111001 and a zero.
    @Test func theCodeIsRices() throws {
        let shape = try Self.shape(16, 1)
        let old = try BloomFilter(parameters: shape, bytes: [0b0000_0000, 0b1000_0000])
        let new = try BloomFilter(parameters: shape, bytes: [0b0000_1000, 0b1000_0010])
        let bytes = try PrefilterDifference(from: old, to: new).bytes
        #expect(bytes.count == PrefilterDifference.headByteCount + 1)
        #expect(Array(bytes[..<8]) == Array("UFPD".utf8) + [1, 2, 1, 0])
        #expect(bytes.last == 0b0111_0010)
    }

    /// A list of 10 000 of which so many come and go: the closed forms within five deviations, and within 2 %.
    @Test(arguments: [10, 300, 1_500]) func sizesAreKnownBefore(changed: Int) throws {
        let shape = try Self.shape(143_776)
        let old = Self.filter(shape, 0..<10_000)
        let new = Self.filter(shape, changed..<10_000 + changed)
        let difference = try PrefilterDifference(from: old, to: new)
        let share = PrefilterDifference.flippedShare(
            shape, kept: Double(10_000 - changed), added: Double(changed), removed: Double(changed))
        let bits = share * 143_776
        #expect(abs(Double(difference.flippedCount) - bits) < 5 * bits.squareRoot())
        let found = Double(difference.flippedCount) / 143_776
        let bytes = PrefilterDifference.byteCount(shape, flippedShare: found)
        #expect(abs(Double(difference.bytes.count) - bytes) < 0.02 * bytes)
        #expect(difference.bytes.count < shape.byteCount)
    }

    /// 10 hashes on 14.3776 bits an entry fill half: 1 - e^(-10/14.3776) = 0.5012; packing gains nothing there.
    @Test func aFullPrefilterIsHalfFull() throws {
        let shape = try Self.shape(143_776)
        let fill = PrefilterDifference.flippedShare(shape, kept: 0, added: 10_000, removed: 0)
        #expect(abs(fill - 0.501_186) < 1e-5)
        #expect(PrefilterDifference.byteCount(shape, flippedShare: fill) > Double(shape.byteCount))
        // Two hashes err as rarely with 62.2 bits an entry, which are 3.2 % full: 12.8 bits an entry on the way.
        let sparse = try Self.shape(622_000, 2)
        let few = PrefilterDifference.flippedShare(sparse, kept: 0, added: 10_000, removed: 0)
        #expect(PrefilterDifference.byteCount(sparse, flippedShare: few) < 0.9 * Double(shape.byteCount))
        #expect(PrefilterDifference.byteCount(shape, flippedShare: 0) == 36)
    }

    @Test func whatDoesNotFitIsRefused() throws {
        let shape = try Self.shape(143_776)
        let (old, new) = (Self.filter(shape, 0..<1_000), Self.filter(shape, 100..<1_100))
        let other = Self.filter(shape, 50..<1_050)
        let bytes = try PrefilterDifference(from: old, to: new).bytes
        #expect(throws: PrefilterDifferenceError.otherEdition) {
            try PrefilterDifference.apply(bytes, to: other)
        }
        #expect(throws: PrefilterDifferenceError.noDifference) {
            try PrefilterDifference.apply(Array(bytes.prefix(20)), to: old)
        }
        let wide = Self.filter(try Self.shape(143_777), 0..<1_000)
        #expect(throws: PrefilterDifferenceError.ofOtherShape(bitCount: 143_776, expected: 143_777)) {
            try PrefilterDifference.apply(bytes, to: wide)
        }
        #expect(throws: PrefilterDifferenceError.self) { try PrefilterDifference(from: wide, to: new) }
        #expect(throws: PrefilterDifferenceError.damaged) {
            try PrefilterDifference.apply(Array(bytes.dropLast(3)), to: old)
        }
    }

    /// Each damaged byte is noticed: no other prefilter comes of it.
    @Test func damageIsNoticed() throws {
        let shape = try Self.shape(4_000, 4)
        let (old, new) = (Self.filter(shape, 0..<600), Self.filter(shape, 20..<620))
        let bytes = try PrefilterDifference(from: old, to: new).bytes
        for place in bytes.indices {
            for bit in 0..<8 {
                var damaged = bytes
                damaged[place] ^= 1 << UInt8(bit)
                let found = try? PrefilterDifference.apply(damaged, to: old)
                #expect(found == nil || found == new)
            }
        }
    }
}
