import RingKernels

/// 32 bytes from a generator, to seed ``DeterministicRandomBits``.
func randomSeed(using generator: inout some RandomNumberGenerator) -> [UInt8] {
    // No pieces that are put together: they would be left behind in memory.
    var seed = [UInt8](repeating: 0, count: DeterministicRandomBits.seedByteCount)
    for start in stride(from: 0, to: seed.count, by: 8) {
        let word = generator.next() as UInt64
        for index in 0..<8 { seed[start + index] = UInt8(truncatingIfNeeded: word >> (8 * index)) }
    }
    return seed
}

extension DeterministicRandomBits {
    /// Residues of uniform 128-bit numbers (article "Homomorphic encryption", section "Uniform polynomials").
    package mutating func fillUniform(_ row: UnsafeMutableRawPointer, of ring: RingModulus) {
        fillUniform(
            row, count: ring.degree, modulus: ring.modulus, wordByteCount: ring.wordByteCount,
            instructionSet: ring.instructionSet)
    }

    /// Residues for a modulus that needs no ring.
    package mutating func uniform(count: Int, below modulus: UInt64) -> [UInt64] {
        Array(unsafeUninitializedCapacity: count) { output, initializedCount in
            if let start = output.baseAddress {
                fillUniform(
                    start, count: count, modulus: modulus, wordByteCount: 8, instructionSet: .portable)
            }
            initializedCount = count
        }
    }

    private mutating func fillUniform(
        _ row: UnsafeMutableRawPointer, count: Int, modulus: UInt64, wordByteCount: Int,
        instructionSet: InstructionSet
    ) {
        withPieces(count: count) { places, random in
            rk_residues_of_random(
                instructionSet.kernel, wordByteCount, row + places.lowerBound * wordByteCount, random,
                places.count, modulus)
        }
    }

    /// Numbers that are -1, 0 and 1 with nearly equal probability: a 96-bit number modulo 3, minus 1.
    package mutating func ternary(count: Int) -> [Int8] {
        let modulus = Modulus(3)
        return (0..<count).map { _ in
            let high = next()
            let low = UInt64(nextInteger() as UInt32)
            // 2^32 leaves remainder 1 modulo 3.
            return Int8(modulus.add(modulus.reduce(high), modulus.reduce(low))) - 1
        }
    }

    /// Errors: the difference of two sums of 21 fair coins, ceil(2σ²) for σ = 3.2. The variance is half of it.
    package mutating func fillCenteredBinomial(
        _ output: UnsafeMutableBufferPointer<Int8>, instructionSet: InstructionSet
    ) {
        withPieces(count: output.count) { places, random in
            rk_errors_of_random(
                instructionSet.kernel, output.baseAddress! + places.lowerBound, random, places.count)
        }
    }
}
