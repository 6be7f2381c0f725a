/// Many keys at once. A prefilter is usually larger than the processor's cache, so a probe waits for memory;
/// many probes wait no longer than one if they are announced before the first one is made.
extension BloomFilter {
    /// Bits of one key that a round tests.
    private struct Probes: BitwiseCopyable {
        var first: UInt32
        var second: UInt32
    }

    /// Finds those of many keys that are possibly present.
    ///
    /// Goes through all keys with the first two probes, through those that are left with the next two, and so
    /// on. Which keys are left is a coin toss that no branch predictor wins, so no branch depends on it.
    ///
    /// - Parameter candidates: Room for the index of every key. The first ones become those of the result.
    /// - Returns: How many indices, in order.
    func findHits(
        among keys: UnsafeBufferPointer<KeyDigest>, candidates: UnsafeMutableBufferPointer<Int32>
    ) -> Int {
        precondition(candidates.count >= keys.count, "each key can be a candidate")
        let (bitCount, reciprocal, hashCount) = (parameters.bitCount, reciprocal, parameters.hashCount)
        return bytes.withUnsafeBufferPointer { bytes in
            withUnsafeTemporaryAllocation(of: Probes.self, capacity: keys.count) { probes in
                guard let bytes = bytes.baseAddress else { return 0 }
                for index in keys.indices { candidates[index] = Int32(truncatingIfNeeded: index) }
                var count = keys.count
                var probe: UInt32 = 0
                while probe < hashCount, count > 0 {
                    // The last probe of an odd number is made twice.
                    let isPair: UInt32 = probe &+ 1 < hashCount ? 1 : 0
                    for place in 0..<count {
                        let key = keys[Int(candidates[place])]
                        let position = key.start &+ probe &* key.step
                        let first = Self.remainder(position, by: bitCount, reciprocal)
                        let second = Self.remainder(position &+ isPair &* key.step, by: bitCount, reciprocal)
                        MemoryAdvice.prefetch(bytes + (first &>> 3))
                        MemoryAdvice.prefetch(bytes + (second &>> 3))
                        probes[place] = Probes(
                            first: UInt32(truncatingIfNeeded: first),
                            second: UInt32(truncatingIfNeeded: second))
                    }
                    var kept = 0
                    for place in 0..<count {
                        candidates[kept] = candidates[place]
                        let (first, second) = (probes[place].first, probes[place].second)
                        let bits =
                            bytes[Int(first &>> 3)] &>> UInt8(truncatingIfNeeded: first & 7)
                            & bytes[Int(second &>> 3)] &>> UInt8(truncatingIfNeeded: second & 7)
                        kept &+= Int(bits & 1)
                    }
                    (count, probe) = (kept, probe &+ 2)
                }
                return count
            }
        }
    }

    /// Adds many keys: the same as one after the other, but several times as fast in a large filter.
    ///
    /// Needs no memory beside the filter's own (and 40 KiB).
    ///
    /// - Parameter key: Called once for each index from 0, in order.
    package mutating func insert(count: Int, _ key: (Int) throws -> KeyDigest) rethrows {
        let (bitCount, reciprocal, hashCount) = (parameters.bitCount, reciprocal, parameters.hashCount)
        let batchSize = Self.probesPerBatch / Int(hashCount)
        try bytes.withUnsafeMutableBufferPointer { bytes in
            guard let bytes = bytes.baseAddress else { return }
            try withUnsafeTemporaryAllocation(of: UInt32.self, capacity: Self.probesPerBatch) { bits in
                var index = 0
                while index < count {
                    let end = min(index + batchSize, count)
                    var bitsInBatch = 0
                    while index < end {
                        let key = try key(index)
                        var position = key.start
                        for _ in 0..<hashCount {
                            let bit = Self.remainder(position, by: bitCount, reciprocal)
                            MemoryAdvice.prefetch(bytes + (bit &>> 3))
                            bits[bitsInBatch] = UInt32(truncatingIfNeeded: bit)
                            bitsInBatch &+= 1
                            position &+= key.step
                        }
                        index &+= 1
                    }
                    for bit in bits[..<bitsInBatch] {
                        bytes[Int(bit &>> 3)] |= 1 &<< UInt8(truncatingIfNeeded: bit & 7)
                    }
                }
            }
        }
    }

    /// So many cache lines fit into the processor's first two caches together.
    private static let probesPerBatch = 10_240
}
