import HomomorphicEncryption
import PrivateInformationRetrieval
import TestSupport
import Testing

/// Processing with the settings of Apple's URL filtering documentation, against article "PIR protocol", sections
/// "Sizes" and "Known answers" (values captured from, or confirmed on, Apple's implementation).
@Suite struct ProcessVectorTests {
    private func process(_ rows: KeywordRows) throws -> (shard: ProcessedShard, context: BFVContext) {
        let processor = try DatabaseProcessor(.named("n_4096_logq_27_28_28_logt_5"))
        return (try #require(try processor.shards(of: rows).first), processor.context)
    }

    /// The ten entries of Apple's SimpleURLFilter sample, each with the value 1.
    private var sample: KeywordRows {
        get throws {
            let hosts = ["example.com"] + (2...9).map { "example\($0).com" }
            return try KeywordRows(
                (hosts + ["example10.com/resource?query=bugs"]).map { (Array($0.utf8), [0x31]) })
        }
    }

    @Test func theSampleHasApplesParameters() throws {
        let parameters = try process(sample).shard.parameters
        #expect(parameters.shape.entryCount == 1 && parameters.shape.entrySize == 111)
        #expect(parameters.shape.dimensions == [1, 1])
        #expect(parameters.evaluationKey.galoisElements == [2049, 4097])
        #expect(
            hex(parameters.evaluationKey.identifier)
                == "f94fb04678cb89f123d50879536c7b21e11613fb6ff1077dab44dcbfc6054b71")
        let text = String(
            decoding: MessageFile.bytes(of: parameters.wire, format: .text), as: UTF8.self)
        for field in [
            "num_entries: 1", "entry_size: 111", "batch_size: 2", "algorithm: PIR_ALGORITHM_MUL_PIR",
        ] {
            #expect(text.contains(field), "\(field)")
        }
        #expect(!text.contains("key_compression_strategy") && !text.contains("error_std_dev"))
    }

    @Test func theSampleHasApplesConfiguration() throws {
        let parameters = try process(sample).shard.parameters
        let encryption = "0a1708802010111a0c81c0fd3f8180fc7f81c0fb7f28013001"
        let rest = "1a06080222020a00200128023220" + hex(parameters.evaluationKey.identifier)
        #expect(
            hex(WireCoding.bytes(of: try PIRConfiguration(shards: [parameters]).wire))
                == encryption + "120a0801106f1a0201012200" + rest)
        #expect(
            hex(
                WireCoding.bytes(of: try PIRConfiguration(shards: [parameters, parameters, parameters]).wire))
                == encryption + rest + "52100a0e0a0a0801106f1a02010122001003")
    }

    @Test(
        "shards have Apple's shape",
        arguments: [
            (rows: 1_000, buckets: 7, dimensions: [2, 2], elements: 3),
            (rows: 10_000, buckets: 60, dimensions: [10, 3], elements: 5),
            (rows: 50_000, buckets: 299, dimensions: [25, 6], elements: 6),
        ])
    func shapes(rows: Int, buckets: Int, dimensions: [Int], elements: Int) throws {
        let (shard, context) = try process(sampleRows(rows))
        #expect(shard.parameters.shape.entryCount == buckets)
        #expect(shard.parameters.shape.entrySize == 1024)
        #expect(shard.parameters.shape.dimensions == dimensions)
        #expect(shard.parameters.evaluationKey.galoisElements.count == elements)
        var byteCount = 0
        try shard.database.write(context: context) { byteCount += $0.count }
        // 5 bytes, then a tag and 4096 residues of 27 and of 28 bits for each plaintext of two tables.
        #expect(byteCount == 5 + 2 * shard.parameters.shape.usedPlaintextsPerChunk * (1 + 28_160))
        if rows == 50_000 { #expect(byteCount == 8_448_305) }
    }

    /// A power of two of shards, and every row in the shard that a device computes for it.
    @Test("rows are in the shards that devices ask", arguments: [false, true])
    func sharding(doubleMod: Bool) throws {
        var configuration = try ProcessConfiguration.named("insecure_n_512_logq_4x60_logt_20")
        configuration.sharding = try Sharding(
            .entryCountPerShard(100), maxShardCount: 13, requirePowerOfTwoShardCount: true)
        if doubleMod { configuration.shardingFunction = .doubleMod(otherShardCount: 2000) }
        let rows = try sampleRows(1_500)
        let processor = try DatabaseProcessor(configuration)
        let shards = try processor.shards(of: rows)
        #expect(shards.count == 8)
        var random = generator("sharding")
        let client = try PIRClient(
            configuration: PIRConfiguration(shards: shards.map(\.parameters)), using: &random)
        for (number, shard) in shards.enumerated() {
            var file: [UInt8] = []
            try shard.database.write(context: processor.context) { file += $0 }
            let stored = try StoredShard(
                bytes: file, parameters: shard.parameters, context: processor.context)
            let expected = (0..<1_500).filter { client.shard(of: rows.keyword(at: $0)) == number }
            #expect(Set(stored.buckets.joined().map(\.hash)) == Set(expected.map { rows.hashes[$0] }))
            if doubleMod {
                for slot in stored.buckets.joined() { #expect(Int(slot.hash % 2000 % 8) == number) }
            }
        }
    }
}
