/// How a shard's rows are laid out in hash tables.
///
/// Defaults are those of Apple's tool; see article "PIR protocol", section "Cuckoo tables" and
/// section "Tool defaults".
package struct CuckooConfiguration: Hashable, Sendable {
    package enum BucketCount: Hashable, Sendable {
        /// Number that grows: as few buckets as the rows need, and more when the table is stuck.
        ///
        /// - expansionFactor: Growth of the number of buckets per attempt. Above 1.
        /// - targetLoadFactor: Share of the buckets' bytes that is meant to be used. Above 0, below 1.
        case allowExpansion(expansionFactor: Double, targetLoadFactor: Double)
        /// This many buckets over all tables, rounded up to a multiple of the number of tables.
        case fixedSize(Int)
    }

    package static let allowedHashFunctionCounts = 1...8
    package static let allowedEvictionCounts = 0...1_000_000
    package static let allowedBucketSizes = 11...(1 << 24)
    package static let allowedBucketCounts = 1...(1 << 28)
    package static let defaultBucketCount = BucketCount.allowExpansion(
        expansionFactor: 1.1, targetLoadFactor: 0.9)

    /// Hash functions, tables, and indices per query.
    package let hashFunctionCount: Int
    /// Rows that one insertion may push out of their bucket before the table counts as full.
    package let maxEvictionCount: Int
    /// Upper bound for the bytes of a bucket.
    package let maxSerializedBucketSize: Int
    package let bucketCount: BucketCount
    /// Upper bound for the rows in a bucket.
    package let slotCount: Int

    package init(
        hashFunctionCount: Int = 2, maxEvictionCount: Int = 100, maxSerializedBucketSize: Int,
        bucketCount: BucketCount = Self.defaultBucketCount, slotCount: Int = HashBucket.maximumSlotCount
    ) throws(KeywordDatabaseError) {
        try Self.check("hashFunctionCount", hashFunctionCount, Self.allowedHashFunctionCounts)
        try Self.check("maxEvictionCount", maxEvictionCount, Self.allowedEvictionCounts)
        try Self.check("maxSerializedBucketSize", maxSerializedBucketSize, Self.allowedBucketSizes)
        try Self.check("slotCount", slotCount, 1...HashBucket.maximumSlotCount)
        switch bucketCount {
        case .fixedSize(let count):
            try Self.check("bucketCount.fixedSize.bucketCount", count, Self.allowedBucketCounts)
        case .allowExpansion(let expansionFactor, let targetLoadFactor):
            guard expansionFactor > 1, expansionFactor <= 16 else {
                throw .settingOutOfRange(
                    "expansionFactor", found: "\(expansionFactor)", allowed: "above 1 and at most 16")
            }
            guard targetLoadFactor >= 0.001, targetLoadFactor < 1 else {
                throw .settingOutOfRange(
                    "targetLoadFactor", found: "\(targetLoadFactor)", allowed: "at least 0.001 and below 1")
            }
        }
        self.hashFunctionCount = hashFunctionCount
        self.maxEvictionCount = maxEvictionCount
        self.maxSerializedBucketSize = maxSerializedBucketSize
        self.bucketCount = bucketCount
        self.slotCount = slotCount
    }

    /// The bucket size that Apple's tool picks when none is given, in bytes.
    ///
    /// Two buckets share a plaintext, unless a single value already fills half of one: then a bucket takes the
    /// fewest whole plaintexts that hold the value.
    package static func defaultBucketSize(longestValueByteCount: Int, bytesPerPlaintext: Int) -> Int {
        let single = HashBucket.byteCount(ofSingleValue: longestValueByteCount)
        guard single >= bytesPerPlaintext / 2 else { return bytesPerPlaintext / 2 }
        return (single + bytesPerPlaintext - 1) / bytesPerPlaintext * bytesPerPlaintext
    }

    private static func check(
        _ name: String, _ value: Int, _ allowed: ClosedRange<Int>
    ) throws(KeywordDatabaseError) {
        guard allowed.contains(value) else {
            throw .settingOutOfRange(
                name, found: "\(value)", allowed: "in \(allowed.lowerBound)...\(allowed.upperBound)")
        }
    }
}
