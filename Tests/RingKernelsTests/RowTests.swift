// SPDX-License-Identifier: GPL-3.0-or-later
import RingKernels
import TestSupport
import Testing

/// Results of the operations on rows that do not transform, by name, for comparison.
private struct RowResults {
    var rows: [(name: String, row: Row)] = []

    /// Runs every operation on inputs that depend on `seed` only.
    init(_ ring: Ring, special: Ring, pattern: Pattern, seed: UInt64) {
        var random = SplitMix(seed: seed)
        let (pointer, degree) = (ring.pointer, ring.degree)
        let (a, b) = (ring.row(pattern, using: &random), ring.row(.random, using: &random))
        let low = ring.row(pattern.values(count: degree, below: special.modulus, using: &random))
        let limit: UInt64 = ring.wordBytes == 4 ? 1 << 30 : 1 << 62
        let wide = ring.row(pattern.values(count: degree, below: limit, using: &random))
        let exponent = Int(random.next() % UInt64(degree))
        func add(_ name: String, _ operation: (UnsafeMutableRawPointer) -> Void) {
            rows.append((name, ring.result(operation)))
        }
        add("add") { rk_add(pointer, $0, a.pointer, b.pointer) }
        add("subtract") { rk_subtract(pointer, $0, a.pointer, b.pointer) }
        add("negate") { rk_negate(pointer, $0, a.pointer) }
        add("multiply") { rk_multiply(pointer, $0, a.pointer, b.pointer) }
        add("multiply_constant") { rk_multiply_constant(pointer, $0, a.pointer, ring.modulus - 2) }
        add("reduce") { rk_reduce(pointer, $0, wide.pointer) }
        add("divide_rounding") {
            rk_divide_rounding(pointer, $0, a.pointer, low.pointer, special.pointer, nil)
        }
        add("divide_rounding with an addend") {
            rk_divide_rounding(pointer, $0, a.pointer, low.pointer, special.pointer, b.pointer)
        }
        let (sum, difference) = (ring.row(), ring.row())
        rk_split(pointer, sum.pointer, difference.pointer, a.pointer, b.pointer, exponent)
        rows += [("split, sum", sum), ("split, difference", difference)]
        let element = UInt32(2 * (random.next() % UInt64(degree)) + 1)
        if let automorphism = rk_automorphism_create(degree, element) {
            add("move_coefficients") { rk_move_coefficients(pointer, automorphism, $0, a.pointer) }
            add("move_evaluations") { rk_move_evaluations(pointer, automorphism, $0, a.pointer) }
            rk_automorphism_destroy(automorphism)
        }
    }

    func expectEqual(_ other: RowResults, _ about: String) {
        for (mine, theirs) in zip(rows, other.rows) {
            #expect(mine.row.equals(theirs.row), "\(mine.name), \(about)")
        }
    }
}

