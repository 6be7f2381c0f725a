import Foundation
package import HomomorphicEncryption

/// Asks a keyword database about keywords without showing them, and understands the answers.
///
/// Holds the secret key; nothing that leaves the client lets anyone compute it.
package struct PIRClient: Sendable {
    package let configuration: PIRConfiguration
    private let context: BFVContext
    private let secretKey: SecretKey

    /// Draws a secret key.
    ///
    /// - Parameters:
    ///   - context: Nil makes a new one, which takes milliseconds.
    ///   - generator: `SystemRandomNumberGenerator` for anything but tests.
    package init(
        configuration: PIRConfiguration, context: BFVContext? = nil,
        using generator: inout some RandomNumberGenerator
    ) throws {
        let context = try Self.context(for: configuration, sharing: context)
        self.init(
            configuration: configuration, context: context,
            secretKey: context.generateSecretKey(using: &generator))
    }

    /// Continues with a secret key that was stored.
    package init(
        configuration: PIRConfiguration, context: BFVContext? = nil, serializedSecretKey: [UInt8]
    ) throws {
        let context = try Self.context(for: configuration, sharing: context)
        self.init(
            configuration: configuration, context: context,
            secretKey: try context.deserializeSecretKey(serializedSecretKey))
    }

    private init(configuration: PIRConfiguration, context: BFVContext, secretKey: SecretKey) {
        self.configuration = configuration
        self.context = context
        self.secretKey = secretKey
    }

    /// The same client for another configuration with the same encryption parameters: other shards, same key.
    func reconfigured(_ configuration: PIRConfiguration) throws -> PIRClient {
        guard configuration.encryption == self.configuration.encryption else {
            throw PIRError.differentParameters
        }
        return PIRClient(configuration: configuration, context: context, secretKey: secretKey)
    }

    /// The same client with a fresh secret key.
    func withNewSecretKey(using generator: inout some RandomNumberGenerator) throws -> PIRClient {
        try PIRClient(configuration: configuration, context: context, using: &generator)
    }

    /// The secret key for storage. Whoever has it can read every query.
    package var serializedSecretKey: [UInt8] { context.serialize(secretKey) }

    /// The shard that has the keyword, if any shard has.
    package func shard(of keyword: [UInt8]) -> Int {
        configuration.shardingFunction.shard(
            of: KeywordHash.hash(keyword), shardCount: configuration.shards.count)
    }

    /// Makes the key the server needs to answer.
    ///
    /// - Parameter keyConfiguration: What the server asked for.
    package func makeEvaluationKey(
        for keyConfiguration: EvaluationKeyConfiguration, using generator: inout some RandomNumberGenerator
    ) throws -> EvaluationKey {
        guard keyConfiguration.encryption == configuration.encryption else {
            throw PIRError.differentParameters
        }
        return try context.makeEvaluationKey(
            galoisElements: keyConfiguration.galoisElements,
            relinearization: keyConfiguration.hasRelinearizationKey, secretKey: secretKey, using: &generator)
    }

    /// The key as it travels, see ``makeEvaluationKey(for:using:)``.
    package func makeSerializedEvaluationKey(
        for keyConfiguration: EvaluationKeyConfiguration, using generator: inout some RandomNumberGenerator
    ) throws -> WireSerializedEvaluationKey {
        WireSerializedEvaluationKey(
            try makeEvaluationKey(for: keyConfiguration, using: &generator), context: context)
    }

    /// Encrypts the question whether the database has a keyword.
    package func query(
        _ keyword: [UInt8], using generator: inout some RandomNumberGenerator
    ) throws -> (pending: PendingQuery, message: WireEncryptedIndices) {
        let hash = KeywordHash.hash(keyword)
        let shard = configuration.shardingFunction.shard(of: hash, shardCount: configuration.shards.count)
        let shape = configuration.shards[shard]
        let indices = KeywordHash.bucketIndices(
            of: hash, bucketCount: shape.entryCount, functionCount: configuration.hashFunctionCount)
        var message = WireEncryptedIndices()
        message.numPirCalls = UInt64(indices.count)
        for plaintext in try IndexQuery.plaintexts(indices: indices, shape: shape, context: context) {
            let ciphertext = context.encrypt(plaintext, secretKey: secretKey, using: &generator)
            message.ciphertexts.append(WireSerializedCiphertext(context.serialize(ciphertext)))
        }
        return (PendingQuery(keywordHash: hash, shard: shard, bucketIndices: indices), message)
    }

    /// The value of the keyword that was asked for, or nil if the database does not have it.
    package func decrypt(_ response: WirePIRResponse, for query: PendingQuery) throws -> [UInt8]? {
        let shape = configuration.shards[query.shard]
        guard response.replies.count == query.bucketIndices.count else {
            throw PIRError.replyCount(response.replies.count, expected: query.bucketIndices.count)
        }
        for (index, reply) in zip(query.bucketIndices, response.replies) {
            let bucket = try IndexReply.entry(
                index, from: reply, shape: shape, context: context, secretKey: secretKey)
            if let value = try HashBucket.value(for: query.keywordHash, in: bucket) { return value }
        }
        return nil
    }

    /// Bits of noise that each ciphertext could still take. Must not leave the client.
    ///
    /// - Parameter answers: From ``PIRShardServer/answers(to:key:)``; in the message itself the low bits are gone,
    ///   and nearly all of the budget with them.
    package func noiseBudgets(of answers: [[Ciphertext]]) -> [Double] {
        answers.joined().map { context.noiseBudget(of: $0, secretKey: secretKey) }
    }

    private static func context(
        for configuration: PIRConfiguration, sharing context: BFVContext?
    ) throws -> BFVContext {
        if let context, context.parameters == configuration.encryption { return context }
        return try BFVContext(parameters: configuration.encryption)
    }
}

/// Facts about a query that a client has to remember until the response arrives.
package struct PendingQuery: Hashable, Sendable {
    package let keywordHash: UInt64
    package let shard: Int
    /// One bucket per hash function.
    package let bucketIndices: [Int]
}
