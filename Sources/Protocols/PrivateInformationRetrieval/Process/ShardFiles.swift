import Foundation
import HomomorphicEncryption

/// The output files of a run, and what is known about those of earlier runs.
struct ShardFiles: Sendable {
    /// Decides whether a shard that was made earlier is the wanted one.
    struct Key: Hashable {
        let recipe: String
        let rows: String
    }

    private let configuration: ProcessConfiguration
    private let context: BFVContext
    private let journal: ProcessJournal

    init(_ configuration: ProcessConfiguration, context: BFVContext) {
        self.configuration = configuration
        self.context = context
        journal = ProcessJournal(path: configuration.journalPath)
    }

    func databasePath(_ shard: Int) -> String {
        ProcessConfiguration.path(configuration.outputDatabase, shard: shard)
    }

    func parametersPath(_ shard: Int) -> String {
        ProcessConfiguration.path(configuration.outputPirParameters, shard: shard)
    }

    /// Has to come before anything is written.
    func prepare(shardCount: Int) throws {
        guard shardCount == 1 || configuration.namesEveryShard else {
            throw ProcessConfigurationError(
                "outputDatabase",
                .outOfRange(
                    found: "one name", allowed: "a name with SHARD_ID, there are \(shardCount) shards"))
        }
        try journal.start()
    }

    /// The shard if an earlier run made it, with enough test queries, and its files are still as they were.
    func finishedBefore(_ shard: Int, key: Key) -> ShardSummary? {
        guard let record = journal.record(ofShard: shard), record.recipe == key.recipe,
            record.rows == key.rows,
            record.rowCount == 0 || record.trialCount >= configuration.trialsPerShard,
            let parameters = OutputFile.content(of: parametersPath(shard)),
            parameters.hash == record.parametersHash,
            let database = OutputFile.content(of: databasePath(shard)), database.hash == record.databaseHash,
            let wire = try? MessageFile.read(WirePirParameters.self, path: parametersPath(shard)),
            let value = try? PIRParameters(wire)
        else { return nil }
        return ShardSummary(
            shard: shard, rowCount: record.rowCount, parameters: value, databaseByteCount: database.byteCount,
            trialCount: record.trialCount, smallestNoiseBudget: record.smallestNoiseBudget,
            origin: .finishedBefore)
    }

    /// Writes database and parameters, and notes that they are there.
    func write(
        _ shard: ProcessedShard, shard number: Int, trials: TrialResult, key: Key
    ) throws -> ShardSummary {
        let path = parametersPath(number)
        let parameters = MessageFile.bytes(of: shard.parameters.wire, format: MessageFormat(path: path))
        let database = try OutputFile.write(
            databasePath(number), beforeRenaming: { try removeParameters(number, unless: parameters) },
            { file in try shard.database.write(context: context) { try file.append($0) } })
        let parametersContent = try OutputFile.write(path) { try $0.append(parameters) }
        let budget = trials.smallestNoiseBudget.flatMap { $0.isFinite ? $0 : nil }
        try journal.add(
            ProcessJournal.Record(
                shard: number, recipe: key.recipe, rows: key.rows, rowCount: shard.rowCount,
                databaseByteCount: database.byteCount, databaseHash: database.hash,
                parametersHash: parametersContent.hash, trialCount: trials.count, smallestNoiseBudget: budget)
        )
        return ShardSummary(
            shard: number, rowCount: shard.rowCount, parameters: shard.parameters,
            databaseByteCount: database.byteCount, trialCount: trials.count, smallestNoiseBudget: budget,
            origin: .made)
    }

    /// Takes over the files of a shard that stays as it is.
    ///
    /// - Returns: Length of the database file, in bytes.
    func copy(database: String, parameters: String, shard: Int) throws -> Int {
        let (databaseTarget, parametersTarget) = (databasePath(shard), parametersPath(shard))
        if !Self.isSameFile(database, databaseTarget) {
            try removeParameters(shard, unless: nil)
            _ = try OutputFile.copy(database, to: databaseTarget)
            _ = try OutputFile.copy(parameters, to: parametersTarget)
        }
        let attributes = try? FileManager.default.attributesOfItem(atPath: databaseTarget)
        return attributes?[.size] as? Int ?? 0
    }

    func writeEvaluationKeyConfiguration(of summaries: [ShardSummary]) throws {
        guard let path = configuration.outputEvaluationKeyConfig,
            let key = EvaluationKeyConfiguration.union(summaries.map(\.parameters.evaluationKey))
        else { return }
        let bytes = MessageFile.bytes(of: key.wire, format: MessageFormat(path: path))
        _ = try OutputFile.write(path) { try $0.append(bytes) }
    }

    /// Between the renaming of two files the old parameters must not stand beside a new database: without
    /// parameters a server refuses the shard, with the wrong ones it would answer wrongly.
    private func removeParameters(_ shard: Int, unless bytes: [UInt8]?) throws {
        let path = parametersPath(shard)
        if let bytes, let present = FileManager.default.contents(atPath: path), Array(present) == bytes {
            return
        }
        guard unlink(path) == 0 || errno == ENOENT else {
            throw FileError.cannotWrite(path, reason: String(cString: strerror(errno)))
        }
    }

    private static func isSameFile(_ first: String, _ second: String) -> Bool {
        URL(fileURLWithPath: first).resolvingSymlinksInPath().standardizedFileURL
            == URL(fileURLWithPath: second).resolvingSymlinksInPath().standardizedFileURL
    }
}
