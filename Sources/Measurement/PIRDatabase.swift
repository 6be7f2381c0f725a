import HomomorphicEncryption
package import PrivateInformationRetrieval

/// The PIR side of a block list, processed in memory.
package enum PIRDatabase {
    /// Value of every entry: the text "1". The device ignores it (apple-url-filter fact sheet, section 3).
    private static let value: [UInt8] = [UInt8(ascii: "1")]
    /// Entries per shard when the operator names no shard count (pir-protocol fact sheet, section 15).
    package static let entriesPerShard = 50_000

    /// How a list of this many entries is sharded: a power of two, as newer devices demand.
    package static func sharding(shardCount: Int?) throws -> Sharding {
        if let shardCount {
            return try Sharding(.shardCount(shardCount), requirePowerOfTwoShardCount: true)
        }
        return try Sharding(.entryCountPerShard(entriesPerShard), requirePowerOfTwoShardCount: true)
    }

    /// Processes all shards of a list.
    ///
    /// - Parameter entries: Distinct keys.
    package static func usecase(
        named name: String, entries: some Sequence<ArraySlice<UInt8>>, rlweParameters: String, shardCount: Int?,
        seed: UInt64
    ) throws -> PIRUsecase {
        let rows = try KeywordRows(entries.lazy.map { (keyword: Array($0), value: value) })
        return try processor(rlweParameters, shardCount: shardCount, seed: seed).usecase(named: name, rows: rows)
    }

    /// Processes only the entries of shard 0 of a list, which stands for all shards when costs are measured.
    ///
    /// - Returns: A usecase with that one shard, and the number of shards of the whole list.
    package static func representativeShard(
        named name: String, entries: some Sequence<ArraySlice<UInt8>>, rlweParameters: String, shardCount: Int?,
        seed: UInt64
    ) throws -> (usecase: PIRUsecase, shardCount: Int, entryCount: Int, sample: [[UInt8]]) {
        let all = entries.map { $0 }
        let count = try sharding(shardCount: shardCount).shardCount(rowCount: all.count)
        let members = all.lazy.map(Array.init).filter {
            ShardingFunction.sha256.shard(of: KeywordHash.hash($0), shardCount: count) == 0
        }
        let rows = try KeywordRows(members.map { (keyword: $0, value: value) })
        let usecase = try processor(rlweParameters, shardCount: 1, seed: seed).usecase(named: name, rows: rows)
        let sample = (0..<min(rows.count, 64)).map { rows.keyword(at: $0) }
        return (usecase, count, rows.count, sample)
    }

    private static func processor(
        _ rlweParameters: String, shardCount: Int?, seed: UInt64
    ) throws -> DatabaseProcessor {
        var configuration = ProcessConfiguration(
            inputDatabase: "", outputDatabase: "", outputPirParameters: "",
            encryption: try EncryptionParameters(named: rlweParameters))
        configuration.sharding = try sharding(shardCount: shardCount)
        return try DatabaseProcessor(configuration, seed: seed)
    }
}
