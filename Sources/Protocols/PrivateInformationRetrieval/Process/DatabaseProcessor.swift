import Foundation
package import HomomorphicEncryption

/// Turns a keyword database into processed shards, in memory or as files, like Apple's PIRProcessDatabase.
///
///     let (configuration, unknownKeys) = try ProcessConfiguration.read(json: bytes)
///     let processor = try DatabaseProcessor(configuration)
///     let summary = try processor.run { print($0) }
///
/// The same rows, configuration and seed give the same bytes, whether shards are processed at once or in turn, in one
/// run or in several: a run that was interrupted is continued by another one, which takes over the shards that are
/// finished.
package struct DatabaseProcessor: Sendable {
    package enum Progress: Hashable, Sendable {
        case rowsRead(Int)
        /// An update has looked at a shard of the previous database.
        case shardCompared(Int, of: Int)
        case shardFinished(Int, of: Int)
    }

    /// Shards that a database may have however few rows it has.
    private static let freeShardCount = 1 << 16

    package let configuration: ProcessConfiguration
    /// See ``ProcessedShard``.
    package let seed: UInt64
    package let context: BFVContext

    package init(_ configuration: ProcessConfiguration, seed: UInt64 = 0) throws {
        self.configuration = configuration
        self.seed = seed
        context = try BFVContext(parameters: configuration.encryption)
    }

    /// Reads the input file, processes it, and writes all output files.
    package func run(
        parallel: Bool = true, progress: @Sendable (Progress) -> Void = { _ in }
    ) throws -> [ShardSummary] {
        var reader = try KeywordDatabaseReader(path: configuration.inputDatabase)
        let rows = try reader.readAll()
        progress(.rowsRead(rows.count))
        return try run(rows, parallel: parallel, progress: progress)
    }

    /// Processes rows and writes all output files.
    ///
    /// A file appears under its name only when it is complete. If something fails, shards that were finished
    /// before stay; no half-written file is left behind.
    ///
    /// - Parameters:
    ///   - parallel: Whether shards are processed on all cores.
    ///   - startsOver: Whether shards are made again that an earlier run finished.
    ///   - progress: Called from any thread.
    package func run(
        _ rows: KeywordRows, parallel: Bool = true, startsOver: Bool = false,
        progress: @Sendable (Progress) -> Void = { _ in }
    ) throws -> [ShardSummary] {
        let members = try shardMembers(of: rows)
        let shardCount = members.count
        let files = ShardFiles(configuration, context: context)
        try files.prepare(shardCount: shardCount)
        let bucketSize = ProcessedShard.bucketSize(configuration, rows: rows)
        let trials = TrialQueries(context: context)
        let summaries = try map(rows, members, parallel: parallel, progress: progress) { shard, members in
            let key = ShardFiles.Key(
                recipe: ShardRecipe.hash(
                    configuration, bucketSize: bucketSize, seed: seed, shard: shard, shardCount: shardCount),
                rows: ShardRecipe.hash(of: members, rows: rows))
            if !startsOver, let summary = files.finishedBefore(shard, key: key) { return summary }
            let processed = try self.process(rows, members: members, bucketSize: bucketSize, shard: shard)
            let result = try trials.run(
                configuration.trialsPerShard, of: processed, number: shard, rows: rows, members: members)
            return try files.write(processed, shard: shard, trials: result, key: key)
        }
        try files.writeEvaluationKeyConfiguration(of: summaries)
        return summaries
    }

    /// Processes rows without touching a file. No test queries are made.
    package func shards(
        of rows: KeywordRows, parallel: Bool = true, progress: @Sendable (Progress) -> Void = { _ in }
    ) throws -> [ProcessedShard] {
        let bucketSize = ProcessedShard.bucketSize(configuration, rows: rows)
        return try map(rows, shardMembers(of: rows), parallel: parallel, progress: progress) {
            shard, members in
            try self.process(rows, members: members, bucketSize: bucketSize, shard: shard)
        }
    }

    /// A usecase made from rows without touching a file.
    package func usecase(named name: String, rows: KeywordRows) throws -> PIRUsecase {
        try PIRUsecase(
            name: name,
            shards: shards(of: rows).map {
                PIRShardServer(parameters: $0.parameters, database: $0.database, context: context)
            })
    }

    /// Row numbers by shard, in order.
    ///
    /// - Parameter shardCount: Nil takes what the configuration says.
    func shardMembers(of rows: KeywordRows, shardCount: Int? = nil) throws -> [[Int]] {
        guard rows.count > 0 else { throw KeywordDatabaseError.noRows }
        try rows.checkKeywordsAreDistinct()
        let shardCount = shardCount ?? configuration.sharding.shardCount(rowCount: rows.count)
        let largest = max(rows.count, Self.freeShardCount)
        guard shardCount <= largest else {
            throw KeywordDatabaseError.settingOutOfRange(
                "sharding.shardCount", found: "\(shardCount)", allowed: "at most \(largest) for these rows")
        }
        var members: [[Int]] = Array(repeating: [], count: shardCount)
        for (row, hash) in rows.hashes.enumerated() {
            members[configuration.shardingFunction.shard(of: hash, shardCount: shardCount)].append(row)
        }
        return members
    }

    /// Applies `body` to every shard, on as many threads as cores and memory allow.
    func map<Result: Sendable>(
        _ rows: KeywordRows, _ members: [[Int]], parallel: Bool, progress: @Sendable (Progress) -> Void,
        _ body: @Sendable (Int, [Int]) throws -> Result
    ) throws -> [Result] {
        // Room for the plaintexts of the largest shard, at the usual load.
        let slotByteCount = HashBucket.slotOverheadByteCount + rows.longestValueByteCount
        let largest = (members.map(\.count).max() ?? 0) * slotByteCount
        let encryption = configuration.encryption
        let plaintextByteCount =
            encryption.polynomialDegree * encryption.ciphertextModulusCount * MemoryLayout<UInt64>.size
        let width = ShardWorkers.width(
            parallel: parallel,
            shardByteCount: (largest / encryption.bytesPerPlaintext + 1) * plaintextByteCount * 3 / 2)
        return try ShardWorkers.map(count: members.count, width: width) { shard in
            defer { progress(.shardFinished(shard, of: members.count)) }
            return try body(shard, members[shard])
        }
    }

    private func process(
        _ rows: KeywordRows, members: [Int], bucketSize: Int, shard: Int
    ) throws -> ProcessedShard {
        try ProcessedShard(
            rows: rows, members: members, configuration: configuration, bucketSize: bucketSize,
            context: context, seed: seed, shard: shard)
    }
}

/// Why processing was given up.
package enum DatabaseProcessorError: Error, Hashable {
    case trialFailed(shard: Int, keyword: String, noiseBudget: Double)
}

extension DatabaseProcessorError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .trialFailed(let shard, let keyword, let noiseBudget):
            """
            the test query for '\(keyword)' in shard \(shard) gave a wrong answer (noise budget \
            \((noiseBudget * 10).rounded() / 10) bits); use other rlweParameters or more shards
            """
        }
    }
}
