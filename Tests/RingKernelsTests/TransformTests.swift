// SPDX-License-Identifier: GPL-3.0-or-later
import RingKernels
import TestSupport
import Testing

@Suite struct TransformTests {
    /// Value `i` is the polynomial at the root to the power of 2 · reversed(i) + 1.
    @Test("values are those at the odd powers of the root in bit-reversed order", arguments: [4, 8])
    func evaluation(wordBytes: Int) throws {
        var random = SplitMix(seed: 1)
        for degree in [2, 4, 16, 64] {
            let bits = degree.trailingZeroBitCount
            for modulus in moduli(wordBytes: wordBytes, degree: degree) {
                let ring = try #require(Ring(modulus: modulus, degree: degree, wordBytes: wordBytes))
                let input = ring.row(.random, using: &random)
                let coefficients = input.values
                let output = ring.changed(input) { rk_forward(ring.pointer, $0) }.values
                for (index, value) in output.enumerated() {
                    let exponent = UInt64(2 * bitReversed(index, bits: bits) + 1)
                    let point = ring.root.power(exponent, modulo: modulus)
                    let expected = coefficients.reversed().reduce(UInt64(0)) { sum, coefficient in
                        sum.times(point, modulo: modulus).plus(coefficient, modulo: modulus)
                    }
                    #expect(value == expected, "modulus \(modulus), degree \(degree), value \(index)")
                }
            }
        }
    }

    @Test("products of transforms are products modulo X^N + 1", arguments: [4, 8])
    func negacyclicProduct(wordBytes: Int) throws {
        var random = SplitMix(seed: 2)
        for degree in [2, 8, 128] {
            for modulus in moduli(wordBytes: wordBytes, degree: degree) {
                let ring = try #require(Ring(modulus: modulus, degree: degree, wordBytes: wordBytes))
                let (left, right) = (ring.row(.random, using: &random), ring.row(.random, using: &random))
                let (x, y) = (left.values, right.values)
                var expected = Array(repeating: UInt64(0), count: degree)
                for i in 0..<degree {
                    for j in 0..<degree {
                        let product = x[i].times(y[j], modulo: modulus)
                        let place = (i + j) % degree
                        expected[place] =
                            i + j < degree
                            ? expected[place].plus(product, modulo: modulus)
                            : expected[place].minus(product, modulo: modulus)
                    }
                }
                rk_forward(ring.pointer, left.pointer)
                rk_forward(ring.pointer, right.pointer)
                rk_multiply(ring.pointer, left.pointer, left.pointer, right.pointer)
                rk_inverse(ring.pointer, left.pointer)
                #expect(left.values == expected, "modulus \(modulus), degree \(degree)")
            }
        }
    }

    @Test("the inverse undoes the transform for every degree", arguments: [4, 8])
    func roundTrip(wordBytes: Int) throws {
        var random = SplitMix(seed: 3)
        for degree in (1...13).map({ 1 << $0 }) {
            for modulus in moduli(wordBytes: wordBytes, degree: degree) {
                let ring = try #require(Ring(modulus: modulus, degree: degree, wordBytes: wordBytes))
                for pattern in Pattern.allCases {
                    let input = ring.row(pattern, using: &random)
                    let output = ring.changed(input) {
                        rk_forward(ring.pointer, $0)
                        rk_inverse(ring.pointer, $0)
                    }
                    #expect(output.equals(input), "modulus \(modulus), degree \(degree), \(pattern)")
                }
            }
        }
    }

    @Test("transforms give the same bits on every instruction set", arguments: fastInstructionSets)
    func instructionSets(set: UInt32) throws {
        var random = SplitMix(seed: 4)
        for wordBytes in [4, 8] {
            for degree in (1...13).map({ 1 << $0 }) + [32768] {
                for modulus in moduli(wordBytes: wordBytes, degree: degree)
                where degree <= 8192 || modulus > 1 << 26 {
                    let portable = try #require(Ring(modulus: modulus, degree: degree, wordBytes: wordBytes))
                    let fast = try #require(
                        Ring(
                            modulus: modulus, degree: degree, wordBytes: wordBytes,
                            set: rk_instruction_set(set)))
                    let about = "modulus \(modulus), degree \(degree)"
                    for pattern in Pattern.allCases {
                        let input = portable.row(pattern, using: &random)
                        let forward = portable.changed(input) { rk_forward(portable.pointer, $0) }
                        let forward2 = fast.changed(input) { rk_forward(fast.pointer, $0) }
                        #expect(forward2.equals(forward), "forward, \(about), \(pattern)")
                        let inverse = portable.changed(input) { rk_inverse(portable.pointer, $0) }
                        let inverse2 = fast.changed(input) { rk_inverse(fast.pointer, $0) }
                        #expect(inverse2.equals(inverse), "inverse, \(about), \(pattern)")
                        let limit: UInt64 = wordBytes == 4 ? 1 << 30 : 1 << 62
                        let wide = portable.row(pattern.values(count: degree, below: limit, using: &random))
                        let reduced = portable.result {
                            rk_forward_reducing(portable.pointer, $0, wide.pointer)
                        }
                        let reduced2 = fast.result { rk_forward_reducing(fast.pointer, $0, wide.pointer) }
                        #expect(reduced2.equals(reduced), "reducing, \(about), \(pattern)")
                    }
                }
            }
        }
    }

    @Test("a reducing transform is a reduction and a transform", arguments: [4, 8])
    func reducing(wordBytes: Int) throws {
        var random = SplitMix(seed: 5)
        let limit: UInt64 = wordBytes == 4 ? 1 << 30 : 1 << 62
        for modulus in moduli(wordBytes: wordBytes, degree: 1024) {
            let ring = try #require(
                Ring(modulus: modulus, degree: 1024, wordBytes: wordBytes, set: rk_best_instruction_set()))
            let input = Pattern.random.values(count: 1024, below: limit, using: &random)
            let expected = ring.row(input.map { $0 % modulus })
            rk_forward(ring.pointer, expected.pointer)
            let row = ring.row(input)
            rk_forward_reducing(ring.pointer, row.pointer, row.pointer)
            #expect(row.equals(expected), "modulus \(modulus)")
        }
    }
}
