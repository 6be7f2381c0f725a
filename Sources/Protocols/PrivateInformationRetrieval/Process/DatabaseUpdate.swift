import HomomorphicEncryption

extension DatabaseProcessor {
    /// Fate of a shard in an update.
    private enum Plan {
        case unchanged
        case changed(CuckooTable, ShardSummary.Change)
        case impossible(DatabaseUpdateError.Obstacle)
    }

    /// Writes a new version of a processed database with the same parameters, so that the configuration keeps its
    /// id, and clients their configuration and their keys.
    ///
    /// Shards whose rows have not changed are taken over; in the others, rows that stay keep their place. Nothing is
    /// written before it is certain that all rows fit. The files may replace those of the previous version; an
    /// update that was interrupted is continued by another one.
    ///
    /// - Throws: ``DatabaseUpdateError/parametersWouldChange(_:)`` if the parameters cannot be kept.
    package func update(
        _ rows: KeywordRows, previous: PreviousDatabase, parallel: Bool = true,
        progress: @Sendable (Progress) -> Void = { _ in }
    ) throws -> [ShardSummary] {
        let parameters = try previous.readParameters()
        let obstacles = DatabaseUpdateError.obstacles(to: configuration, keeping: parameters)
        guard obstacles.isEmpty else { throw DatabaseUpdateError.parametersWouldChange(obstacles) }
        let members = try shardMembers(of: rows, shardCount: parameters.count)
        let plans = try map(
            rows, members, parallel: parallel,
            progress: {
                if case .shardFinished(let shard, let count) = $0 {
                    progress(.shardCompared(shard, of: count))
                }
            }
        ) { shard, members in
            try plan(
                rows, members, stored: previous.readShard(shard, context: context), shard: shard)
        }
        let full = plans.compactMap { if case .impossible(let obstacle) = $0 { obstacle } else { nil } }
        guard full.isEmpty else { throw DatabaseUpdateError.parametersWouldChange(full) }

        let trials = TrialQueries(context: context)
        let files = ShardFiles(configuration, context: context)
        try files.prepare(shardCount: members.count)
        let summaries = try map(rows, members, parallel: parallel, progress: progress) { shard, members in
            guard case .changed(let table, let change) = plans[shard] else {
                let byteCount = try files.copy(
                    database: previous.databasePath(shard), parameters: previous.parametersPath(shard),
                    shard: shard)
                return ShardSummary(
                    shard: shard, rowCount: members.count, parameters: parameters[shard],
                    databaseByteCount: byteCount, trialCount: 0, smallestNoiseBudget: nil,
                    origin: .unchanged, change: ShardSummary.Change())
            }
            let key = ShardFiles.Key(
                recipe: ShardRecipe.hash(
                    configuration, keeping: parameters[shard], seed: seed, shard: shard),
                rows: ShardRecipe.hash(of: members, rows: rows))
            if var summary = files.finishedBefore(shard, key: key) {
                summary.change = change
                return summary
            }
            let processed = try ProcessedShard(
                rows: rows, table: table, rowCount: members.count, parameters: parameters[shard],
                context: context)
            let result = try trials.run(
                configuration.trialsPerShard, of: processed, number: shard, rows: rows, members: members)
            var summary = try files.write(processed, shard: shard, trials: result, key: key)
            summary.change = change
            return summary
        }
        try files.writeEvaluationKeyConfiguration(of: summaries)
        return summaries
    }

    private func plan(
        _ rows: KeywordRows, _ members: [Int], stored: StoredShard, shard: Int
    ) throws -> Plan {
        let change = Self.change(from: stored, to: members, of: rows)
        guard !change.isEmpty else { return .unchanged }
        let bucketSize = stored.parameters.shape.entrySize
        guard bucketSize >= CuckooConfiguration.allowedBucketSizes.lowerBound || members.isEmpty else {
            return .impossible(
                .shardFull(shard: shard, rowCount: members.count, storedRowCount: stored.rowCount))
        }
        let cuckoo = try configuration.cuckooTable.configuration(
            bucketSize: max(bucketSize, CuckooConfiguration.allowedBucketSizes.lowerBound))
        var generator = ProcessedShard.generator(seed: seed, shard: shard)
        do {
            let table = try CuckooTable(
                rows, rows: members, following: stored.buckets.map { $0.map(\.hash) }, configuration: cuckoo,
                using: &generator)
            return .changed(table, change)
        } catch {
            switch error {
            case .tableFull:
                return .impossible(
                    .shardFull(shard: shard, rowCount: members.count, storedRowCount: stored.rowCount))
            case .valueLargerThanBucket(let row, let byteCount, _):
                return .impossible(.valueTooLong(row: row, byteCount: byteCount, bucketSize: bucketSize))
            default: throw error
            }
        }
    }

    private static func change(
        from stored: StoredShard, to members: [Int], of rows: KeywordRows
    ) -> ShardSummary.Change {
        var values: [UInt64: [UInt8]] = [:]
        values.reserveCapacity(stored.rowCount)
        for slot in stored.buckets.joined() { values[slot.hash] = slot.value }
        var change = ShardSummary.Change(removedRows: values.count)
        for row in members {
            guard let value = values[rows.hashes[row]] else {
                change.addedRows += 1
                continue
            }
            change.removedRows -= 1
            if rows.value(at: row) != value[...] { change.changedValues += 1 }
        }
        return change
    }
}
