import RandomStreams

/// Random bits that belong to one key, for the details of one page or one URL.
///
/// SplitMix64 (doi:10.1145/2714064.2660195). A page needs thousands of numbers
/// whose only duty is to be the same on every visit; they cost 1 ns here. What
/// a device does is drawn from its `RandomStream` instead.
struct KeyedBits {
    private var state: UInt64

    init(key: UInt64) {
        state = key
    }

    @inline(__always)
    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        return Self.finalize(state)
    }

    /// A number in the open interval (0, 1).
    @inline(__always)
    mutating func unit() -> Double {
        (Double(next() >> 11) + 0.5) * 0x1p-53
    }

    /// Leaves numbers out.
    @inline(__always)
    mutating func skip(_ count: UInt64) { state &+= count &* 0x9E37_79B9_7F4A_7C15 }

    mutating func normal() -> Double {
        StandardNormal.quantile(unit())
    }

    /// One key made of two. Different pairs give the same key with probability 2⁻⁶⁴.
    @inline(__always)
    static func key(_ first: UInt64, _ second: UInt64) -> UInt64 { Prefix(first).key(second) }

    /// The first half of many keys: ``key(_:_:)`` at half the cost.
    struct Prefix: Sendable, BitwiseCopyable {
        private let mixed: UInt64

        @inline(__always)
        init(_ first: UInt64) { mixed = KeyedBits.finalize(first &+ 0x9E37_79B9_7F4A_7C15) }

        @inline(__always)
        func key(_ second: UInt64) -> UInt64 {
            KeyedBits.finalize(mixed ^ second &* 0xD6E8_FEB8_6659_FD93)
        }
    }

    @inline(__always)
    private static func finalize(_ value: UInt64) -> UInt64 {
        var z = value
        z = (z ^ z >> 30) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ z >> 27) &* 0x94D0_49BB_1331_11EB
        return z ^ z >> 31
    }
}
