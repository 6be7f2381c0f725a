import RandomStreams

/// Random numbers that belong to an object of the web, for its hits.
struct KeyedHits {
    private var generator: SplitMix64

    init(_ key: UInt64) { generator = SplitMix64(key &* 0xD6E8_FEB8_6659_FD93 ^ 0x5851_F42D_4C95_7F2D) }

    mutating func next() -> UInt64 { generator.next() }

    /// Draws a number in the open interval (0, 1).
    mutating func uniform() -> Double { generator.uniform() }

    static func uniform(_ key: UInt64) -> Double { SplitMix64.uniform(SplitMix64.finalize(key)) }
}
