// SPDX-License-Identifier: GPL-3.0-or-later
import RingKernels
import TestSupport
import Testing

@Suite struct SumTests {
    private func sum(_ ring: Ring, _ left: [Row], _ right: [Row]) -> Row {
        ring.result { output in
            withPointers(left) { left in
                withPointers(right) { rk_multiply_sum(ring.pointer, output, left, $0, right.count) }
            }
        }
    }

    /// (q - 1)^2 is 1 modulo q, so the sum of `count` such products is `count`.
    @Test("sums of largest residues do not overflow", arguments: [0] + fastInstructionSets)
    func largest(set: UInt32) throws {
        for wordBytes in [4, 8] {
            for degree in [2, 64] {
                for modulus in moduli(wordBytes: wordBytes, degree: degree) {
                    let ring = try #require(
                        Ring(
                            modulus: modulus, degree: degree, wordBytes: wordBytes,
                            set: rk_instruction_set(set)))
                    let row = ring.row(Array(repeating: modulus - 1, count: degree))
                    for count in Array(1...70) + [255, 256, 257, 511, 512, 513, 4095, 4096, 4097, 5000] {
                        let rows = Array(repeating: row, count: count)
                        let expected = Array(repeating: UInt64(count) % modulus, count: degree)
                        #expect(
                            sum(ring, rows, rows).values == expected, "modulus \(modulus), \(count) terms")
                    }
                }
            }
        }
    }

    @Test("sums of random products are those of integers", arguments: [0] + fastInstructionSets)
    func random(set: UInt32) throws {
        var random = SplitMix(seed: 21)
        for wordBytes in [4, 8] {
            for modulus in moduli(wordBytes: wordBytes, degree: 64) {
                let ring = try #require(
                    Ring(modulus: modulus, degree: 64, wordBytes: wordBytes, set: rk_instruction_set(set)))
                for count in [1, 2, 7, 33] {
                    let left = (0..<count).map { _ in ring.row(.random, using: &random) }
                    let right = (0..<count).map { _ in ring.row(.random, using: &random) }
                    let expected = zip(left, right).reduce(Array(repeating: UInt64(0), count: 64)) {
                        sum, pair in
                        zip(sum, zip(pair.0.values, pair.1.values)).map { sum, factors in
                            sum.plus(factors.0.times(factors.1, modulo: modulus), modulo: modulus)
                        }
                    }
                    #expect(sum(ring, left, right).values == expected, "modulus \(modulus), \(count) terms")
                }
            }
        }
    }

    @Test("two sums with the same left factors are the sums alone", arguments: [0] + fastInstructionSets)
    func pairOfSums(set: UInt32) throws {
        var random = SplitMix(seed: 23)
        for wordBytes in [4, 8] {
            for modulus in moduli(wordBytes: wordBytes, degree: 64) {
                let ring = try #require(
                    Ring(modulus: modulus, degree: 64, wordBytes: wordBytes, set: rk_instruction_set(set)))
                for (pattern, count) in [(Pattern.random, 1), (.random, 2), (.largest, 2), (.largest, 9)] {
                    let factors = (0..<3).map { _ in
                        (0..<count).map { _ in ring.row(pattern, using: &random) }
                    }
                    let outputs = [ring.row(), ring.row()]
                    withPointers(factors[0]) { left in
                        withPointers(factors[1]) { first in
                            withPointers(factors[2]) { second in
                                rk_multiply_sums(
                                    ring.pointer, outputs[0].pointer, outputs[1].pointer, left, first, second,
                                    count)
                            }
                        }
                    }
                    for (output, right) in zip(outputs, factors[1...]) {
                        #expect(
                            output.equals(sum(ring, factors[0], right)), "modulus \(modulus), \(count) terms")
                    }
                }
            }
        }
    }

    @Test("a tensor sum is four sums of products", arguments: [0] + fastInstructionSets)
    func tensor(set: UInt32) throws {
        var random = SplitMix(seed: 22)
        for wordBytes in [4, 8] {
            for modulus in moduli(wordBytes: wordBytes, degree: 64) {
                let ring = try #require(
                    Ring(modulus: modulus, degree: 64, wordBytes: wordBytes, set: rk_instruction_set(set)))
                for (pattern, count) in [(Pattern.random, 1), (.random, 9), (.largest, 2), (.largest, 600)] {
                    let factors = (0..<4).map { _ in
                        (0..<count).map { _ in ring.row(pattern, using: &random) }
                    }
                    let outputs = [ring.row(), ring.row(), ring.row()]
                    withPointers(factors[0]) { left0 in
                        withPointers(factors[1]) { left1 in
                            withPointers(factors[2]) { right0 in
                                withPointers(factors[3]) { right1 in
                                    rk_tensor_sum(
                                        ring.pointer, outputs[0].pointer, outputs[1].pointer,
                                        outputs[2].pointer,
                                        left0, left1, right0, right1, count)
                                }
                            }
                        }
                    }
                    let about = "modulus \(modulus), \(pattern), \(count) terms"
                    #expect(outputs[0].equals(sum(ring, factors[0], factors[2])), "first, \(about)")
                    let middle = sum(ring, factors[0] + factors[1], factors[3] + factors[2])
                    #expect(outputs[1].equals(middle), "middle, \(about)")
                    #expect(outputs[2].equals(sum(ring, factors[1], factors[3])), "last, \(about)")
                }
            }
        }
    }
}
