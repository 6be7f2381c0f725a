/// 32 bytes from a generator, to seed ``DeterministicRandomBits``.
func randomSeed(using generator: inout some RandomNumberGenerator) -> [UInt8] {
    (0..<DeterministicRandomBits.seedByteCount / 8).flatMap { _ in
        let word = generator.next() as UInt64
        return (0..<8).map { UInt8(truncatingIfNeeded: word >> (8 * $0)) }
    }
}

extension DeterministicRandomBits {
    /// Coin pairs of the error distribution: ceil(2σ²) for σ = 3.2. The variance is half of it.
    static let binomialPairs: UInt64 = 21

    /// Residues of uniform 128-bit numbers (PIR protocol fact sheet, section 3.2).
    package mutating func fillUniform(_ row: MutableRow, below modulus: Modulus) {
        withDoubleWords(count: row.count) { row[$0] = modulus.reduce(high: $1, low: $2) }
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

    /// Errors: the difference of two sums of 21 fair coins.
    package mutating func centeredBinomial(count: Int) -> [Int8] {
        let mask = UInt64(1) << Self.binomialPairs - 1
        return (0..<count).map { _ in
            let heads = (next() & mask).nonzeroBitCount
            let tails = (next() & mask).nonzeroBitCount
            return Int8(heads - tails)
        }
    }
}
