import Foundation
import HomomorphicEncryption
import PrivateInformationRetrieval
import TestSupport
import Testing

@Suite struct StoredShardTests {
    private func stored(_ shard: ProcessedShard, context: BFVContext) throws -> StoredShard {
        var file: [UInt8] = []
        try shard.database.write(context: context) { file += $0 }
        let stored = try StoredShard(bytes: file, parameters: shard.parameters, context: context)
        #expect(stored.databaseByteCount == file.count)
        return stored
    }

    /// `Vectors/pir-vectors-n8.json`: the buckets that Apple's implementation wrote into its database file.
    @Test("Apple's files give back Apple's buckets", arguments: [false, true])
    func publishedFiles(oneTable: Bool) throws {
        let vectors = try SmallVectors.load()
        let vector = oneTable ? vectors.keywordPir_oneTable_maxCompression : vectors.keywordPir_twoTables
        let parameters = try PIRParameters(
            WireCoding.message(WirePirParameters.self, from: bytes(hex: vector.PirParameters)))
        let stored = try StoredShard(
            bytes: bytes(hex: vector.processedDatabaseFile), parameters: parameters)
        let expected = try vector.serializedBuckets.map { try HashBucket.slots(in: bytes(hex: $0)) }
        #expect(stored.buckets == expected)
        #expect(stored.rowCount == 5)
        let hashes = Set(vector.rows.keys.map { KeywordHash.hash(Array($0.utf8)) })
        #expect(Set(stored.buckets.joined().map(\.hash)) == hashes)
    }

    @Test(
        "rows come back with every parameter set of their kind",
        arguments: [
            "n_4096_logq_27_28_28_logt_5", "n_4096_logq_16_33_33_logt_4", "n_4096_logq_27_28_28_logt_13",
            "n_8192_logq_3x55_logt_42", "n_8192_logq_29_60_60_logt_15", "insecure_n_512_logq_4x60_logt_20",
        ], [1, 2])
    func roundTrip(name: String, functions: Int) throws {
        var configuration = try ProcessConfiguration.named(name)
        configuration.cuckooTable.hashFunctionCount = functions
        let rows = try sampleRows(400, valueByteCounts: 0...3)
        let processor = try DatabaseProcessor(configuration)
        let shard = try #require(try processor.shards(of: rows).first)
        let stored = try stored(shard, context: processor.context)
        #expect(stored.rowCount == 400)
        for slot in stored.buckets.joined() {
            let row = try #require(rows.hashes.firstIndex(of: slot.hash))
            #expect(slot.value == Array(rows.value(at: row)))
        }
        #expect(stored.bucketLoads.allSatisfy { $0 > 0 && $0 <= 1 })
    }

    @Test func valuesOverSeveralPlaintextsComeBack() throws {
        var configuration = try ProcessConfiguration.named("insecure_n_8_logq_5x18_logt_5")
        configuration.cuckooTable.maxSerializedBucketSize = 90
        // Zeros at the end and in the middle, so that some plaintexts are not stored.
        let rows = try KeywordRows(
            (0..<9).map { number in
                (Array("key\(number)".utf8), [UInt8(number)] + Array(repeating: 0, count: 20 + number) + [7])
            })
        let processor = try DatabaseProcessor(configuration)
        let shard = try #require(try processor.shards(of: rows).first)
        #expect(shard.parameters.shape.chunkCount > 1)
        let stored = try stored(shard, context: processor.context)
        #expect(stored.filledPlaintextCount < shard.parameters.shape.plaintextCount * 2)
        let found = Dictionary(uniqueKeysWithValues: stored.buckets.joined().map { ($0.hash, $0.value) })
        #expect(found.count == 9)
        for row in 0..<9 { #expect(found[rows.hashes[row]] == Array(rows.value(at: row))) }
    }

    /// A thousand empty places that would stand for two million buckets each.
    @Test func aShortFileCannotAskForMuchMemory() throws {
        let encryption = try EncryptionParameters(named: "n_4096_logq_27_28_28_logt_5")
        let shape = try DatabaseShape(
            entryCount: 2048 * 4096, entrySize: 1, dimensions: [64, 64], bytesPerPlaintext: 2048)
        let parameters = try PIRParameters(
            encryption: encryption, shape: shape, hashFunctionCount: 1, shardingFunction: .sha256,
            keyCompression: .none)
        let file = [1, 0, 16, 0, 0] + [UInt8](repeating: 0, count: 4096)
        #expect(throws: StoredShardError.tooManyBuckets(2048 * 4096, limit: (1 << 22) + 16 * 4101)) {
            try StoredShard(bytes: file, parameters: parameters)
        }
    }

