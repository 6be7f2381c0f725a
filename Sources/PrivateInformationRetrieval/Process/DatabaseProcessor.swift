import Dispatch
import Foundation
package import HomomorphicEncryption
import Synchronization

/// Turns a keyword database into processed shards, in memory or as files, like Apple's PIRProcessDatabase.
///
///     let (configuration, unknownKeys) = try ProcessConfiguration.read(json: bytes)
///     let processor = try DatabaseProcessor(configuration)
///     let summary = try processor.run { print($0) }
///
/// The same rows, configuration and seed give the same bytes, whether shards are processed at once or in turn.
package struct DatabaseProcessor: Sendable {
    package enum Progress: Hashable, Sendable {
        case rowsRead(Int)
        case shardFinished(Int, of: Int)
    }

    /// What became of a shard.
    package struct ShardSummary: Hashable, Sendable {
        package let shard: Int
        package let rowCount: Int
        package let parameters: PIRParameters
        /// Nil when nothing was written.
        package let databaseByteCount: Int?
        /// Test queries that were made, all with the right answer.
        package let trialCount: Int
        /// Smallest noise budget seen in them before low bits were left out, in bits. Nil without trials.
        package let smallestNoiseBudget: Double?
    }

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
    ///
    /// A file appears under its name only when it is complete. If something fails, shards that were finished
    /// before stay; no half-written file is left behind.
    ///
    /// - Parameters:
    ///   - parallel: Whether shards are processed on all cores.
    ///   - progress: Called from any thread.
    package func run(
        parallel: Bool = true, progress: @Sendable (Progress) -> Void = { _ in }
    ) throws -> [ShardSummary] {
        var reader = try KeywordDatabaseReader(path: configuration.inputDatabase)
        let rows = try reader.readAll()
        progress(.rowsRead(rows.count))
        let members = try shardMembers(of: rows)
        guard members.count == 1 || configuration.namesEveryShard else {
            throw ProcessConfigurationError(
                "outputDatabase",
                .outOfRange(
                    found: "one name", allowed: "a name with SHARD_ID, there are \(members.count) shards"))
        }
        let summaries = try map(members, parallel: parallel, progress: progress) { shard, members in
            let processed = try self.process(rows, members: members, shard: shard)
            let trials = try self.tryOut(processed, rows: rows, members: members, shard: shard)
            return ShardSummary(
                shard: shard, rowCount: members.count, parameters: processed.parameters,
                databaseByteCount: try self.write(processed, shard: shard), trialCount: trials.count,
                smallestNoiseBudget: trials.smallestNoiseBudget)
        }
        if let path = configuration.outputEvaluationKeyConfig,
            let key = EvaluationKeyConfiguration.union(summaries.map(\.parameters.evaluationKey))
        {
            try write(MessageFile.bytes(of: key.wire, format: MessageFormat(path: path)), to: path)
        }
        return summaries
    }

    /// Processes rows without touching a file. No test queries are made.
    package func shards(
        of rows: KeywordRows, parallel: Bool = true, progress: @Sendable (Progress) -> Void = { _ in }
    ) throws -> [ProcessedShard] {
        try map(shardMembers(of: rows), parallel: parallel, progress: progress) { shard, members in
            try self.process(rows, members: members, shard: shard)
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
    private func shardMembers(of rows: KeywordRows) throws -> [[Int]] {
        guard rows.count > 0 else { throw KeywordDatabaseError.noRows }
        try rows.checkKeywordsAreDistinct()
        let shardCount = configuration.sharding.shardCount(rowCount: rows.count)
        var members: [[Int]] = Array(repeating: [], count: shardCount)
        for (row, hash) in rows.hashes.enumerated() {
            members[configuration.shardingFunction.shard(of: hash, shardCount: shardCount)].append(row)
        }
        return members
    }

    private func process(_ rows: KeywordRows, members: [Int], shard: Int) throws -> ProcessedShard {
        try ProcessedShard(
            rows: rows, members: members, configuration: configuration, context: context, seed: seed,
            shard: shard)
    }

    /// Applies `body` to every shard and keeps the order. After a failure no further shard is started, and the
    /// failure of the lowest shard is thrown.
    private func map<Result: Sendable>(
        _ members: [[Int]], parallel: Bool, progress: @Sendable (Progress) -> Void,
        _ body: @Sendable (Int, [Int]) throws -> Result
    ) throws -> [Result] {
        let results = Mutex<[Int: Swift.Result<Result, any Error>]>([:])
        let failed = Atomic(false)
        @Sendable func work(_ shard: Int) {
            guard !failed.load(ordering: .relaxed) else { return }
            let result = Swift.Result { try body(shard, members[shard]) }
            if case .failure = result { failed.store(true, ordering: .relaxed) }
            results.withLock { $0[shard] = result }
            progress(.shardFinished(shard, of: members.count))
        }
        if parallel {
            DispatchQueue.concurrentPerform(iterations: members.count, execute: work)
        } else {
            for shard in members.indices { work(shard) }
        }
        return try results.withLock { $0 }.sorted { $0.key < $1.key }.map { try $0.value.get() }
    }

    // Test queries

    private func tryOut(
        _ shard: ProcessedShard, rows: KeywordRows, members: [Int], shard number: Int
    ) throws -> (count: Int, smallestNoiseBudget: Double?) {
        let count = configuration.trialsPerShard
        guard count > 0, !members.isEmpty else { return (0, nil) }
        var generator = SystemRandomNumberGenerator()
        let server = PIRShardServer(parameters: shard.parameters, database: shard.database, context: context)
        let client = try PIRClient(
            configuration: PIRConfiguration(shards: [shard.parameters]), context: context, using: &generator)
        let key = try client.makeEvaluationKey(for: shard.parameters.evaluationKey, using: &generator)
        var smallest = Double.infinity
        for trial in 0..<count {
            let row = members[trial * members.count / count]
            let query = try client.query(rows.keyword(at: row), using: &generator)
            let answers = try server.answers(to: query.message, key: key)
            let budget = client.noiseBudgets(of: answers).min() ?? 0
            smallest = min(smallest, budget)
            // An answer that is nothing but noise is an error of its own; what matters is that it is wrong.
            let value = try? client.decrypt(server.response(of: answers), for: query.pending)
            guard let value, value == Array(rows.value(at: row)) else {
                throw DatabaseProcessorError.trialFailed(
                    shard: number, keyword: KeywordDatabaseError.printable(rows.keyword(at: row)),
                    noiseBudget: budget)
            }
        }
        return (count, smallest)
    }

    // Files

    /// Returns the length of the database file, in bytes.
    private func write(_ shard: ProcessedShard, shard number: Int) throws -> Int {
        let path = ProcessConfiguration.path(configuration.outputDatabase, shard: number)
        let byteCount = try OutputFile.write(path) { file in
            try shard.database.write(context: context) { try file.append($0) }
        }
        let parametersPath = ProcessConfiguration.path(configuration.outputPirParameters, shard: number)
        try write(
            MessageFile.bytes(of: shard.parameters.wire, format: MessageFormat(path: parametersPath)),
            to: parametersPath)
        return byteCount
    }

    private func write(_ bytes: [UInt8], to path: String) throws {
        _ = try OutputFile.write(path) { try $0.append(bytes) }
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
