import Foundation

/// Random numbers for one purpose of one entity in one replication.
///
/// Streams are told apart by name instead of by order of creation, so the same
/// four values give the same numbers in every design that is compared, on any
/// number of threads. Seed and replication choose the key of ``Philox``; entity
/// and purpose are half of its counter, so streams of one replication never overlap.
///
///     var latency = RandomStream(seed: 1, replication: 0, entity: 7, purpose: StreamPurpose("latency"))
///     let seconds = latency.exponential(mean: 0.05)
///
/// It is not for secrets: whoever knows the seed knows every number.
@usableFromInline
package struct RandomStream: RandomNumberGenerator, Sendable {
    @usableFromInline var drawn: UInt64
    @usableFromInline let key: UInt64
    @usableFromInline let entity: UInt32
    @usableFromInline let purpose: UInt32
    /// The second half of the current block; meaningful while `drawn` is odd.
    @usableFromInline var half: UInt64 = 0

    /// How many 64-bit numbers were drawn. `init(…, position:)` continues there.
    package var position: UInt64 { drawn }

    /// - Parameters:
    ///   - seed: The seed of the experiment.
    ///   - replication: Number of the replication.
    ///   - entity: Which device, server or client; 0 when there is only one.
    ///   - position: Numbers of the stream to skip. Costs nothing.
    package init(
        seed: UInt64, replication: UInt32, entity: UInt32, purpose: StreamPurpose, position: UInt64 = 0
    ) {
        key = Self.mix(seed) &+ UInt64(replication) &* 0x9E37_79B9_7F4A_7C15
        self.entity = entity
        self.purpose = purpose.rawValue
        drawn = position
        if !position.isMultiple(of: 2) {
            half = block(at: position / 2).second
        }
    }

    /// The next 64 random bits.
    @inlinable
    package mutating func next() -> UInt64 {
        let index = drawn
        drawn = index &+ 1
        if index & 1 == 1 { return half }
        let pair = block(at: index / 2)
        half = pair.second
        return pair.first
    }

    /// A number in the open interval (0, 1), one of 2⁵² equally spaced ones.
    /// Takes one number of the stream.
    @inlinable
    package mutating func uniform() -> Double {
        Self.uniform(next())
    }

    @inlinable
    @inline(__always)
    static func uniform(_ bits: UInt64) -> Double {
        // 52 random bits become the fraction of a number in [1, 2). Subtracting
        // 1 - 2⁻⁵³ is exact and keeps both ends out.
        Double(bitPattern: 0x3FF0_0000_0000_0000 | bits >> 12) - (1 - 0x1p-53)
    }

    /// A number in `0..<bound`, every one equally likely.
    ///
    /// Takes one number of the stream, and another with probability `bound / 2⁶⁴`
    /// (Lemire, doi:10.1145/3230636).
    @inlinable
    package mutating func index(below bound: Int) -> Int {
        precondition(bound > 0, "an index needs a bound of at least 1, got \(bound)")
        let width = UInt64(bound)
        var product = next().multipliedFullWidth(by: width)
        if product.low < width {
            let threshold = (0 &- width) % width
            while product.low < threshold { product = next().multipliedFullWidth(by: width) }
        }
        return Int(product.high)
    }

    @inlinable
    func block(at index: UInt64) -> (first: UInt64, second: UInt64) {
        let words = Philox.block(
            counter: (
                UInt32(truncatingIfNeeded: index), UInt32(truncatingIfNeeded: index >> 32), entity, purpose
            ),
            key: (UInt32(truncatingIfNeeded: key), UInt32(truncatingIfNeeded: key >> 32)))
        return (UInt64(words.0) | UInt64(words.1) << 32, UInt64(words.2) | UInt64(words.3) << 32)
    }

    /// Spreads neighbouring seeds over the whole key space, one to one
    /// (finalizer of SplitMix64, doi:10.1145/2714064.2660195), so that seed 1
    /// replication 1 and seed 2 replication 0 share no key.
    private static func mix(_ seed: UInt64) -> UInt64 {
        var z = seed
        z = (z ^ z >> 30) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ z >> 27) &* 0x94D0_49BB_1331_11EB
        return z ^ z >> 31
    }
}

/// Purpose of a random stream, for example "relay latency".
///
/// Each purpose is a stream of its own, so that a draw added for one purpose
/// leaves all the others as they were.
package struct StreamPurpose: Hashable, Sendable {
    /// FNV-1a hash of the name: 32 bits that do not depend on where in the
    /// program the purpose is declared.
    package let rawValue: UInt32

    package init(_ name: StaticString) {
        rawValue = name.withUTF8Buffer { bytes in
            bytes.reduce(0x811C_9DC5) { ($0 ^ UInt32($1)) &* 0x0100_0193 }
        }
    }
}
