import RingKernels

extension RandomStream {
    /// An exponentially distributed number. Takes one number of the stream.
    ///
    /// By inversion: a larger uniform number gives a smaller result, which
    /// keeps compared designs in step. For many draws from one stream use
    /// ``SampleBuffer``.
    ///
    /// - Parameter mean: In the unit of the result.
    package mutating func exponential(mean: Double) -> Double {
        mean * NegativeLogarithm.of(uniform())
    }
}

/// -ln(u) for random numbers.
///
/// Our own instead of the C library's: several can be under way at once, and
/// every platform gets the same bits.
enum NegativeLogarithm {
    private static let centres = (0..<UInt64(RK_LOGARITHM_CENTRES)).map { index in
        let bits = UInt64(RK_LOGARITHM_FIRST) + index << UInt64(RK_LOGARITHM_SPACING)
        let c = Double(bitPattern: bits)
        return rk_logarithm_centre(inverse: 1 / c, negative_logarithm: series(c))
    }

    private static let instructionSet = rk_best_instruction_set()

    /// - Parameter u: In the open interval (0, 1).
    @inline(__always)
    static func of(_ u: Double) -> Double {
        centres.withUnsafeBufferPointer { rk_negative_logarithm(u, $0.baseAddress) }
    }

    /// Replaces every number of a buffer by its negative logarithm times a factor.
    static func replace(_ buffer: UnsafeMutableBufferPointer<Double>, times factor: Double) {
        rk_negative_logarithms(instructionSet, buffer.baseAddress, buffer.count, factor, centres)
    }

    /// -ln(c) = -2 (s + s³/3 + s⁵/5 + …) with s = (c - 1) / (c + 1), for `c` between √½ and √2.
    private static func series(_ c: Double) -> Double {
        let s = (c - 1) / (c + 1)
        var sum = 0.0
        for term in (0...12).reversed() { sum = sum * s * s + 1 / Double(2 * term + 1) }
        return -2 * s * sum
    }
}
