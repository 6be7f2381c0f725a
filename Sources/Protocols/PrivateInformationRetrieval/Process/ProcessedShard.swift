import Crypto
import HomomorphicEncryption

/// A shard's rows laid out for PIR.
package struct ProcessedShard: Sendable {
    package let parameters: PIRParameters
    package let database: ProcessedDatabase
    package let rowCount: Int

    /// Plaintexts that a shard may have however few rows it has.
    private static let freePlaintextCount = 1 << 14

    /// Builds tables, buckets and plaintexts.
    ///
    /// The result is a function of its arguments: randomness comes from `seed` alone.
    ///
    /// - Parameters:
    ///   - rows: All rows; their keywords must be distinct.
    ///   - members: Those of the shard, in order.
    ///   - bucketSize: Largest size of a bucket, in bytes; see ``bucketSize(_:rows:)``.
    ///   - seed: Any number. Which of a row's buckets is taken depends on it, no answer does.
    ///   - shard: Number of the shard; separates its randomness from that of others.
    init(
        rows: KeywordRows, members: [Int], configuration: ProcessConfiguration, bucketSize: Int,
        context: BFVContext, seed: UInt64, shard: Int
    ) throws {
        let cuckoo = try configuration.cuckooTable.configuration(bucketSize: bucketSize)
        try Self.checkMemory(
            rows: rows, members: members, cuckoo: cuckoo, encryption: configuration.encryption)
        var generator = Self.generator(seed: seed, shard: shard)
        let table = try CuckooTable(rows, rows: members, configuration: cuckoo, using: &generator)
        var usesFullSize = configuration.useMaxSerializedBucketSize
        if case .fixedSize = cuckoo.bucketCount { usesFullSize = true }
        let shape = try DatabaseShape(
            entryCount: table.bucketsPerTable,
            entrySize: usesFullSize ? bucketSize : table.largestBucketByteCount,
            batchSize: cuckoo.hashFunctionCount, uneven: configuration.unevenDimensions,
            bytesPerPlaintext: configuration.encryption.bytesPerPlaintext)
        let parameters = try PIRParameters(
            encryption: configuration.encryption, shape: shape, hashFunctionCount: cuckoo.hashFunctionCount,
            shardingFunction: configuration.shardingFunction, keyCompression: configuration.keyCompression)
        try self.init(
            rows: rows, table: table, rowCount: members.count, parameters: parameters, context: context)
    }

    /// Fills a shard whose parameters are given.
    ///
    /// - Parameter table: Its buckets must fit the parameters.
    init(
        rows: KeywordRows, table: CuckooTable, rowCount: Int, parameters: PIRParameters, context: BFVContext
    ) throws {
        let entries = (0..<table.tableCount).map { number in
            table.buckets[number * table.bucketsPerTable..<(number + 1) * table.bucketsPerTable].map {
                HashBucket.encode(rows: $0, of: rows)
            }
        }
        database = try ProcessedDatabase(entries: entries, shape: parameters.shape, context: context)
        self.parameters = parameters
        self.rowCount = rowCount
    }

    /// The largest size of a bucket: what the configuration says, else
    /// ``CuckooConfiguration/defaultBucketSize(longestValueByteCount:bytesPerPlaintext:)`` over all rows, so that
    /// shards look alike.
    static func bucketSize(_ configuration: ProcessConfiguration, rows: KeywordRows) -> Int {
        configuration.cuckooTable.maxSerializedBucketSize
            ?? CuckooConfiguration.defaultBucketSize(
                longestValueByteCount: rows.longestValueByteCount,
                bytesPerPlaintext: configuration.encryption.bytesPerPlaintext)
    }

    /// Settings that ask for far more memory than the rows are worth are a mistake.
    private static func checkMemory(
        rows: KeywordRows, members: [Int], cuckoo: CuckooConfiguration, encryption: EncryptionParameters
    ) throws(KeywordDatabaseError) {
        let bucketCount = CuckooTable.plannedBucketCount(rows, rows: members, configuration: cuckoo)
        let size = cuckoo.maxSerializedBucketSize
        let bytesPerPlaintext = max(1, encryption.bytesPerPlaintext)
        let plaintextCount =
            bucketCount / max(1, bytesPerPlaintext / size)
            * ((size + bytesPerPlaintext - 1) / bytesPerPlaintext)
        let full = members.reduce(0) { $0 + HashBucket.byteCount(ofSingleValue: rows.valueByteCount(at: $1)) }
        let limit = max(freePlaintextCount, 64 * (full / bytesPerPlaintext))
        guard plaintextCount <= limit else {
            throw .settingOutOfRange(
                "cuckooTableArguments", found: "\(bucketCount) buckets of up to \(size) bytes",
                allowed: "at most \(limit) plaintexts of \(bytesPerPlaintext) bytes for these rows")
        }
    }

    /// Randomness for a shard's table.
    static func generator(seed: UInt64, shard: Int) -> DeterministicRandomBits {
        DeterministicRandomBits(
            seed: Array(SHA256.hash(data: Array("cuckoo table, seed \(seed), shard \(shard)".utf8))))
    }
}
