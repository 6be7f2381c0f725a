import Foundation
package import HomomorphicEncryption

/// One processed shard, ready to answer.
///
/// Answering changes nothing, so any number of threads may ask at once. An answer is computed on the thread that
/// asks, unless a pool of more cores is given.
package struct PIRShardServer: Sendable {
    package let parameters: PIRParameters
    package let context: BFVContext
    /// Memory of the database, in bytes. Answering takes some more: see ``IndexServer``.
    package let databaseByteCount: Int
    private let server: IndexServer

    /// - Parameter context: For the parameters' encryption; share one between shards.
    package init(parameters: PIRParameters, database: ProcessedDatabase, context: BFVContext) {
        precondition(
            database.shape == parameters.shape && context.parameters == parameters.encryption,
            "database, parameters and context of a shard must belong together")
        self.parameters = parameters
        self.context = context
        databaseByteCount = database.byteCount
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

    /// Writes the files that ``init(databasePath:parametersPath:context:)`` loads.
    ///
    /// - Returns: SHA-256 of the two, in hexadecimal digits.
    func write(databasePath: String, parametersPath: String, mode: mode_t) throws -> [String] {
        let message = MessageFile.bytes(
            of: parameters.wire, format: MessageFormat(path: parametersPath))
        let database = try OutputFile.write(databasePath, mode: mode) { file in
            try server.database.write(context: context) { try file.append($0) }
        }
        let parameters = try OutputFile.write(parametersPath, mode: mode) { try $0.append(message) }
        return [database.hash, parameters.hash]
    }

    /// Computes the response to a query.
    ///
    /// The bytes are a function of database, key and query; Apple's server computes the same.
    ///
    /// - Parameter key: Must satisfy `parameters.evaluationKey`.
    package func respond(
        to query: WireEncryptedIndices, key: EvaluationKey, pool: WorkPool = .callersThread
    ) throws -> WirePIRResponse {
        response(of: try answers(to: query, key: key, pool: pool))
    }

    /// Computes the responses to several clients' queries, with fewer passes over the database than queries.
    ///
    /// - Returns: For each query what it would get alone; a query that is refused does not affect others.
    package func respond(
        to queries: [(query: WireEncryptedIndices, key: EvaluationKey)], pool: WorkPool = .callersThread
    ) throws -> [Result<WirePIRResponse, any Error>] {
        let requests = queries.map { query in
            Result {
                let request = try request(query.query, key: query.key)
                try server.check(request)
                return request
            }
        }
        var answers = try server.answers(to: requests.compactMap { try? $0.get() }, pool: pool)[...]
        return requests.map { $0.map { _ in response(of: answers.removeFirst()) } }
    }

    /// Per hash function the ciphertexts of the answer, before low bits are left out.
    ///
    /// For tests of the noise; ``response(of:)`` makes the message.
    package func answers(
        to query: WireEncryptedIndices, key: EvaluationKey, pool: WorkPool = .callersThread
    ) throws -> [[Ciphertext]] {
        try server.answers(to: [try request(query, key: key)], pool: pool)[0]
    }

    /// Reads a query and checks its size.
    private func request(_ query: WireEncryptedIndices, key: EvaluationKey) throws -> IndexServer.Request {
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
        return IndexServer.Request(
            query: try query.ciphertexts.map { try context.deserialize($0.value()) }, key: key)
    }

    package func response(of answers: [[Ciphertext]]) -> WirePIRResponse {
        var response = WirePIRResponse()
        response.replies = answers.map {
            WireSerializedCiphertextVec($0.map(context.serializeForDecryption))
        }
        return response
    }
}
