// SPDX-License-Identifier: GPL-3.0-or-later
import RingKernels
import TestSupport
import Testing

/// The steps of article "Homomorphic encryption", section "Products of ciphertexts", one coefficient at a time and one
/// operation at a time.
private struct ScalingTruth {
    let base: [UInt64]
    let auxiliary: [UInt64]
    let plaintextModulus: UInt64
    let correction: UInt64

    private func product(_ numbers: some Sequence<UInt64>, modulo modulus: UInt64) -> UInt64 {
        numbers.reduce(1 % modulus) { $0.times($1 % modulus, modulo: modulus) }
    }

    private func product(of moduli: [UInt64], without index: Int, modulo modulus: UInt64) -> UInt64 {
        product(moduli.indices.filter { $0 != index }.map { moduli[$0] }, modulo: modulus)
    }

    /// (c · x · (S/s_i)^-1) mod s_i for each source modulus.
    private func digits(_ x: [UInt64], of moduli: [UInt64], times constant: UInt64) -> [UInt64] {
        moduli.indices.map { index in
            let modulus = moduli[index]
            let inverse = product(of: moduli, without: index, modulo: modulus).inverse(modulo: modulus)
            return x[index].times(inverse, modulo: modulus).times(constant % modulus, modulo: modulus)
        }
    }

    private func convert(_ digits: [UInt64], of moduli: [UInt64], to modulus: UInt64) -> UInt64 {
        moduli.indices.reduce(0) { sum, index in
            let factor = product(of: moduli, without: index, modulo: modulus)
            return sum.plus((digits[index] % modulus).times(factor, modulo: modulus), modulo: modulus)
        }
    }

    func lift(_ x: [UInt64]) -> [UInt64] {
        let digits = digits(x, of: base, times: correction)
        let z = convert(digits, of: base, to: correction)
        // Odd numbers have order dividing m~ / 2 modulo m~, a power of two.
        let inverse = product(base, modulo: correction).power(correction / 2 - 1, modulo: correction)
        let r = UInt64(0).minus(z.times(inverse, modulo: correction), modulo: correction)
        return auxiliary.map { modulus in
            let centered = r >= correction / 2 ? modulus - (correction - r) : r
            let multiple = product(base, modulo: modulus).times(centered, modulo: modulus)
            return convert(digits, of: base, to: modulus).plus(multiple, modulo: modulus)
                .times(correction.inverse(modulo: modulus), modulo: modulus)
        }
    }

    func round(_ x: [UInt64], _ y: [UInt64]) -> [UInt64] {
        let low = zip(x, base).map { $0.times(plaintextModulus % $1, modulo: $1) }
        let high = zip(y, auxiliary).map { $0.times(plaintextModulus % $1, modulo: $1) }
        let lowDigits = digits(low, of: base, times: 1)
        let quotients = auxiliary.indices.map { index in
            let modulus = auxiliary[index]
            let inverse = product(base, modulo: modulus).inverse(modulo: modulus)
            return high[index].minus(convert(lowDigits, of: base, to: modulus), modulo: modulus)
                .times(inverse, modulo: modulus)
        }
        let (others, last) = (Array(auxiliary.dropLast()), auxiliary[auxiliary.count - 1])
        let highDigits = digits(quotients, of: others, times: 1)
        let excess = convert(highDigits, of: others, to: last)
            .minus(quotients[quotients.count - 1], modulo: last)
            .times(product(others, modulo: last).inverse(modulo: last), modulo: last)
        return base.map { modulus in
            let multiple = product(others, modulo: modulus)
            let magnitude = excess > last / 2 ? last - excess : excess
            let wrapped = multiple.times(magnitude % modulus, modulo: modulus)
            let sum = convert(highDigits, of: others, to: modulus)
            return excess > last / 2
                ? sum.plus(wrapped, modulo: modulus) : sum.minus(wrapped, modulo: modulus)
        }
    }
}

/// Moduli of a ciphertext, with the auxiliary primes of its word size.
private struct ScalingModuli {
    let wordBytes: Int
    let degree: Int
    let base: [UInt64]

    var auxiliary: [UInt64] {
        primes(from: wordBytes == 4 ? 1 << 28 : 1 << 60, step: UInt64(2 * degree), count: base.count + 1)
    }

    static func all(degree: Int) -> [ScalingModuli] {
        func below(_ bits: UInt64, _ count: Int) -> [UInt64] {
            primes(below: 1 << bits, step: UInt64(2 * degree), count: count)
        }
        let narrow = [below(27, 1) + below(28, 1), below(28, 1), below(20, 1) + below(28, 3), below(30, 17)]
        let wide = [
            below(55, 2), below(60, 3), below(29, 1) + below(60, 1), below(20, 1) + below(33, 1),
            below(50, 6),
            below(62, 2),
        ]
        return narrow.map { ScalingModuli(wordBytes: 4, degree: degree, base: $0) }
            + wide.map { ScalingModuli(wordBytes: 8, degree: degree, base: $0) }
    }
}

private final class Scaling {
    let rings: [Ring]
    let pointer: OpaquePointer
    let count: Int