    @Test func trialsAskForWhatTheFileSays() throws {
        let configuration = try ProcessConfiguration.named("insecure_n_512_logq_4x60_logt_20")
        let processor = try DatabaseProcessor(configuration)
        let shard = try #require(try processor.shards(of: sampleRows(50)).first)
        let server = PIRShardServer(
            parameters: shard.parameters, database: shard.database, context: processor.context)
        var random = generator("trials")
        let stored = try stored(shard, context: processor.context)
        let result = try stored.trials(60, server: server, using: &random)
        #expect(result.count == 60 && result.smallestNoiseBudget ?? 0 > 10)
        let other = try #require(try processor.shards(of: sampleRows(50, valueByteCounts: 2...2)).first)
        guard other.parameters == shard.parameters else { return }
        let wrong = PIRShardServer(
            parameters: other.parameters, database: other.database, context: processor.context)
        #expect(throws: StoredShardError.self) { try stored.trials(1, server: wrong, using: &random) }
    }

    /// One bucket per table of one hash function: what fits is a division.
    @Test func headroomOfASingleBucketIsWhatDividesIt() throws {
        var configuration = try ProcessConfiguration.named("insecure_n_512_logq_4x60_logt_20")
        configuration.cuckooTable.hashFunctionCount = 1
        configuration.cuckooTable.maxSerializedBucketSize = 500
        configuration.cuckooTable.bucketCount = .fixedSize(1)
        let processor = try DatabaseProcessor(configuration)
        let shard = try #require(try processor.shards(of: sampleRows(10)).first)
        var random = generator("one bucket")
        let headroom = try stored(shard, context: processor.context).headroom(using: &random)
        // 1 + 11 · 45 = 496 bytes of 500.
        #expect(headroom.rowCount == 35 && headroom.freeSlotCount == 35)
    }
}

/// Sizes of article "PIR protocol", section "Sizes", measured on Apple's implementation.
@Suite struct MessageSizesTests {
    private func sizes(
        _ name: String, buckets: Int, dimensions: [Int], entrySize: Int = 1024, functions: Int = 2
    ) throws -> MessageSizes {
        let encryption = try EncryptionParameters(named: name)
        let parameters = try PIRParameters(
            encryption: encryption,
            shape: DatabaseShape(
                entryCount: buckets, entrySize: entrySize, dimensions: dimensions,
                bytesPerPlaintext: encryption.bytesPerPlaintext),
            hashFunctionCount: functions, shardingFunction: .sha256, keyCompression: .none)
        return try MessageSizes(
            configuration: PIRConfiguration(shards: [parameters]), evaluationKey: parameters.evaluationKey)
    }

    @Test(
        "sizes equal those of Apple's messages",
        arguments: [(299, [25, 6], 595_694), (2985, [115, 13], 765_890)])
    func publishedSizes(buckets: Int, dimensions: [Int], key: Int) throws {
        let sizes = try sizes("n_4096_logq_27_28_28_logt_5", buckets: buckets, dimensions: dimensions)
        #expect(sizes.query == 28_208)
        #expect(sizes.response == 24_616)
        #expect(sizes.evaluationKey == key)
    }

    @Test func oneHashFunctionHalvesTheResponse() throws {
        let sizes = try sizes(
            "n_4096_logq_27_28_28_logt_5", buckets: 359, dimensions: [52, 7], entrySize: 1948, functions: 1)
        #expect(sizes.query == 28_208 && sizes.response == 12_308)
    }

    @Test func theSizesAreThoseOfRealMessages() throws {
        var configuration = try ProcessConfiguration.named("insecure_n_8_logq_5x18_logt_5")
        configuration.cuckooTable.maxSerializedBucketSize = 90
        let processor = try DatabaseProcessor(configuration)
        let usecase = try processor.usecase(named: "u", rows: sampleRows(60))
        let sizes = try MessageSizes(
            configuration: usecase.configuration, evaluationKey: usecase.keyConfiguration)
        var random = generator("sizes")
        let client = try PIRClient(configuration: usecase.configuration, using: &random)
        let key = try client.makeEvaluationKey(for: usecase.keyConfiguration, using: &random)
        let query = try client.query([1], using: &random).message
        #expect(WireCoding.bytes(of: query).count == sizes.query)
        let response = try usecase.shards[0].respond(to: query, key: key)
        #expect(WireCoding.bytes(of: response).count == sizes.response)
        #expect(WireCoding.bytes(of: usecase.configuration.wire).count == sizes.configuration)
        let serialized = WireSerializedEvaluationKey(key, context: processor.context)
        #expect(WireCoding.bytes(of: serialized).count == sizes.evaluationKey)
    }
}
