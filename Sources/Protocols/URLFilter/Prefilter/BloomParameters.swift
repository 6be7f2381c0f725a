import Foundation

/// The shape of a prefilter: everything except its contents.
///
/// The three values are the `bitCount`, `hashCount` and `murmurSeed` that a
/// filter provider hands to the system, so what is tuned here ships unchanged.
///
///     let parameters = try BloomParameters(bitCount: 14_377_588, hashCount: 10, murmurSeed: 7)
///     parameters.byteCount                               // 1_797_199
///     parameters.falsePositiveRate(entryCount: 1_000_000)  // ≈ 1.0e-3
package struct BloomParameters: Hashable, Sendable {
    /// Largest `hashCount` accepted. An ideal filter that errs once in 2⁶⁴
    /// lookups needs 64 probes, so a larger number is a mistake.
    package static let maximumHashCount: UInt32 = 64

    /// Largest `bitCount`: the device stores it in 32 bits, which makes at most 512 MiB of data.
    /// Reverse-engineered, article "Device", section "Prefilter".
    package static let maximumBitCount = UInt32.max

    /// The seed of the filter that ships with Apple's sample (article "Device", section "Prefilter").
    package static let defaultMurmurSeed: UInt32 = 624_656_550

    /// Tolerance of Apple's tool unless told otherwise (article "Device", section "Data set and tools").
    package static let defaultFalsePositiveTolerance = 0.001

    /// Length of the bit array, in bits. Never 0.
    package let bitCount: UInt32

    /// Probes per lookup. In `1...maximumHashCount`.
    package let hashCount: UInt32

    /// Seed of the second hash. Never 0: devices may refuse such a filter.
    package let murmurSeed: UInt32

    /// Download size of the bit array, in bytes, rounded up.
    package var byteCount: Int { (Int(bitCount) + 7) / 8 }

    package init(bitCount: UInt32, hashCount: UInt32, murmurSeed: UInt32) throws(BloomError) {
        guard bitCount > 0 else { throw .noBits }
        guard (1...Self.maximumHashCount).contains(hashCount) else {
            throw .hashCountOutOfRange(hashCount, allowed: 1...Self.maximumHashCount)
        }
        guard murmurSeed != 0 else { throw .zeroSeed }
        self.bitCount = bitCount
        self.hashCount = hashCount
        self.murmurSeed = murmurSeed
    }

    /// The shape that Apple's tool chooses.
    ///
    /// `bitCount` is `⌈-n·ln p / (ln 2)²⌉`, and `hashCount` is `⌈bitCount/n · ln 2⌉` from the already
    /// rounded `bitCount` (article "Device", section "Prefilter").
    ///
    /// - Parameters:
    ///   - entryCount: Lines of the block list, duplicates counted. At least 1.
    ///   - falsePositiveTolerance: Chance of a false hit per **string**, between 0 and 1, both excluded.
    package init(
        entryCount: Int, falsePositiveTolerance: Double, murmurSeed: UInt32
    ) throws(BloomError) {
        guard entryCount >= 1 else { throw .entryCountOutOfRange(entryCount, allowed: 1...Int.max) }
        guard falsePositiveTolerance > 0, falsePositiveTolerance < 1 else {
            throw .toleranceOutOfRange(falsePositiveTolerance)
        }
        let entries = Double(entryCount)
        let bits = (-entries * log(falsePositiveTolerance) / (log(2) * log(2))).rounded(.up)
        guard bits <= Double(Self.maximumBitCount) else {
            throw .tooManyBits(needed: bits, allowed: Self.maximumBitCount)
        }
        let hashes = (bits / entries * log(2)).rounded(.up)
        try self.init(
            bitCount: max(1, UInt32(bits)), hashCount: max(1, UInt32(hashes)), murmurSeed: murmurSeed)
    }

    /// Predicted probability that a string outside the set tests positive.
    ///
    /// Uses the independent-probe approximation `(1 - e^(-k·n/m))^k`. It is a
    /// prediction: report it next to the rate of the built filter,
    /// ``BloomFilter/effectiveFalsePositiveRate``.
    ///
    /// - Parameter entryCount: Entries inserted, `n`. Zero gives a rate of 0.
    /// - Returns: A probability in `0...1` for **one string**. A URL is tested
    ///   as dozens of strings; see ``PrefilterSize/perURL(_:stringsPerURL:)``.
    package func falsePositiveRate(entryCount: Int) -> Double {
        let fill = -expm1(-Double(hashCount) * Double(entryCount) / Double(bitCount))
        return pow(fill, Double(hashCount))
    }
}

/// The chance that at least one of `count` independent events happens.
func anyOf(_ count: Int, eachWith probability: Double) -> Double {
    guard count > 0 else { return 0 }
    return -expm1(Double(count) * log1p(-probability))
}
