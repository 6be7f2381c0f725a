import Crypto
import HomomorphicEncryption

/// A shard's rows laid out for PIR.
package struct ProcessedShard: Sendable {
    package let parameters: PIRParameters
    package let database: ProcessedDatabase
    package let rowCount: Int

    /// Builds tables, buckets and plaintexts.
    ///
    /// The result is a function of its arguments: randomness comes from `seed` alone.
    ///
    /// - Parameters:
    ///   - rows: All rows; their keywords must be distinct.
    ///   - members: Those of the shard, in order.
    ///   - configuration: Cuckoo settings with the bucket size left open taken from
    ///     ``CuckooConfiguration/defaultBucketSize(longestValueByteCount:bytesPerPlaintext:)`` over all rows, so
    ///     that shards look alike.
    ///   - seed: Any number. Which of a row's buckets is taken depends on it, no answer does.
    ///   - shard: Number of the shard; separates its randomness from that of others.
    init(
        rows: KeywordRows, members: [Int], configuration: ProcessConfiguration, context: BFVContext,
        seed: UInt64,
        shard: Int
    ) throws {
        let bytesPerPlaintext = configuration.encryption.bytesPerPlaintext
        let bucketSize =
            configuration.cuckooTable.maxSerializedBucketSize
            ?? CuckooConfiguration.defaultBucketSize(
                longestValueByteCount: rows.longestValueByteCount, bytesPerPlaintext: bytesPerPlaintext)
        let cuckoo = try configuration.cuckooTable.configuration(bucketSize: bucketSize)
        var generator = DeterministicRandomBits(seed: Self.generatorSeed(seed: seed, shard: shard))
        let table = try CuckooTable(rows, rows: members, configuration: cuckoo, using: &generator)
        var usesFullSize = configuration.useMaxSerializedBucketSize
        if case .fixedSize = cuckoo.bucketCount { usesFullSize = true }
        let shape = try DatabaseShape(
            entryCount: table.bucketsPerTable,
            entrySize: usesFullSize ? bucketSize : table.largestBucketByteCount,
            batchSize: cuckoo.hashFunctionCount, uneven: configuration.unevenDimensions,
            bytesPerPlaintext: bytesPerPlaintext)
        parameters = try PIRParameters(
            encryption: configuration.encryption, shape: shape, hashFunctionCount: cuckoo.hashFunctionCount,
            shardingFunction: configuration.shardingFunction, keyCompression: configuration.keyCompression)
        let entries = (0..<table.tableCount).map { number in
            table.buckets[number * table.bucketsPerTable..<(number + 1) * table.bucketsPerTable].map {
                HashBucket.encode(rows: $0, of: rows)
            }
        }
        database = try ProcessedDatabase(entries: entries, shape: shape, context: context)
        rowCount = members.count
    }

    private static func generatorSeed(seed: UInt64, shard: Int) -> [UInt8] {
        Array(SHA256.hash(data: Array("cuckoo table, seed \(seed), shard \(shard)".utf8)))
    }
}