@Suite struct RowTests {
    @Test("rows give the same bits on every instruction set", arguments: fastInstructionSets)
    func instructionSets(set: UInt32) throws {
        for wordBytes in [4, 8] {
            for degree in (1...13).map({ 1 << $0 }) {
                let step = UInt64(2 * degree)
                let special = try #require(
                    Ring(
                        modulus: primes(below: wordBytes == 4 ? 1 << 30 : 1 << 62, step: step, count: 2)[1],
                        degree: degree, wordBytes: wordBytes))
                for modulus in moduli(wordBytes: wordBytes, degree: degree) {
                    let portable = try #require(Ring(modulus: modulus, degree: degree, wordBytes: wordBytes))
                    let fast = try #require(
                        Ring(
                            modulus: modulus, degree: degree, wordBytes: wordBytes,
                            set: rk_instruction_set(set)))
                    for (seed, pattern) in Pattern.allCases.enumerated() {
                        let expected = RowResults(
                            portable, special: special, pattern: pattern, seed: UInt64(seed))
                        RowResults(fast, special: special, pattern: pattern, seed: UInt64(seed))
                            .expectEqual(expected, "modulus \(modulus), degree \(degree), \(pattern)")
                    }
                }
            }
        }
    }

    @Test("operations on residues are those on integers", arguments: [4, 8])
    func integers(wordBytes: Int) throws {
        var random = SplitMix(seed: 11)
        for modulus in moduli(wordBytes: wordBytes, degree: 16) {
            let ring = try #require(Ring(modulus: modulus, degree: 16, wordBytes: wordBytes))
            for pattern in Pattern.allCases {
                let (a, b) = (ring.row(pattern, using: &random), ring.row(.random, using: &random))
                let (x, y) = (a.values, b.values)
                func expect(
                    _ operation: (UnsafeMutableRawPointer) -> Void, _ truth: (UInt64, UInt64) -> UInt64
                ) {
                    #expect(
                        ring.result(operation).values == zip(x, y).map(truth),
                        "modulus \(modulus), \(pattern)")
                }
                expect({ rk_add(ring.pointer, $0, a.pointer, b.pointer) }) { $0.plus($1, modulo: modulus) }
                expect({ rk_subtract(ring.pointer, $0, a.pointer, b.pointer) }) {
                    $0.minus($1, modulo: modulus)
                }
                expect({ rk_negate(ring.pointer, $0, a.pointer) }) { x, _ in
                    UInt64(0).minus(x, modulo: modulus)
                }
                expect({ rk_multiply(ring.pointer, $0, a.pointer, b.pointer) }) {
                    $0.times($1, modulo: modulus)
                }
                expect({ rk_multiply_constant(ring.pointer, $0, a.pointer, modulus - 1) }) { x, _ in
                    x.times(modulus - 1, modulo: modulus)
                }
            }
        }
    }

    @Test("operations may write over their inputs", arguments: [4, 8])
    func inPlace(wordBytes: Int) throws {
        var random = SplitMix(seed: 12)
        let modulus = primes(below: wordBytes == 4 ? 1 << 28 : 1 << 55, step: 512)[0]
        let ring = try #require(
            Ring(modulus: modulus, degree: 256, wordBytes: wordBytes, set: rk_best_instruction_set()))
        let (a, b) = (ring.row(.random, using: &random), ring.row(.random, using: &random))
        let sum = ring.result { rk_add(ring.pointer, $0, a.pointer, b.pointer) }
        #expect(ring.changed(b) { rk_add(ring.pointer, $0, a.pointer, $0) }.equals(sum))
        let difference = ring.row()
        let (left, right) = (a.copy(), b.copy())
        rk_split(ring.pointer, left.pointer, difference.pointer, left.pointer, b.pointer, 77)
        #expect(left.equals(sum))
        let again = ring.row()
        rk_split(ring.pointer, right.pointer, again.pointer, a.pointer, right.pointer, 77)
        #expect(right.equals(sum))
        #expect(again.equals(difference))
    }

    /// As in article "Homomorphic encryption", section "Modulus switching", on integers.
    @Test("division by another modulus rounds", arguments: [4, 8])
    func division(wordBytes: Int) throws {
        var random = SplitMix(seed: 13)
        let limit: UInt64 = wordBytes == 4 ? 1 << 30 : 1 << 62
        for modulus in moduli(wordBytes: wordBytes, degree: 16) {
            let ring = try #require(Ring(modulus: modulus, degree: 16, wordBytes: wordBytes))
            for specialModulus in [primes(below: limit, step: 32, count: 3)[2], 97] {
                let special = try #require(Ring(modulus: specialModulus, degree: 16, wordBytes: wordBytes))
                let half = specialModulus / 2
                let inverse = (specialModulus % modulus).inverse(modulo: modulus)
                for pattern in Pattern.allCases {
                    let (a, more) = (ring.row(pattern, using: &random), ring.row(.random, using: &random))
                    let low = special.row(pattern, using: &random)
                    let output = ring.result {
                        rk_divide_rounding(
                            ring.pointer, $0, a.pointer, low.pointer, special.pointer, more.pointer)
                    }
                    for (index, value) in output.values.enumerated() {
                        let shifted = low.values[index].plus(half, modulo: specialModulus) % modulus
                        let difference = (a.values[index] + half % modulus).minus(shifted, modulo: modulus)
                        let quotient = difference.times(inverse, modulo: modulus)
                        #expect(value == quotient.plus(more.values[index], modulo: modulus))
                    }
                }
            }
        }
    }

    @Test("a split adds, subtracts and divides by a power of X", arguments: [4, 8])
    func split(wordBytes: Int) throws {
        var random = SplitMix(seed: 14)
        for set in [0] + fastInstructionSets {
            let modulus = primes(below: wordBytes == 4 ? 1 << 28 : 1 << 60, step: 256)[0]
            let ring = try #require(
                Ring(modulus: modulus, degree: 128, wordBytes: wordBytes, set: rk_instruction_set(set)))
            let (c, moved) = (ring.row(.random, using: &random), ring.row(.random, using: &random))
            let difference = ring.result { rk_subtract(ring.pointer, $0, c.pointer, moved.pointer) }
            for exponent in 0..<128 {
                let (sum, output) = (ring.row(), ring.row())
                rk_split(ring.pointer, sum.pointer, output.pointer, c.pointer, moved.pointer, exponent)
                // X^N is -1.
                let expected = (0..<128).map { place in
                    let source = place + exponent
                    let value = difference.values[source % 128]
                    return source < 128 ? value : UInt64(0).minus(value, modulo: modulus)
                }
                #expect(output.values == expected)
            }
        }
    }

    @Test("a split in evaluation form adds the image, and multiplies the difference", arguments: [4, 8])
    func splitEvaluations(wordBytes: Int) throws {
        var random = SplitMix(seed: 16)
        for set in [0] + fastInstructionSets {
            for modulus in moduli(wordBytes: wordBytes, degree: 64) {
                let ring = try #require(
                    Ring(modulus: modulus, degree: 64, wordBytes: wordBytes, set: rk_instruction_set(set)))
                for pattern in Pattern.allCases {
                    let rows = (0..<4).map { _ in ring.row(pattern, using: &random) }
                    let factor = ring.row(.random, using: &random)
                    for more in [nil, rows[3]] {
                        // The sum in place of the first input.
                        let (sum, difference) = (rows[0].copy(), ring.row())
                        rk_split_evaluations(
                            ring.pointer, sum.pointer, difference.pointer, sum.pointer, rows[1].pointer,
                            rows[2].pointer, more.map { UnsafeRawPointer($0.pointer) }, factor.pointer)
                        for index in 0..<64 {
                            let image = rows[1].values[index].plus(rows[2].values[index], modulo: modulus)
                                .plus(more?.values[index] ?? 0, modulo: modulus)
                            let node = rows[0].values[index]
                            #expect(sum.values[index] == node.plus(image, modulo: modulus))
                            let rest = node.minus(image, modulo: modulus)
                            #expect(
                                difference.values[index] == rest.times(factor.values[index], modulo: modulus))
                        }
                    }
                }
            }
        }
    }

    @Test("an automorphism is the same before and after a transform", arguments: [4, 8])
    func automorphism(wordBytes: Int) throws {
        var random = SplitMix(seed: 15)
        for degree in [2, 16, 1024] {
            let modulus = primes(below: wordBytes == 4 ? 1 << 28 : 1 << 60, step: UInt64(2 * degree))[0]
            for set in [0] + fastInstructionSets {
                let ring = try #require(
                    Ring(modulus: modulus, degree: degree, wordBytes: wordBytes, set: rk_instruction_set(set))
                )
                for element in [1, 3, degree + 1, 2 * degree - 1] where element % 2 == 1 {
                    let automorphism = try #require(rk_automorphism_create(degree, UInt32(element)))
                    defer { rk_automorphism_destroy(automorphism) }
                    let input = ring.row(.random, using: &random)
                    let moved = ring.result {
                        rk_move_coefficients(ring.pointer, automorphism, $0, input.pointer)
                    }
                    // Coefficient i moves to i · element, X^N being -1.
                    for (index, value) in input.values.enumerated() {
                        let place = index * element % (2 * degree)
                        let expected = place < degree ? value : UInt64(0).minus(value, modulo: modulus)
                        #expect(moved.values[place % degree] == expected)
                    }
                    rk_forward(ring.pointer, moved.pointer)
                    rk_forward(ring.pointer, input.pointer)
                    let permuted = ring.result {
                        rk_move_evaluations(ring.pointer, automorphism, $0, input.pointer)
                    }
                    #expect(permuted.equals(moved), "element \(element), degree \(degree)")
                }
            }
        }
    }
}
