import HomomorphicEncryption
import PrivateInformationRetrieval
import Testing

/// Whole lookups: rows to shards, keyword to query to response to value.
@Suite struct EndToEndTests {
    /// Asks for every keyword and checks value or absence; returns the smallest noise budget.
    private func lookUp(
        _ configuration: ProcessConfiguration, rows: KeywordRows, present: [Int], absent: [String]
    ) throws -> Double {
        let processor = try DatabaseProcessor(configuration)
        let usecase = try processor.usecase(named: "u", rows: rows)
        var random = generator("end to end")
        let client = try PIRClient(
            configuration: PIRConfiguration(usecase.configuration.wire), context: processor.context,
            using: &random)
        let keyMessage = try client.makeSerializedEvaluationKey(for: usecase.keyConfiguration, using: &random)
        let key = try keyMessage.value(context: processor.context)
        var smallest = Double.infinity
        let questions =
            present.map { (rows.keyword(at: $0), Optional(Array(rows.value(at: $0)))) }
            + absent.map { (Array($0.utf8), nil) }
        for (keyword, expected) in questions {
            let query = try client.query(keyword, using: &random)
            let shard = usecase.shards[query.pending.shard]
            let answers = try shard.answers(to: query.message, key: key)
            smallest = min(smallest, client.noiseBudgets(of: answers).min() ?? 0)
            let value = try client.decrypt(shard.response(of: answers), for: query.pending)
            #expect(value == expected, "\(String(decoding: keyword, as: UTF8.self)), budget \(smallest) bits")
        }
        return smallest
    }

    @Test func twoThousandRowsInSeveralShards() throws {
        var configuration = try ProcessConfiguration.named("n_4096_logq_27_28_28_logt_5")
        configuration.sharding = try Sharding(.entryCountPerShard(450))
        let budget = try lookUp(
            configuration, rows: sampleRows(2_000), present: Array(stride(from: 3, to: 2_000, by: 50)),
            absent: (0..<40).map { "absent\($0).example" })
        #expect(budget > 8)
    }

    /// The sets with enough room for two products; the other ones do not decrypt, see
    /// `aTrialThatFailsNamesTheKeyword`.
    @Test(
        "lookups are right for every set of parameters",
        arguments: [
            "insecure_n_8_logq_5x18_logt_5", "insecure_n_512_logq_4x60_logt_20",
            "n_4096_logq_16_33_33_logt_4",
            "n_4096_logq_27_28_28_logt_4", "n_4096_logq_27_28_28_logt_5", "n_4096_logq_27_28_28_logt_6",
            "n_8192_logq_3x55_logt_24", "n_8192_logq_29_60_60_logt_15",
            "n_8192_logq_28_60_60_logt_20",
        ])
    func parameterSet(name: String) throws {
        var configuration = try ProcessConfiguration.named(name)
        if name.hasPrefix("insecure_n_8_") { configuration.cuckooTable.maxSerializedBucketSize = 24 }
        let budget = try lookUp(
            configuration, rows: sampleRows(name.hasPrefix("insecure_n_8_") ? 6 : 1_500), present: [0, 2, 5],
            absent: ["absent.example"])
        #expect(budget > 1)
    }

    @Test("lookups are right with every key compression", arguments: KeyCompression.allCases)
    func keyCompression(compression: KeyCompression) throws {
        var configuration = try ProcessConfiguration.named("n_4096_logq_27_28_28_logt_5")
        configuration.keyCompression = compression
        let budget = try lookUp(configuration, rows: sampleRows(3_000), present: [7, 2_999], absent: ["x"])
        #expect(budget > 6)
    }

    @Test("lookups are right with other tables", arguments: [1, 2, 3], [false, true])
    func tables(functions: Int, uneven: Bool) throws {
        var configuration = try ProcessConfiguration.named("insecure_n_512_logq_4x60_logt_20")
        configuration.cuckooTable.hashFunctionCount = functions
        configuration.unevenDimensions = uneven
        configuration.shardingFunction = .doubleMod(otherShardCount: 7)
        configuration.sharding = try Sharding(.shardCount(3))
        _ = try lookUp(configuration, rows: sampleRows(900), present: [0, 450, 899], absent: ["x", "y"])
    }

    @Test func valuesLargerThanAPlaintextAreFound() throws {
        var configuration = try ProcessConfiguration.named("insecure_n_512_logq_4x60_logt_20")
        configuration.sharding = try Sharding(.shardCount(2))
        _ = try lookUp(
            configuration, rows: sampleRows(60, valueByteCounts: 2_000...3_000), present: [0, 31, 59],
            absent: ["x"])
    }

    @Test func fixedBucketsKeepTheShapeOfEveryShard() throws {
        var configuration = try ProcessConfiguration.named("insecure_n_512_logq_4x60_logt_20")
        configuration.sharding = try Sharding(.shardCount(4))
        configuration.cuckooTable.bucketCount = .fixedSize(30)
        configuration.cuckooTable.maxSerializedBucketSize = 600
        let rows = try sampleRows(1_000)
        let usecase = try DatabaseProcessor(configuration).usecase(named: "u", rows: rows)
        #expect(usecase.configuration.wire.hasPirShardConfigs)
        #expect(usecase.configuration.shards[3].entrySize == 600)
        _ = try lookUp(configuration, rows: rows, present: [0, 999], absent: ["x"])
    }

    @Test func aShardWithoutRowsAnswersAbsent() throws {
        var configuration = try ProcessConfiguration.named("n_4096_logq_27_28_28_logt_5")
        configuration.sharding = try Sharding(.shardCount(12))
        _ = try lookUp(
            configuration, rows: sampleRows(3), present: [0, 1, 2], absent: (0..<10).map { "absent\($0)" })
    }

    @Test func noMutationOfAResponseMakesDecryptionTrap() throws {
        var configuration = try ProcessConfiguration.named("insecure_n_8_logq_5x18_logt_5")
        configuration.cuckooTable.maxSerializedBucketSize = 24
        let processor = try DatabaseProcessor(configuration)
        let usecase = try processor.usecase(named: "u", rows: sampleRows(5))
        var random = generator("damaged responses")
        let client = try PIRClient(configuration: usecase.configuration, using: &random)
        let key = try client.makeEvaluationKey(for: usecase.keyConfiguration, using: &random)
        let query = try client.query(Array("host1.example/path".utf8), using: &random)
        let response = try usecase.shards[0].respond(to: query.message, key: key)
        forEachMutation(of: WireCoding.bytes(of: response), count: 3_000) { bytes in
            guard let damaged = try? WireCoding.message(WirePIRResponse.self, from: bytes) else { return }
            _ = try? client.decrypt(damaged, for: query.pending)
        }
        #expect(throws: PIRError.replyCount(0, expected: 2)) {
            try client.decrypt(WirePIRResponse(), for: query.pending)
        }
    }

    @Test func keysOfOtherParametersAreRefused() throws {
        let small = try DatabaseProcessor(.named("insecure_n_512_logq_4x60_logt_20"))
        let other = try DatabaseProcessor(.named("n_4096_logq_27_28_28_logt_5"))
        let rows = try sampleRows(10)
        var random = generator("other parameters")
        let client = try PIRClient(
            configuration: small.usecase(named: "u", rows: rows).configuration, using: &random)
        let keyConfiguration = try other.usecase(named: "u", rows: rows).keyConfiguration
        #expect(throws: PIRError.differentParameters) {
            try client.makeEvaluationKey(for: keyConfiguration, using: &random)
        }
    }
}
