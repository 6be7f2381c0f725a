/// -ln(u) for random numbers.
///
/// Written out instead of calling the C library: several can be under way at
/// once in a loop, and every platform gets the same bits.
///
/// With `u = 2^e m` and `m` between √½ and √2, a table holds the logarithm of
/// the nearest centre `c`; the rest is a short series of `r = m / c - 1`, at
/// most 2⁻⁸. `m - c` is exact and 1 is a centre, so results near 0 are as
/// accurate as the others.
enum NegativeLogarithm {
    private struct Centre {
        let inverse: Double
        /// -ln(c)
        let value: Double
    }

    /// The bits of √½, rounded down to a centre; centres are 2⁴⁵ apart.
    private static let firstCentre: UInt64 = 0x3FE6_A000_0000_0000
    private static let spacing: UInt64 = 45

    // ln 2 in two parts, the first short enough that its multiples are exact.
    private static let ln2 = 0x1.62e42feep-1
    private static let ln2Rest = 1.908_214_929_270_587_7e-10

    /// From √½ to √2.
    private static let centres = (UInt64(0)...128).map { (index: UInt64) -> Centre in
        let c = Double(bitPattern: firstCentre + index << spacing)
        return Centre(inverse: 1 / c, value: series(c))
    }

    /// - Parameter u: In the open interval (0, 1).
    @inline(__always)
    static func of(_ u: Double) -> Double {
        centres.withUnsafeBufferPointer { of(u, $0) }
    }

    /// Replaces every number of a buffer by its negative logarithm times a factor.
    static func replace(_ buffer: UnsafeMutableBufferPointer<Double>, times factor: Double) {
        centres.withUnsafeBufferPointer { table in
            for index in buffer.indices { buffer[index] = factor * of(buffer[index], table) }
        }
    }

    @inline(__always)
    private static func of(_ u: Double, _ table: UnsafeBufferPointer<Centre>) -> Double {
        let bits = u.bitPattern
        // The exponent after moving √½ to the start of a power of two, plus 64 to stay positive.
        let exponent = (bits &+ (64 << 52) &- 0x3FE6_A09E_667F_3BCD) &>> 52
        let m = bits &- (exponent &- 64) &<< 52
        let c = (m &+ (1 << (spacing - 1))) & ~(1 << spacing - 1)
        // `m` is in √½...√2, so the index is in 0...128.
        let centre = table[Int(truncatingIfNeeded: (c &- firstCentre) &>> spacing)]
        let e = Double(Int64(truncatingIfNeeded: exponent) &- 64)
        let r = (Double(bitPattern: m) - Double(bitPattern: c)) * centre.inverse
        let square = r * r
        // r²/2 - r³/3 + … - r⁷/7
        let sixth: Double = 1 / 6.0 - r * (1 / 7.0)
        let fourth: Double = 0.25 - r * 0.2
        let second: Double = 0.5 - r * (1 / 3.0)
        let tail = square * (second + square * (fourth + square * sixth))
        return (centre.value - e * ln2) + ((tail - e * ln2Rest) - r)
    }

    /// -ln(c) = -2 (s + s³/3 + s⁵/5 + …) with s = (c - 1) / (c + 1), for `c` between √½ and √2.
    private static func series(_ c: Double) -> Double {
        let s = (c - 1) / (c + 1)
        var sum = 0.0
        for term in (0...12).reversed() { sum = sum * s * s + 1 / Double(2 * term + 1) }
        return -2 * s * sum
    }
}
