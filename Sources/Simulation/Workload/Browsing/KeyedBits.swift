import RandomStreams

/// Random bits that belong to one key, for the details of one page or one URL.
///
/// A page needs thousands of numbers whose only duty is to be the same on every visit.
struct KeyedBits {
    private var generator: SplitMix64

    init(key: UInt64) {
        generator = SplitMix64(key)
    }

    @inline(__always)
    mutating func next() -> UInt64 { generator.next() }

    /// A number in the open interval (0, 1).
    @inline(__always)
    mutating func unit() -> Double { generator.uniform() }

    /// Leaves numbers out.
    @inline(__always)
    mutating func skip(_ count: UInt64) { generator.skip(count) }

    mutating func normal() -> Double { StandardNormal.quantile(unit()) }

    /// One key made of two. Different pairs give the same key with probability 2⁻⁶⁴.
    @inline(__always)
    static func key(_ first: UInt64, _ second: UInt64) -> UInt64 { Prefix(first).key(second) }

    /// The first half of many keys: ``key(_:_:)`` at half the cost.
    struct Prefix: Sendable, BitwiseCopyable {
        private let mixed: UInt64

        @inline(__always)
        init(_ first: UInt64) { mixed = SplitMix64.finalize(first &+ 0x9E37_79B9_7F4A_7C15) }

        @inline(__always)
        func key(_ second: UInt64) -> UInt64 {
            SplitMix64.finalize(mixed ^ second &* 0xD6E8_FEB8_6659_FD93)
        }
    }
}
