/// The generator of Steele, Lea and Flood (doi:10.1145/2714064.2660195): 1 ns a number.
///
/// For details that belong to one key and are the same whenever they are asked for, and to pick from a sample. What a
/// device does is drawn from its ``RandomStream``.
@usableFromInline
package struct SplitMix64: Sendable {
    @usableFromInline var state: UInt64

    @inlinable
    package init(_ seed: UInt64) { state = seed }

    @inlinable
    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        return Self.finalize(state)
    }

    /// Leaves numbers out.
    @inlinable
    package mutating func skip(_ count: UInt64) { state &+= count &* 0x9E37_79B9_7F4A_7C15 }

    /// A number in the open interval (0, 1).
    @inlinable
    package mutating func uniform() -> Double { Self.uniform(next()) }

    /// Own arithmetic rather than `Int.random`, whose algorithm may change with the standard library. The bias is
    /// below `count` / 2⁶⁴.
    @inlinable
    package mutating func index(below count: Int) -> Int {
        Int(next().multipliedFullWidth(by: UInt64(count)).high)
    }

    /// A number in the open interval (0, 1), from the upper bits.
    @inlinable
    package static func uniform(_ bits: UInt64) -> Double { (Double(bits >> 11) + 0.5) * 0x1p-53 }

    /// Spreads a change of one bit over all; a bijection.
    @inlinable
    package static func finalize(_ value: UInt64) -> UInt64 {
        var z = value
        z = (z ^ z >> 30) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ z >> 27) &* 0x94D0_49BB_1331_11EB
        return z ^ z >> 31
    }
}
