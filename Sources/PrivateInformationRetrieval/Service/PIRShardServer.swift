package import HomomorphicEncryption

/// One processed shard, ready to answer.
///
/// Answering changes nothing, so any number of threads may ask at once; one answer is computed on one thread.
package struct PIRShardServer: Sendable {
    package let parameters: PIRParameters
    package let context: BFVContext
    private let server: IndexServer

    /// - Parameter context: For the parameters' encryption; share one between shards.
    package init(parameters: PIRParameters, database: ProcessedDatabase, context: BFVContext) {
        precondition(
            database.shape == parameters.shape && context.parameters == parameters.encryption,
            "database, parameters and context of a shard must belong together")
        self.parameters = parameters
        self.context = context
        server = IndexServer(database: database, context: context, batchSize: parameters.hashFunctionCount)
    }

    /// Loads a shard that was processed before, by this program or by Apple's.
    ///
    /// - Parameter context: Nil makes a new one.
    package init(databasePath: String, parametersPath: String, context: BFVContext? = nil) throws {
        let parameters = try PIRParameters(
            MessageFile.read(WirePirParameters.self, path: parametersPath))
        let context =
            if let context, context.parameters == parameters.encryption { context } else {
                try BFVContext(parameters: parameters.encryption)
            }
        let database = try ProcessedDatabase(
            path: databasePath, shape: parameters.shape, tableCount: parameters.hashFunctionCount,
            context: context)
        self.init(parameters: parameters, database: database, context: context)
    }

    /// Computes the response to a query.
    ///
    /// The bytes are a function of database, key and query; Apple's server computes the same.
    ///
    /// - Parameter key: Must satisfy `parameters.evaluationKey`.
    package func respond(to query: WireEncryptedIndices, key: EvaluationKey) throws -> WirePIRResponse {
        response(of: try answers(to: query, key: key))
    }

    /// Per hash function the ciphertexts of the answer, before low bits are left out.
    ///
    /// For tests of the noise; ``response(of:)`` makes the message.
    package func answers(to query: WireEncryptedIndices, key: EvaluationKey) throws -> [[Ciphertext]] {
        guard query.numPirCalls == UInt64(parameters.hashFunctionCount) else {
            throw PIRError.indexCount(
                Int(clamping: query.numPirCalls), expected: parameters.hashFunctionCount)
        }
        let expected = IndexQuery.ciphertextCount(
            indexCount: parameters.hashFunctionCount, shape: parameters.shape,
            degree: parameters.encryption.polynomialDegree)
        guard query.ciphertexts.count == expected else {
            throw PIRError.queryCiphertextCount(query.ciphertexts.count, expected: expected)
        }
        let ciphertexts = try query.ciphertexts.map { try context.deserialize($0.value()) }
        return try server.answers(to: ciphertexts, key: key)
    }

    package func response(of answers: [[Ciphertext]]) -> WirePIRResponse {
        var response = WirePIRResponse()
        response.replies = answers.map {
            WireSerializedCiphertextVec($0.map(context.serializeForDecryption))
        }
        return response
    }
}
