import HomomorphicEncryption
package import PrivateInformationRetrieval

/// The PIR side of a block list, processed in memory.
package enum PIRDatabase {
    /// Value of every entry: the text "1". The device ignores it (article "Device", section "Data set and tools").
    package static let value: [UInt8] = [UInt8(ascii: "1")]
    /// The name that a device asks for: bundle identifier, then `.url.filtering`.
    package static let usecaseName = "com.example.workbench.url.filtering"
    /// Apple's documented example of encryption parameters (article "PIR protocol", section "Sizes").
    package static let defaultParameters = "n_4096_logq_27_28_28_logt_5"
    /// Entries per shard when the operator names no shard count (article "PIR protocol", section "Sizes").
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
        named name: String, entries: some Sequence<ArraySlice<UInt8>>, rlweParameters: String,
        shardCount: Int?,
        seed: UInt64
    ) throws -> PIRUsecase {
        let rows = try KeywordRows(entries.lazy.map { (keyword: Array($0), value: value) })
        return try processor(rlweParameters, shardCount: shardCount, seed: seed).usecase(
            named: name, rows: rows)
    }

    /// Processes only the largest shard of a list, which stands for all shards when costs are measured: devices
    /// wait for the slowest one, and a small list may leave others empty.
    package static func representativeShard(
        named name: String, entries: some Sequence<ArraySlice<UInt8>>, rlweParameters: String,
        shardCount: Int?,
        seed: UInt64
    ) throws -> RepresentativeShard {
        let all = entries.map { $0 }
        let count = try sharding(shardCount: shardCount).shardCount(rowCount: all.count)
        let shardOf = all.map { ShardingFunction.sha256.shard(of: KeywordHash.hash($0), shardCount: count) }
        var sizes = Array(repeating: 0, count: count)
        for shard in shardOf { sizes[shard] += 1 }
        let largest = sizes.indices.max { sizes[$0] < sizes[$1] } ?? 0
        let members = zip(all, shardOf).filter { $0.1 == largest }.map(\.0)
        let rows = try KeywordRows(members.lazy.map { (keyword: Array($0), value: value) })
        let processor = try processor(rlweParameters, shardCount: 1, seed: seed)
        let shards = try processor.shards(of: rows)
        let usecase = try PIRUsecase(
            name: name,
            shards: shards.map {
                PIRShardServer(parameters: $0.parameters, database: $0.database, context: processor.context)
            })
        return RepresentativeShard(
            usecase: usecase, shardCount: count, entryCount: rows.count,
            databaseBytes: shards.reduce(0) { $0 + $1.database.byteCount },
            sample: (0..<min(rows.count, 64)).map { rows.keyword(at: $0) })
    }

    package struct RepresentativeShard {
        package var usecase: PIRUsecase
        /// Shards of the whole list.
        package var shardCount: Int
        package var entryCount: Int
        /// Memory of the processed shard.
        package var databaseBytes: Int
        /// Some of its entries.
        package var sample: [[UInt8]]
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
