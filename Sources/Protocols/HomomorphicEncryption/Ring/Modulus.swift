/// A prime below 2^62 with the constants for reducing by it without dividing.
package struct Modulus: Hashable, Sendable {
    package let value: UInt64

    /// floor((2^64 - 1) / value), for Barrett reduction of one word.
    private let wordFactor: UInt64

    /// floor(2^(2b) / value) with `b` the bits of the value, for Barrett reduction of a product.
    private let productFactor: UInt64

    /// Bits of the value.
    package let bitCount: UInt64

    package init(_ value: UInt64) {
        precondition(value > 2 && value <= EncryptionParameters.maximumModulus, "moduli are in 3..<2^62")
        self.value = value
        wordFactor = UInt64.max / value
        bitCount = UInt64(UInt64.bitWidth - value.leadingZeroBitCount)
        let square = UInt128(1) << UInt128(2 * bitCount)
        productFactor = UInt64(square / UInt128(value))
    }

    /// Whether residues and their lazily reduced forms fit 32 bits, so that products fit one word.
    package var isNarrow: Bool { value < 1 << 30 }

    @inline(__always)
    package func reduce(_ x: UInt64) -> UInt64 {
        let quotient = x.multipliedFullWidth(by: wordFactor).high
        return correct(x &- quotient &* value)
    }

    @inline(__always)
    package func add(_ x: UInt64, _ y: UInt64) -> UInt64 { correct(x &+ y) }

    @inline(__always)
    package func subtract(_ x: UInt64, _ y: UInt64) -> UInt64 { correct(x &+ value &- y) }

    @inline(__always)
    package func negate(_ x: UInt64) -> UInt64 { x == 0 ? 0 : value &- x }

    /// The product of two residues.
    @inline(__always)
    package func multiply(_ x: UInt64, _ y: UInt64) -> UInt64 {
        let product = x.multipliedFullWidth(by: y)
        // Barrett: the quotient estimate is at most two too small.
        let top = product.high &<< (65 &- bitCount) | product.low &>> (bitCount &- 1)
        let estimate = top.multipliedFullWidth(by: productFactor)
        let quotient = estimate.high &<< (63 &- bitCount) | estimate.low &>> (bitCount &+ 1)
        return correct(correct(product.low &- quotient &* value))
    }

    /// One conditional subtraction, of numbers below three times the value.
    @inline(__always)
    private func correct(_ x: UInt64) -> UInt64 { subtractUnlessBelow(x, value) }

    /// `base` to the power of `exponent`. Variable time in the exponent.
    package func power(_ base: UInt64, _ exponent: UInt64) -> UInt64 {
        var result: UInt64 = 1
        var square = base
        var rest = exponent
        while rest > 0 {
            if rest & 1 == 1 { result = multiply(result, square) }
            square = multiply(square, square)
            rest >>= 1
        }
        return result
    }

    /// The inverse of a nonzero residue, by Fermat: the value is prime.
    package func inverse(_ x: UInt64) -> UInt64 {
        precondition(x != 0, "zero has no inverse")
        return power(x, value - 2)
    }

    /// The product of any numbers, reduced.
    package func product(_ factors: some Sequence<UInt64>) -> UInt64 {
        factors.reduce(1) { multiply($0, reduce($1)) }
    }

    /// The numerically smallest primitive root of unity of an order that is a power of two and divides
    /// `value - 1`.
    package func smallestPrimitiveRoot(order: UInt64) -> UInt64 {
        precondition(order.nonzeroBitCount == 1 && value % order == 1, "no root of that order")
        guard order > 1 else { return 1 }
        // A power that is -1 halfway round has exactly this order.
        var candidate: UInt64 = 2
        var root = power(candidate, (value - 1) / order)
        while power(root, order / 2) != value - 1 {
            candidate += 1
            root = power(candidate, (value - 1) / order)
        }
        let step = multiply(root, root)
        var smallest = root
        for _ in 1..<max(order / 2, 1) {
            root = multiply(root, step)
            smallest = min(smallest, root)
        }
        return smallest
    }
}

/// `x - limit`, or `x` if that is negative; the difference must be below 2^63.
///
/// Without a comparison, so that it neither branches on secrets nor stalls on unpredictable ones.
@inline(__always)
func subtractUnlessBelow(_ x: UInt64, _ limit: UInt64) -> UInt64 {
    let difference = x &- limit
    let borrow = UInt64(bitPattern: Int64(bitPattern: difference) &>> 63)
    return difference &+ (borrow & limit)
}
