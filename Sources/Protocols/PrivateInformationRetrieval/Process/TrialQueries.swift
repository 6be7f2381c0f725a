import HomomorphicEncryption
import Synchronization

/// Test queries against shards that were just processed.
///
/// A client's keys are made once for all shards that ask for the same ones.
final class TrialQueries: Sendable {
    private struct Keys {
        let secret: [UInt8]
        let evaluation: EvaluationKey
    }

    private let context: BFVContext
    private let keys = Mutex<[EvaluationKeyConfiguration: Keys]>([:])

    init(context: BFVContext) { self.context = context }

    /// Asks for rows spread over the shard; each answer must be the row's value.
    func run(
        _ count: Int, of shard: ProcessedShard, number: Int, rows: KeywordRows, members: [Int]
    ) throws -> TrialResult {
        guard count > 0, !members.isEmpty else { return TrialResult() }
        var generator = SystemRandomNumberGenerator()
        let configuration = try PIRConfiguration(shards: [shard.parameters])
        let keys = try keys(for: shard.parameters, configuration: configuration)
        let client = try PIRClient(
            configuration: configuration, context: context, serializedSecretKey: keys.secret)
        let server = PIRShardServer(parameters: shard.parameters, database: shard.database, context: context)
        var smallest = Double.infinity
        for trial in 0..<count {
            let row = members[trial * members.count / count]
            let query = try client.query(rows.keyword(at: row), using: &generator)
            let answers = try server.answers(to: query.message, key: keys.evaluation)
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
        return TrialResult(count: count, smallestNoiseBudget: smallest)
    }

    private func keys(for parameters: PIRParameters, configuration: PIRConfiguration) throws -> Keys {
        try keys.withLock { known in
            if let keys = known[parameters.evaluationKey] { return keys }
            var generator = SystemRandomNumberGenerator()
            let client = try PIRClient(configuration: configuration, context: context, using: &generator)
            let made = Keys(
                secret: client.serializedSecretKey,
                evaluation: try client.makeEvaluationKey(for: parameters.evaluationKey, using: &generator))
            known[parameters.evaluationKey] = made
            return made
        }
    }
}