    init?(_ moduli: ScalingModuli, plaintextModulus: UInt64, set: rk_instruction_set) {
        let count = moduli.base.count
        self.count = count
        rings = (moduli.base + moduli.auxiliary).compactMap {
            Ring(modulus: $0, degree: moduli.degree, wordBytes: moduli.wordBytes, set: set)
        }
        guard rings.count == 2 * count + 1 else { return nil }
        let pointers: [OpaquePointer?] = rings.map(\.pointer)
        let scaling = pointers.withUnsafeBufferPointer { pointers -> OpaquePointer? in
            guard let start = pointers.baseAddress else { return nil }
            let bits: UInt32 = moduli.wordBytes == 4 ? 16 : 32
            return rk_scaling_create(start, count, start + count, plaintextModulus, bits)
        }
        guard let scaling else { return nil }
        pointer = scaling
    }

    deinit { rk_scaling_destroy(pointer) }

    func lift(_ base: [Row]) -> [Row] {
        let outputs = rings[count...].map { $0.row() }
        withMutablePointers(outputs) { output in
            withPointers(base) { rk_scaling_lift(pointer, output, $0) }
        }
        return outputs
    }

    func round(_ base: [Row], _ auxiliary: [Row]) -> [Row] {
        let outputs = rings[..<count].map { $0.row() }
        withMutablePointers(outputs) { output in
            withPointers(base) { base in
                withPointers(auxiliary) { rk_scaling_round(pointer, output, base, $0) }
            }
        }
        return outputs
    }
}

@Suite struct ScalingTests {
    @Test("conversions are those of the protocol, step by step", arguments: [0] + fastInstructionSets)
    func steps(set: UInt32) throws {
        var random = SplitMix(seed: 41)
        for moduli in ScalingModuli.all(degree: 16) {
            for plaintextModulus in [17, 65537, 2_199_023_288_321] as [UInt64] {
                let scaling = try #require(
                    Scaling(moduli, plaintextModulus: plaintextModulus, set: rk_instruction_set(set)))
                let truth = ScalingTruth(
                    base: moduli.base, auxiliary: moduli.auxiliary, plaintextModulus: plaintextModulus,
                    correction: moduli.wordBytes == 4 ? 1 << 16 : 1 << 32)
                for pattern in Pattern.allCases {
                    let rows = scaling.rings.map { $0.row(pattern, using: &random) }
                    let (base, auxiliary) = (Array(rows[..<scaling.count]), Array(rows[scaling.count...]))
                    let lifted = scaling.lift(base).map(\.values)
                    let rounded = scaling.round(base, auxiliary).map(\.values)
                    let (x, y) = (base.map(\.values), auxiliary.map(\.values))
                    let places = set == 0 ? Array(0..<2) : Array(0..<16)
                    for place in places {
                        let about = "\(moduli), t \(plaintextModulus), \(pattern), place \(place)"
                        #expect(lifted.map { $0[place] } == truth.lift(x.map { $0[place] }), "lift, \(about)")
                        #expect(
                            rounded.map { $0[place] }
                                == truth.round(x.map { $0[place] }, y.map { $0[place] }),
                            "round, \(about)")
                    }
                }
            }
        }
    }

    @Test("conversions give the same bits on every instruction set", arguments: fastInstructionSets)
    func instructionSets(set: UInt32) throws {
        var random = SplitMix(seed: 42)
        for degree in [4, 256, 4096] {
            for moduli in ScalingModuli.all(degree: degree) where moduli.base.count < 10 {
                let portable = try #require(Scaling(moduli, plaintextModulus: 17, set: RK_PORTABLE))
                let fast = try #require(Scaling(moduli, plaintextModulus: 17, set: rk_instruction_set(set)))
                for pattern in Pattern.allCases {
                    let rows = portable.rings.map { $0.row(pattern, using: &random) }
                    let (base, auxiliary) = (Array(rows[..<portable.count]), Array(rows[portable.count...]))
                    for (expected, output) in zip(portable.lift(base), fast.lift(base)) {
                        #expect(output.equals(expected), "lift, \(moduli), \(pattern)")
                    }
                    for (expected, output) in zip(
                        portable.round(base, auxiliary), fast.round(base, auxiliary))
                    {
                        #expect(output.equals(expected), "round, \(moduli), \(pattern)")
                    }
                }
            }
        }
    }

    /// round(t·a·b/Q), which the procedure misses by less than the number of its moduli.
    @Test("lift, product and rounding scale a product by t / Q")
    func product() throws {
        let moduli = ScalingModuli(wordBytes: 4, degree: 16, base: [134_176_769, 268_369_921])
        let scaling = try #require(Scaling(moduli, plaintextModulus: 17, set: rk_best_instruction_set()))
        var random = SplitMix(seed: 43)
        let whole = moduli.base[0] * moduli.base[1]
        let (a, b) = (random.next() % (whole / 2), random.next() % (whole / 2))
        // Constant polynomials: their products need no transform.
        func constant(_ value: UInt64) -> [Row] {
            let base = scaling.rings[..<2].map { $0.row(Array(repeating: value % $0.modulus, count: 16)) }
            return base + scaling.lift(base)
        }
        let products = zip(scaling.rings, zip(constant(a), constant(b))).map { ring, factors in
            ring.result { rk_multiply(ring.pointer, $0, factors.0.pointer, factors.1.pointer) }
        }
        let rounded = scaling.round(Array(products[..<2]), Array(products[2...]))
        let exact = UInt64(
            (UInt128(a) * UInt128(b) * 17 + UInt128(whole / 2)) / UInt128(whole) % UInt128(whole))
        for (row, modulus) in zip(rounded, moduli.base) {
            let error = row.values[0].minus(exact % modulus, modulo: modulus)
            #expect(min(error, modulus - error) <= 5)
        }
    }
}
