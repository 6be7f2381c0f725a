import Foundation

/// How entries, bits, probes and false hits of a prefilter depend on each other: any two of the first three and,
/// if wished, the probes give the rest.
///
///     let size = try PrefilterSize(entryCount: 1_000_000, tolerance: 0.001)
///     size.bitCount    // 14_377_588
///     size.byteCount   // 1_797_199
///
/// By the approximation of independent probes, as ``BloomParameters/falsePositiveRate(entryCount:)``.
package struct PrefilterSize: Hashable, Sendable {
    /// Entries that the filter holds, at least 1.
    package let entryCount: Int
    package let bitCount: UInt32
    /// Probes per lookup, in `1...BloomParameters.maximumHashCount`.
    package let hashCount: UInt32
    /// Chance of a false hit per lookup string.
    package let falsePositiveRate: Double

    package var byteCount: Int { (Int(bitCount) + 7) / 8 }

    /// Chance that a URL outside the list has a false hit.
    package func falsePositiveRate(stringsPerURL: Int) -> Double {
        Self.perURL(falsePositiveRate, stringsPerURL: stringsPerURL)
    }

    /// - Parameter rate: Chance of a false hit per string.
    package static func perURL(_ rate: Double, stringsPerURL: Int) -> Double {
        anyOf(stringsPerURL, eachWith: rate)
    }

    /// The chance per string at which a URL has a false hit with the given chance.
    package static func tolerance(perURL chance: Double, stringsPerURL: Int) -> Double {
        -expm1(log1p(-chance) / Double(stringsPerURL))
    }

    /// The smallest filter that keeps to a tolerance.
    ///
    /// - Parameter hashCount: `nil` for the shape that Apple's tool chooses.
    package init(entryCount: Int, tolerance: Double, hashCount: UInt32? = nil) throws(BloomError) {
        var shape = try BloomParameters(
            entryCount: entryCount, falsePositiveTolerance: tolerance, murmurSeed: 1)
        if let hashCount {
            // Each probe has to miss often enough: (1 - e^(-kn/m))^k = p, solved for m.
            let bits = (-Double(hashCount) * Double(entryCount) / Self.logarithmOfZeros(tolerance, hashCount))
                .rounded(.up)
            guard bits <= Double(BloomParameters.maximumBitCount) else {
                throw .tooManyBits(needed: bits, allowed: BloomParameters.maximumBitCount)
            }
            shape = try BloomParameters(
                bitCount: max(1, UInt32(bits)), hashCount: hashCount, murmurSeed: 1)
        }
        self.init(entryCount, shape)
    }

    /// The chance that a filter of given bits errs.
    ///
    /// - Parameter hashCount: `nil` for the number that errs least.
    package init(entryCount: Int, bitCount: UInt32, hashCount: UInt32? = nil) throws(BloomError) {
        guard entryCount >= 1 else { throw .entryCountOutOfRange(entryCount, allowed: 1...Int.max) }
        let best = try (hashCount.map { $0...$0 } ?? 1...BloomParameters.maximumHashCount).map {
            (number) throws(BloomError) in
            Self(entryCount, try BloomParameters(bitCount: bitCount, hashCount: number, murmurSeed: 1))
        }.min { $0.falsePositiveRate < $1.falsePositiveRate }
        guard let best else { throw .hashCountOutOfRange(0, allowed: 1...BloomParameters.maximumHashCount) }
        self = best
    }

    /// The most entries that keep to a tolerance in given bits.
    ///
    /// - Parameter hashCount: `nil` for the number that holds most.
    package init(bitCount: UInt32, tolerance: Double, hashCount: UInt32? = nil) throws(BloomError) {
        guard tolerance > 0, tolerance < 1 else { throw .toleranceOutOfRange(tolerance) }
        func entries(_ number: UInt32) -> Double {
            -Double(bitCount) / Double(number) * Self.logarithmOfZeros(tolerance, number)
        }
        let number =
            hashCount ?? (1...BloomParameters.maximumHashCount).max { entries($0) < entries($1) } ?? 1
        let shape = try BloomParameters(bitCount: bitCount, hashCount: number, murmurSeed: 1)
        let count = entries(number).rounded(.down)
        guard count >= 1 else { throw .entryCountOutOfRange(0, allowed: 1...Int.max) }
        self.init(Int(min(count, 1e15)), shape)
    }

    private init(_ entryCount: Int, _ shape: BloomParameters) {
        self.entryCount = entryCount
        bitCount = shape.bitCount
        hashCount = shape.hashCount
        falsePositiveRate = shape.falsePositiveRate(entryCount: entryCount)
    }

    /// The natural logarithm of the share of bits that may be 0 when `hashCount` probes err with `tolerance`.
    private static func logarithmOfZeros(_ tolerance: Double, _ hashCount: UInt32) -> Double {
        log1p(-pow(tolerance, 1 / Double(hashCount)))
    }
}
