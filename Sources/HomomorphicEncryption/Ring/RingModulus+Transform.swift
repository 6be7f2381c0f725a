/// How a transform multiplies by a constant: Shoup's method for one width of modulus.
private protocol LazyProduct {
    var modulus: UInt64 { get }
    /// value · factor modulo the modulus, in `0..<2 * modulus`. The value may be any the width can hold.
    func multiply(_ value: UInt64, by factor: UInt64, _ quotient: UInt64) -> UInt64
}

/// Moduli below 2^30: values stay below 2^32, so 64-bit products are exact.
private struct NarrowProduct: LazyProduct {
    let modulus: UInt64

    @inline(__always)
    func multiply(_ value: UInt64, by factor: UInt64, _ quotient: UInt64) -> UInt64 {
        // The masks tell the compiler that these are products of 32-bit numbers.
        let mask: UInt64 = 0xffff_ffff
        let estimate = ((value & mask) &* (quotient & mask)) &>> 32
        return (value & mask) &* (factor & mask) &- (estimate & mask) &* (modulus & mask)
    }
}

/// Moduli below 2^62.
private struct WideProduct: LazyProduct {
    let modulus: UInt64

    @inline(__always)
    func multiply(_ value: UInt64, by factor: UInt64, _ quotient: UInt64) -> UInt64 {
        let estimate = value.multipliedFullWidth(by: quotient).high
        return value &* factor &- estimate &* modulus
    }
}

extension RingModulus {
    /// Coefficients to evaluations: natural order in, bit-reversed order out.
    package func forwardTransform(_ row: MutableRow) {
        precondition(row.count == degree, "a row has \(degree) residues")
        guard let values = row.baseAddress else { return }
        if arithmetic.isNarrow {
            forward(values, NarrowProduct(modulus: modulus))
        } else {
            forward(values, WideProduct(modulus: modulus))
        }
    }

    /// Evaluations to coefficients, the inverse of ``forwardTransform(_:)``.
    package func inverseTransform(_ row: MutableRow) {
        precondition(row.count == degree, "a row has \(degree) residues")
        guard let values = row.baseAddress else { return }
        if arithmetic.isNarrow {
            inverse(values, NarrowProduct(modulus: modulus))
        } else {
            inverse(values, WideProduct(modulus: modulus))
        }
    }

    /// Harvey's butterflies (arXiv:1205.2926): values stay below four times the modulus on the way.
    @inline(__always)
    private func forward(_ values: UnsafeMutablePointer<UInt64>, _ product: some LazyProduct) {
        let twice = 2 &* modulus
        forwardFactors.values.withUnsafeBufferPointer { factors in
            forwardFactors.quotients.withUnsafeBufferPointer { quotients in
                var stride = degree
                var groups = 1
                while groups < degree {
                    stride &>>= 1
                    for group in 0..<groups {
                        let factor = factors[groups &+ group]
                        let quotient = quotients[groups &+ group]
                        let left = values + 2 &* group &* stride
                        let right = left + stride
                        for index in 0..<stride {
                            let x = subtractUnlessBelow(left[index], twice)
                            let y = product.multiply(right[index], by: factor, quotient)
                            left[index] = x &+ y
                            right[index] = x &- y &+ twice
                        }
                    }
                    groups &<<= 1
                }
            }
        }
        for index in 0..<degree {
            values[index] = subtractUnlessBelow(subtractUnlessBelow(values[index], twice), modulus)
        }
    }

    /// The mirror image of ``forward(_:_:)``; values stay below twice the modulus.
    @inline(__always)
    private func inverse(_ values: UnsafeMutablePointer<UInt64>, _ product: some LazyProduct) {
        let twice = 2 &* modulus
        inverseFactors.values.withUnsafeBufferPointer { factors in
            inverseFactors.quotients.withUnsafeBufferPointer { quotients in
                var stride = 1
                var groups = degree &>> 1
                while groups > 0 {
                    for group in 0..<groups {
                        let factor = factors[groups &+ group]
                        let quotient = quotients[groups &+ group]
                        let left = values + 2 &* group &* stride
                        let right = left + stride
                        for index in 0..<stride {
                            let x = left[index]
                            let y = right[index]
                            left[index] = subtractUnlessBelow(x &+ y, twice)
                            right[index] = product.multiply(x &- y &+ twice, by: factor, quotient)
                        }
                    }
                    stride &<<= 1
                    groups &>>= 1
                }
            }
        }
        for index in 0..<degree {
            values[index] = subtractUnlessBelow(
                product.multiply(values[index], by: scale.value, scale.quotient), modulus)
        }
    }
}
