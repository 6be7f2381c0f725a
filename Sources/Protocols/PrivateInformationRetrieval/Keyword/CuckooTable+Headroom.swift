/// Room that is left in the buckets of a shard.
package struct BucketHeadroom: Hashable, Sendable {
    /// Insertions after which counting stops.
    package static let maximumRowCount = 1 << 20

    /// Rows that were inserted, with random keywords, before the first one found no place. One sample.
    package let rowCount: Int
    /// Rows that the free bytes and slots could hold if every row could go anywhere. Not below `rowCount`.
    package let freeSlotCount: Int
    /// Length of the values that were tried, in bytes: the longest one of the shard, or 1 in an empty shard.
    package let valueByteCount: Int
}

extension StoredShard {
    /// Tries how many rows fit before the parameters have to change: the table cannot grow, nor can a bucket.
    ///
    /// - Parameters:
    ///   - slotCount: Upper bound for the rows in a bucket.
    ///   - maxEvictionCount: See ``CuckooConfiguration/maxEvictionCount``.
    ///   - generator: Draws keywords.
    package func headroom(
        slotCount: Int = HashBucket.maximumSlotCount, maxEvictionCount: Int = 100,
        using generator: inout some RandomNumberGenerator
    ) -> BucketHeadroom {
        let stored = Array(buckets.joined())
        let valueByteCount = stored.map(\.value.count).max() ?? 1
        let newSlot = HashBucket.slotOverheadByteCount + valueByteCount
        let size = parameters.shape.entrySize
        let free = buckets.reduce(0) { sum, bucket in
            let byteCount = bucket.reduce(HashBucket.emptyByteCount) {
                $0 + HashBucket.slotOverheadByteCount + $1.value.count
            }
            return sum + max(0, min((size - byteCount) / newSlot, slotCount - bucket.count))
        }
        guard
            let configuration = try? CuckooConfiguration(
                hashFunctionCount: parameters.hashFunctionCount, maxEvictionCount: maxEvictionCount,
                maxSerializedBucketSize: size, slotCount: slotCount)
        else { return BucketHeadroom(rowCount: 0, freeSlotCount: 0, valueByteCount: valueByteCount) }
        let limit = min(free, BucketHeadroom.maximumRowCount)
        var builder = CuckooBuilder(
            hashes: stored.map(\.hash) + (0..<limit).map { _ in generator.next() },
            slotByteCounts: stored.map { HashBucket.slotOverheadByteCount + $0.value.count }
                + Array(repeating: newSlot, count: limit),
            bucketCount: buckets.count, configuration: configuration)
        var slot = 0
        for (bucket, slots) in buckets.enumerated() {
            for _ in slots {
                // A foreign program may have filled a bucket beyond `slotCount`; then nothing more fits.
                guard builder.keep(slot, in: bucket) else {
                    return BucketHeadroom(rowCount: 0, freeSlotCount: 0, valueByteCount: valueByteCount)
                }
                slot += 1
            }
        }
        var fitting = 0
        while fitting < limit, builder.insert(slot + fitting, using: &generator) { fitting += 1 }
        return BucketHeadroom(rowCount: fitting, freeSlotCount: free, valueByteCount: valueByteCount)
    }

    /// Used share of each bucket's bytes.
    package var bucketLoads: [Double] {
        buckets.map { bucket in
            let byteCount = bucket.reduce(HashBucket.emptyByteCount) {
                $0 + HashBucket.slotOverheadByteCount + $1.value.count
            }
            return Double(byteCount) / Double(parameters.shape.entrySize)
        }
    }
}
