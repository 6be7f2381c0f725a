import Foundation

/// A set of keys that answers "definitely absent" or "possibly present": the prefilter.
///
/// There is no removal: clearing a bit could erase another key. The bits equal those of Apple's tool
/// (article "Device", section "Prefilter"): key, `KeyDigest`, positions `start + i·step` modulo 2³², then
/// modulo `bitCount`, least significant bit first.
package struct BloomFilter: Hashable, Sendable {
    package let parameters: BloomParameters

    /// The bit array, least significant bit first, ready to be shipped.
    package internal(set) var bytes: [UInt8]

    /// `⌈2⁶⁴ / bitCount⌉` modulo 2⁶⁴, for a remainder without a division (Lemire, Kaser and Kurz, "Faster
    /// remainder by direct computation", 2019: exact for all 32-bit numbers).
    let reciprocal: UInt64

    package init(parameters: BloomParameters) {
        self.parameters = parameters
        reciprocal = UInt64.max / UInt64(parameters.bitCount) &+ 1
        bytes = [UInt8](unsafeUninitializedCapacity: parameters.byteCount) { buffer, count in
            MemoryAdvice.useHugePages(buffer)
            buffer.initialize(repeating: 0)
            count = buffer.count
        }
    }

    /// A filter that was built before.
    ///
    /// - Parameter bytes: Exactly ``BloomParameters/byteCount`` of them. Bits after the last one of the
    ///   filter are kept and ignored.
    package init(parameters: BloomParameters, bytes: [UInt8]) throws(BloomError) {
        guard bytes.count == parameters.byteCount else {
            throw .wrongByteCount(bytes.count, expected: parameters.byteCount)
        }
        self.parameters = parameters
        reciprocal = UInt64.max / UInt64(parameters.bitCount) &+ 1
        self.bytes = bytes
    }

    /// Adds a key. Adding it again has no effect.
    ///
    /// - Complexity: O(`hashCount`).
    package mutating func insert(_ key: KeyDigest) {
        let (bitCount, reciprocal) = (parameters.bitCount, reciprocal)
        let hashCount = parameters.hashCount
        bytes.withUnsafeMutableBufferPointer { bytes in
            var position = key.start
            for _ in 0..<hashCount {
                let bit = Self.remainder(position, by: bitCount, reciprocal)
                bytes[bit >> 3] |= 1 << UInt8(truncatingIfNeeded: bit & 7)
                position &+= key.step
            }
        }
    }

    package mutating func insert(_ key: UnsafeBufferPointer<UInt8>) {
        insert(KeyDigest(key, murmurSeed: parameters.murmurSeed))
    }

    package mutating func insert(_ key: [UInt8]) {
        insert(KeyDigest(key, murmurSeed: parameters.murmurSeed))
    }

    package mutating func insert(_ key: String) {
        insert(KeyDigest(key, murmurSeed: parameters.murmurSeed))
    }

    /// Returns `false` only if the key was never inserted.
    ///
    /// - Complexity: O(`hashCount`); stops after 4 probes for 15 of 16 keys that a well-filled filter lacks.
    package func mayContain(_ key: KeyDigest) -> Bool {
        contains(key, in: bytes.span)
    }

    package func mayContain(_ key: UnsafeBufferPointer<UInt8>) -> Bool {
        mayContain(KeyDigest(key, murmurSeed: parameters.murmurSeed))
    }

    package func mayContain(_ key: [UInt8]) -> Bool {
        mayContain(KeyDigest(key, murmurSeed: parameters.murmurSeed))
    }

    package func mayContain(_ key: String) -> Bool {
        mayContain(KeyDigest(key, murmurSeed: parameters.murmurSeed))
    }

    /// Probes that are made together. Which bit of an absent key is the first clear one is a coin toss that no
    /// branch predictor wins, so one branch after several independent loads is faster than a branch each.
    private static let probesAtOnce: UInt32 = 4

    /// - Parameter bytes: The filter's own.
    private func contains(_ key: KeyDigest, in bytes: Span<UInt8>) -> Bool {
        var probe: UInt32 = 0
        while probe < parameters.hashCount {
            let end = min(probe + Self.probesAtOnce, parameters.hashCount)
            guard bits(of: key, probes: probe..<end, in: bytes) == 1 else { return false }
            probe = end
        }
        return true
    }

    /// Whether all bits of some probes of a key are set, as 0 or 1.
    @inline(__always)
    private func bits(of key: KeyDigest, probes: Range<UInt32>, in bytes: Span<UInt8>) -> Int {
        var position = key.start &+ probes.lowerBound &* key.step
        var bits: UInt8 = 1
        for _ in probes {
            let bit = Self.remainder(position, by: parameters.bitCount, reciprocal)
            bits &= bytes[unchecked: bit >> 3] &>> UInt8(truncatingIfNeeded: bit & 7)
            position &+= key.step
        }
        return Int(bits)
    }

    /// The position has wrapped at 32 bits before it is reduced to the filter's size; without that order no
    /// published vector matches.
    @inline(__always)
    static func remainder(_ position: UInt32, by bitCount: UInt32, _ reciprocal: UInt64) -> Int {
        let fraction = reciprocal &* UInt64(position)
        return Int(truncatingIfNeeded: fraction.multipliedFullWidth(by: UInt64(bitCount)).high)
    }
}

/// Behaviour of the built filter, as opposed to the promises of its parameters.
extension BloomFilter {
    /// Bits that are 1.
    ///
    /// - Complexity: O(`byteCount`).
    package var setBitCount: Int {
        bytes.withUnsafeBytes { bytes in
            let words = bytes.count / 8
            var count = 0
            for word in 0..<words {
                count += bytes.loadUnaligned(fromByteOffset: word * 8, as: UInt64.self).nonzeroBitCount
            }
            for byte in bytes[(words * 8)...] { count += byte.nonzeroBitCount }
            let used = parameters.bitCount & 7
            if used != 0, let last = bytes.last { count -= (last >> used).nonzeroBitCount }
            return count
        }
    }

    /// Share of the bits that are 1, in `0...1`. Near 0.5 for a filter that holds what it was sized for.
    package var fillRatio: Double { Double(setBitCount) / Double(parameters.bitCount) }

    /// Chance that a string outside the set tests positive in this very filter:
    /// `fillRatio` to the power of `hashCount`.
    package var effectiveFalsePositiveRate: Double { pow(fillRatio, Double(parameters.hashCount)) }

    /// Chance that a URL outside the set has at least one false hit in this very filter.
    ///
    /// Takes the strings as independent.
    ///
    /// - Parameter stringsPerURL: Lookup strings one URL expands to.
    package func effectivePerURLFalsePositiveRate(stringsPerURL: Int) -> Double {
        anyOf(stringsPerURL, eachWith: effectiveFalsePositiveRate)
    }
}
