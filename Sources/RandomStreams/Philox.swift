/// The counter-based generator Philox4x32-10 of Salmon, Moraes, Dror and Shaw.
///
/// A block is a pure function of counter and key: there is no state to carry,
/// so any position of a stream can be reached in constant time. Source:
/// "Parallel random numbers: as easy as 1, 2, 3", SC11, doi:10.1145/2063384.2063405.
@usableFromInline
package enum Philox {
    /// 128 bits: the counter of a block, or the block itself. Word 0 comes first.
    @usableFromInline
    package typealias Words = (UInt32, UInt32, UInt32, UInt32)

    /// The 128 random bits at `counter` under `key`.
    @inlinable
    package static func block(counter: Words, key: (UInt32, UInt32)) -> Words {
        var (x0, x1, x2, x3) = counter
        var (k0, k1) = key
        for _ in 0..<10 {
            let left = UInt64(x0) &* 0xD251_1F53
            let right = UInt64(x2) &* 0xCD9E_8D57
            x0 = UInt32(truncatingIfNeeded: right >> 32) ^ x1 ^ k0
            x1 = UInt32(truncatingIfNeeded: right)
            x2 = UInt32(truncatingIfNeeded: left >> 32) ^ x3 ^ k1
            x3 = UInt32(truncatingIfNeeded: left)
            // The Weyl sequence of the key: golden ratio and square root of 3.
            k0 &+= 0x9E37_79B9
            k1 &+= 0xBB67_AE85
        }
        return (x0, x1, x2, x3)
    }

    /// Four neighbouring blocks at once, as pairs of 64-bit numbers.
    ///
    /// - Parameters:
    ///   - index: The first two words of the counter.
    ///   - rest: The other two.
    @inline(__always)
    static func fourBlocks(
        at index: UInt64, _ rest: (UInt32, UInt32), key: UInt64
    ) -> (first: SIMD4<UInt64>, second: SIMD4<UInt64>) {
        // Every lane works on a 32-bit word; what a product or a key leaves above it is masked out before
        // the next use.
        let low = SIMD4<UInt64>(repeating: 0xFFFF_FFFF)
        let counters = SIMD4<UInt64>(repeating: index) &+ SIMD4<UInt64>(0, 1, 2, 3)
        var (x0, x1) = (counters, counters &>> 32)
        var x2 = SIMD4<UInt64>(repeating: UInt64(rest.0))
        var x3 = SIMD4<UInt64>(repeating: UInt64(rest.1))
        var k0 = SIMD4<UInt64>(repeating: key)
        var k1 = SIMD4<UInt64>(repeating: key >> 32)
        for _ in 0..<10 {
            let left = (x0 & low) &* SIMD4<UInt64>(repeating: 0xD251_1F53)
            let right = (x2 & low) &* SIMD4<UInt64>(repeating: 0xCD9E_8D57)
            x0 = right &>> 32 ^ x1 ^ k0
            x1 = right
            x2 = left &>> 32 ^ x3 ^ k1
            x3 = left
            k0 = k0 &+ SIMD4<UInt64>(repeating: 0x9E37_79B9)
            k1 = k1 &+ SIMD4<UInt64>(repeating: 0xBB67_AE85)
        }
        return (x0 & low | x1 &<< 32, x2 & low | x3 &<< 32)
    }
}
