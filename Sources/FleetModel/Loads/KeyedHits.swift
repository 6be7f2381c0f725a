/// Random numbers that belong to an object of the web, for its hits (SplitMix64).
struct KeyedHits {
    private var state: UInt64

    init(_ key: UInt64) { state = key &* 0xD6E8_FEB8_6659_FD93 ^ 0x5851_F42D_4C95_7F2D }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        return Self.mix(state)
    }

    /// In the open interval (0, 1).
    mutating func uniform() -> Double { (Double(next() >> 11) + 0.5) * 0x1p-53 }

    static func uniform(_ key: UInt64) -> Double { (Double(mix(key) >> 11) + 0.5) * 0x1p-53 }

    private static func mix(_ value: UInt64) -> UInt64 {
        var z = value
        z = (z ^ z >> 30) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ z >> 27) &* 0x94D0_49BB_1331_11EB
        return z ^ z >> 31
    }
}
