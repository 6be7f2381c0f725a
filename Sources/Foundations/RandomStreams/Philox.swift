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
}
