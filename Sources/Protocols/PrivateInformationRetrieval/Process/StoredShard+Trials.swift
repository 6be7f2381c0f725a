import HomomorphicEncryption

/// Findings of test queries.
package struct TrialResult: Hashable, Sendable {
    package var count = 0
    /// Bits, before low bits are left out. Nil without queries.
    package var smallestNoiseBudget: Double?
}

extension StoredShard {
    /// Asks a server for rows spread over the shard; each answer must be what the file says.
    ///
    /// - Parameters:
    ///   - count: Queries. None are made if the shard is empty.
    ///   - server: Of the same files.
    package func trials(
        _ count: Int, server: PIRShardServer, using generator: inout some RandomNumberGenerator
    ) throws -> TrialResult {
        let slots = Array(buckets.joined())
        guard count > 0, !slots.isEmpty else { return TrialResult() }
        let context = server.context
        let client = try PIRClient(
            configuration: PIRConfiguration(shards: [parameters]), context: context, using: &generator)
        let key = try client.makeEvaluationKey(for: parameters.evaluationKey, using: &generator)
        let secretKey = try context.deserializeSecretKey(client.serializedSecretKey)
        var smallest = Double.infinity
        for trial in 0..<count {
            // A keyword cannot be told from its hash, so the query is made from the hash.
            let slot = slots[trial * slots.count / count]
            let indices = KeywordHash.bucketIndices(
                of: slot.hash, bucketCount: parameters.shape.entryCount,
                functionCount: parameters.hashFunctionCount)
            var message = WireEncryptedIndices()
            message.numPirCalls = UInt64(indices.count)
            for plaintext in try IndexQuery.plaintexts(
                indices: indices, shape: parameters.shape, context: context)
            {
                let ciphertext = context.encrypt(plaintext, secretKey: secretKey, using: &generator)
                message.ciphertexts.append(WireSerializedCiphertext(context.serialize(ciphertext)))
            }
            let answers = try server.answers(to: message, key: key)
            let budget = client.noiseBudgets(of: answers).min() ?? 0
            smallest = min(smallest, budget)
            let pending = PendingQuery(keywordHash: slot.hash, shard: 0, bucketIndices: indices)
            guard let value = try? client.decrypt(server.response(of: answers), for: pending),
                value == slot.value
            else { throw StoredShardError.trialFailed(noiseBudget: budget) }
        }
        return TrialResult(count: count, smallestNoiseBudget: smallest)
    }
}
