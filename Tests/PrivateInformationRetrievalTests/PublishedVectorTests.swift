import Crypto
import Foundation
import HomomorphicEncryption
import PrivateInformationRetrieval
import TestSupport
import Testing

/// Bytes captured from Apple's implementation; see `Vectors/README.md`.
@Suite struct PublishedVectorTests {
    enum Small: String, CaseIterable {
        case twoTables, oneTable

        func vector() throws -> KeywordVector {
            let vectors = try SmallVectors.load()
            return self == .twoTables
                ? vectors.keywordPir_twoTables : vectors.keywordPir_oneTable_maxCompression
        }
    }

    private let small = "insecure_n_8_logq_5x18_logt_5"
    private let large = "n_4096_logq_27_28_28_logt_5"

    private func processed(_ vector: KeywordVector, context: BFVContext) throws -> ProcessedShard {
        var configuration = try ProcessConfiguration.named(small)
        configuration.cuckooTable.hashFunctionCount = vector.hashFunctionCount
        configuration.cuckooTable.maxSerializedBucketSize = vector.maxSerializedBucketSize
        configuration.unevenDimensions = vector.unevenDimensions
        configuration.keyCompression = try #require(KeyCompression(rawValue: vector.keyCompression))
        let rows = try KeywordRows(
            vector.insertionOrder.map { (Array($0.utf8), bytes(hex: try #require(vector.rows[$0]))) })
        return try #require(try DatabaseProcessor(configuration).shards(of: rows).first)
    }

    @Test("processing five rows gives Apple's parameters and file", arguments: Small.allCases)
    func processing(which: Small) throws {
        let vector = try which.vector()
        let context = try BFVContext(parameters: EncryptionParameters(named: small))
        let shard = try processed(vector, context: context)
        #expect(shard.parameters.shape.entryCount == vector.entryCountPerTable)
        #expect(shard.parameters.shape.entrySize == vector.entrySize)
        #expect(shard.parameters.shape.dimensions == vector.dimensions)
        #expect(shard.parameters.evaluationKey.galoisElements == vector.galoisElements)
        #expect(hex(WireCoding.bytes(of: shard.parameters.wire)) == vector.PirParameters)
        #expect(hex(WireCoding.bytes(of: shard.parameters.evaluationKey.wire)) == vector.EvaluationKeyConfig)
        var file: [UInt8] = []
        try shard.database.write(context: context) { file += $0 }
        #expect(hex(file) == vector.processedDatabaseFile)
    }

    @Test(
        "the recorded response is recomputed from database, key and query", arguments: Small.allCases,
        [InstructionSet.portable, .best])
    func response(which: Small, set: InstructionSet) throws {
        let vector = try which.vector()
        let context = try BFVContext(
            parameters: EncryptionParameters(named: small), instructionSet: set)
        let parameters = try PIRParameters(
            WireCoding.message(WirePirParameters.self, from: bytes(hex: vector.PirParameters)))
        let server = PIRShardServer(
            parameters: parameters,
            database: try ProcessedDatabase(
                bytes: bytes(hex: vector.processedDatabaseFile), shape: parameters.shape,
                tableCount: vector.hashFunctionCount, context: context), context: context)
        let keyBytes = bytes(hex: vector.SerializedEvaluationKey)
        let key = try WireCoding.message(WireSerializedEvaluationKey.self, from: keyBytes).value(
            context: context)
        let query = try WireCoding.message(
            WireEncryptedIndices.self, from: bytes(hex: vector.EncryptedIndices))
        let response = try server.respond(to: query, key: key)
        #expect(hex(WireCoding.bytes(of: response)) == vector.PIRResponse)
        #expect(WireCoding.bytes(of: query) == bytes(hex: vector.EncryptedIndices))
        // The order of a map is free on the wire, so compare contents.
        let again = WireSerializedEvaluationKey(key, context: context)
        #expect(try again == WireCoding.message(WireSerializedEvaluationKey.self, from: keyBytes))
    }

    @Test("the recorded response decrypts to the value", arguments: Small.allCases)
    func decryption(which: Small) throws {
        let vector = try which.vector()
        let parameters = try PIRParameters(
            WireCoding.message(WirePirParameters.self, from: bytes(hex: vector.PirParameters)))
        let client = try PIRClient(
            configuration: PIRConfiguration(shards: [parameters]),
            serializedSecretKey: bytes(hex: vector.serializedSecretKey))
        var random = generator("decryption")
        let pending = try client.query(bytes(hex: vector.keyword), using: &random).pending
        let response = try WireCoding.message(WirePIRResponse.self, from: bytes(hex: vector.PIRResponse))
        let value = try client.decrypt(response, for: pending)
        #expect(hex(try #require(value)) == vector.decrypted)
        #expect(hex(client.serializedSecretKey) == vector.serializedSecretKey)
    }

    @Test func indexDatabase() throws {
        let vector = try SmallVectors.load().indexPir
        let context = try BFVContext(parameters: EncryptionParameters(named: small))
        let entries = vector.entries.map(bytes(hex:))
        let shape = try DatabaseShape(
            entryCount: entries.count, entrySize: vector.entrySize, batchSize: 1, uneven: false,
            bytesPerPlaintext: 4)
        #expect(shape.dimensions == vector.dimensions)
        let elements = try KeyCompression.none.galoisElements(
            expandedCount: shape.expandedCountPerIndex, degree: 8)
        #expect(elements == vector.galoisElements)
        let database = try ProcessedDatabase(entries: [entries], shape: shape, context: context)
        var file: [UInt8] = []
        try database.write(context: context) { file += $0 }
        #expect(hex(file) == vector.processedDatabaseFile)

        let key = try WireCoding.message(
            WireSerializedEvaluationKey.self, from: bytes(hex: vector.SerializedEvaluationKey)
        ).value(context: context)
        let query = try WireCoding.message(
            WireEncryptedIndices.self, from: bytes(hex: vector.EncryptedIndices))
        let ciphertexts = try query.ciphertexts.map { try context.deserialize($0.value()) }
        let replies = try IndexServer(database: database, context: context, batchSize: 1)
            .replies(to: ciphertexts, key: key)
        var response = WirePIRResponse()
        response.replies = replies.map(WireSerializedCiphertextVec.init)
        #expect(hex(WireCoding.bytes(of: response)) == vector.PIRResponse)

        let secretKey = try context.deserializeSecretKey(bytes(hex: vector.serializedSecretKey))
        let message = context.decrypt(ciphertexts[0], secretKey: secretKey)
        #expect(
            try message
                == IndexQuery.plaintexts(indices: [vector.queriedIndex], shape: shape, context: context)[0])
        let entry = try IndexReply.entry(
            vector.queriedIndex, from: response.replies[0], shape: shape, context: context,
            secretKey: secretKey)
        #expect(hex(entry) == vector.decrypted)
    }

    @Test func sevenHundredRowsAtRealSize() throws {
        let vector = try LargeVectors.load()
        let expected = vector.expected
        var configuration = try ProcessConfiguration.named(large)
        configuration.cuckooTable.hashFunctionCount = 1
        configuration.cuckooTable.maxSerializedBucketSize = 2048
        configuration.unevenDimensions = false
        configuration.keyCompression = .maximum
        let rows = try KeywordRows((0..<700).map { (Array("host\($0).example/path".utf8), [0x31]) })
        let processor = try DatabaseProcessor(configuration)
        let shard = try #require(try processor.shards(of: rows).first)
        #expect(shard.parameters.shape.entryCount == expected.bucketCount)
        #expect(shard.parameters.shape.entrySize == expected.entrySize)
        #expect(shard.parameters.shape.dimensions == expected.dimensions)
        #expect(shard.parameters.evaluationKey.galoisElements == expected.galoisElements)
        #expect(WireCoding.bytes(of: shard.parameters.wire) == Array(vector.pirParameters))
        #expect(
            WireCoding.bytes(of: shard.parameters.evaluationKey.wire) == Array(vector.evaluationKeyConfig))
        var byteCount = 0
        var hash = SHA256()
        try shard.database.write(context: processor.context) { piece in
            byteCount += piece.count
            hash.update(data: piece)
        }
        #expect(byteCount == expected.processedDatabaseByteCount)
        #expect(hex(hash.finalize()) == expected.processedDatabaseSha256)

        let context = processor.context
        let server = PIRShardServer(parameters: shard.parameters, database: shard.database, context: context)
        let key = try WireCoding.message(
            WireSerializedEvaluationKey.self, from: Array(vector.serializedEvaluationKey)
        ).value(context: context)
        let query = try WireCoding.message(WireEncryptedIndices.self, from: Array(vector.encryptedIndices))
        let response = try server.respond(to: query, key: key)
        #expect(WireCoding.bytes(of: response) == Array(vector.pirResponse))
        #expect(
            try WireSerializedEvaluationKey(key, context: context)
                == WireCoding.message(
                    WireSerializedEvaluationKey.self, from: Array(vector.serializedEvaluationKey)))

        let client = try PIRClient(
            configuration: PIRConfiguration(shards: [shard.parameters]), context: context,
            serializedSecretKey: Array(vector.secretKey))
        var random = generator("large")
        let pending = try client.query(Array(expected.queriedKeyword.utf8), using: &random).pending
        #expect(pending.bucketIndices == expected.queriedBucketIndex)
        #expect(try client.decrypt(response, for: pending) == bytes(hex: expected.value))

        let secretKey = try context.deserializeSecretKey(Array(vector.secretKey))
        let ciphertext = try context.deserialize(query.ciphertexts[0].value())
        let coefficients = context.decrypt(ciphertext, secretKey: secretKey).coefficients
        let ones = coefficients.enumerated().filter { $0.element != 0 }
        #expect(
            Dictionary(uniqueKeysWithValues: ones.map { (String($0.offset), $0.element) })
                == expected.queryNonZeroCoefficients)
        #expect(
            try context.plaintext(coefficients: coefficients)
                == IndexQuery.plaintexts(
                    indices: pending.bucketIndices, shape: shard.parameters.shape, context: context)[0])
    }
}
