import HomomorphicEncryption
import PrivateInformationRetrieval
import Testing

@Suite struct ProcessConfigurationTests {
    private func read(_ json: String) throws -> (
        configuration: ProcessConfiguration, unknownKeys: [UnknownKey]
    ) {
        try ProcessConfiguration.read(json: Array(json.utf8))
    }

    private let required = """
        "inputDatabase": "url.txtpb", "outputDatabase": "url-SHARD_ID.bin",
        "outputPirParameters": "url-SHARD_ID.params.txtpb", "rlweParameters": "n_4096_logq_27_28_28_logt_5"
        """

    /// The configuration of Apple's URL filtering documentation.
    @Test func applesExampleIsRead() throws {
        let (configuration, unknownKeys) = try read(
            """
            { "databaseType": "keyword", \(required), "sharding": { "entryCountPerShard": 50000 },
              "trialsPerShard": 5 }
            """)
        #expect(unknownKeys.isEmpty)
        #expect(configuration.encryption.name == "n_4096_logq_27_28_28_logt_5")
        #expect(try configuration.sharding == Sharding(.entryCountPerShard(50_000)))
        #expect(configuration.trialsPerShard == 5)
        #expect(configuration.shardingFunction == .sha256)
        #expect(configuration.keyCompression == .none)
        #expect(configuration.cuckooTable == ProcessConfiguration.CuckooArguments())
        #expect(configuration.unevenDimensions && !configuration.useMaxSerializedBucketSize)
        #expect(ProcessConfiguration.path(configuration.outputDatabase, shard: 12) == "url-12.bin")
    }

    /// The example of `urlfilter pir process --help`, as Apple's main branch wants it, and with a number of shards.
    @Test func theExampleOfTheHelpIsRead() throws {
        for (sharding, count) in [(#"{"entryCountPerShard": 50000}"#, 2), (#"{"shardCount": 4}"#, 4)] {
            let (configuration, unknownKeys) = try read(
                #"{"databaseType": "keyword", \#(required), "sharding": \#(sharding)}"#)
            #expect(unknownKeys.isEmpty)
            #expect(configuration.sharding.shardCount(rowCount: 100_000) == count)
        }
    }

    @Test func everyKeyIsUnderstood() throws {
        let (configuration, unknownKeys) = try read(
            """
            { \(required), "algorithm": "mulPir", "outputEvaluationKeyConfig": "keys.txtpb",
              "sharding": { "entryCountPerShard": 10, "maxShardCount": 9, "requirePowerOfTwoShardCount": true },
              "shardingFunction": { "doubleMod": 7 }, "keyCompression": "hybridCompression",
              "useMaxSerializedBucketSize": true, "trialsPerShard": 0, "unevenDimensions": false,
              "encodingEntrySize": false, "symmetricPirArguments": null,
              "cuckooTableArguments": { "hashFunctionCount": 1, "maxEvictionCount": 7, "slotCount": 9,
                "maxSerializedBucketSize": 500, "bucketCount": { "fixedSize": { "bucketCount": 40 } } } }
            """)
        #expect(unknownKeys.isEmpty)
        #expect(configuration.outputEvaluationKeyConfig == "keys.txtpb")
        #expect(configuration.sharding.shardCount(rowCount: 1_000) == 8)
        #expect(configuration.shardingFunction == .doubleMod(otherShardCount: 7))
        #expect(configuration.keyCompression == .hybrid)
        #expect(configuration.useMaxSerializedBucketSize && !configuration.unevenDimensions)
        #expect(configuration.trialsPerShard == 0)
        let table = configuration.cuckooTable
        #expect(table.hashFunctionCount == 1 && table.maxEvictionCount == 7 && table.slotCount == 9)
        #expect(table.maxSerializedBucketSize == 500 && table.bucketCount == .fixedSize(40))
        let (growing, _) = try read(
            """
            { \(required), "shardingFunction": { "sha256": null }, "cuckooTableArguments": { "bucketCount":
              { "allowExpansion": { "expansionFactor": 2, "targetLoadFactor": 0.5 } } } }
            """)
        #expect(
            growing.cuckooTable.bucketCount == .allowExpansion(expansionFactor: 2, targetLoadFactor: 0.5))
    }

    @Test func unknownKeysAreListedWithTheirPath() throws {
        let (_, unknownKeys) = try read(
            """
            { \(required), "trials": 3, "sharding": { "shardCount": 2, "count": 1 },
              "cuckooTableArguments": { "slots": 4, "bucketCount": { "fixedSize": { "bucketCount": 4, "x": 1 } } } }
            """)
        #expect(
            unknownKeys.map(\.path) == [
                "cuckooTableArguments.bucketCount.fixedSize.x", "cuckooTableArguments.slots",
                "sharding.count",
                "trials",
            ])
    }

    @Test(
        "a value that cannot be used is reported with its key",
        arguments: [
            (#""trialsPerShard": "5""#, "trialsPerShard: the value is '5'; it must be a whole number"),
            (#""trialsPerShard": 1.5"#, "trialsPerShard: the value is 1.5; it must be a whole number"),
            (#""trialsPerShard": -1"#, "trialsPerShard: the value is -1; it must be in 0...10000"),
            (#""unevenDimensions": 1"#, "unevenDimensions: the value is 1; it must be true or false"),
            (#""sharding": 5"#, "sharding: the value is 5; it must be an object"),
            (
                #""sharding": {"shardCount": 0}"#, "sharding: the value is 0; it must be in 1...4294967295"
            ),
            (
                #""sharding": {}"#,
                "sharding: the value is without a number; it must be either shardCount or entryCountPerShard"
            ),
            (
                #""cuckooTableArguments": {"slotCount": 300}"#,
                "cuckooTableArguments.slotCount: the value is 300; it must be in 1...255"
            ),
            (
                #""cuckooTableArguments": {"bucketCount": {"fixedSize": {}}}"#,
                "cuckooTableArguments.bucketCount.fixedSize.bucketCount: the key is missing; it is required"
            ),
            (
                #""keyCompression": "zip""#,
                "keyCompression: the value is 'zip'; it must be one of noCompression, hybridCompression, maxCompression"
            ),
            (
                #""shardingFunction": {"doubleMod": 0}"#,
                "shardingFunction.doubleMod: the value is 0; it must be in 1...4294967295"
            ),
            (#""algorithm": "aclsPir""#, "algorithm: the value is 'aclsPir'; it must be 'mulPir'"),
            (
                #""databaseType": "index""#,
                "databaseType: 'index' cannot be used here: URL filters are keyword databases"
            ),
            (
                #""symmetricPirArguments": {}"#,
                "symmetricPirArguments: symmetric PIR cannot be used here: this program encrypts no database"
            ),
        ])
    func refusedValues(member: String, message: String) throws {
        let error = #expect(throws: ProcessConfigurationError.self) { try read("{ \(required), \(member) }") }
        #expect(error?.description == message)
    }

    @Test func requiredKeysAndNamesAreChecked() throws {
        let missing = #expect(throws: ProcessConfigurationError.self) { try read("{}") }
        #expect(missing?.description == "inputDatabase: the key is missing; it is required")
        let one = required.replacing("n_4096_logq_27_28_28_logt_5", with: "n_4096")
        #expect(throws: ProcessConfigurationError.self) { try read("{ \(one) }") }
        let without = required.replacing("n_4096_logq_27_28_28_logt_5", with: "insecure_n_16_logq_60_logt_15")
        #expect(throws: ProcessConfigurationError.self) { try read("{ \(without) }") }
        let unnamed = required.replacing("url-SHARD_ID.bin", with: "url.bin")
        #expect(try read("{ \(unnamed) }").configuration.outputDatabase == "url.bin")
        let several = #expect(throws: ProcessConfigurationError.self) {
            try read("{ \(unnamed), \"sharding\": { \"shardCount\": 2 } }")
        }
        #expect(several?.key == "outputDatabase")
    }

    @Test(
        "what is not a JSON object is an error",
        arguments: ["", "{", "[]", "3", "null", "{\"a\" 1}", "\u{0}"])
    func notAnObject(json: String) {
        let error = #expect(throws: ProcessConfigurationError.self) { try read(json) }
        #expect(error?.key == "")
    }

    @Test func noMutationMakesReadingTrap() {
        let json = """
            { \(required), "sharding": { "entryCountPerShard": 10, "maxShardCount": 9 },
              "shardingFunction": { "doubleMod": 7 }, "trialsPerShard": 1e3,
              "cuckooTableArguments": { "bucketCount": { "allowExpansion": { "expansionFactor": 1.1 } } } }
            """
        forEachMutation(of: Array(json.utf8), count: 3_000) { bytes in
            _ = try? ProcessConfiguration.read(json: bytes)
        }
        #expect(throws: ProcessConfigurationError.self) {
            try ProcessConfiguration.read(json: [UInt8](repeating: UInt8(ascii: "["), count: 1 << 20 + 1))
        }
        #expect(throws: ProcessConfigurationError.self) {
            try ProcessConfiguration.read(json: [UInt8](repeating: UInt8(ascii: "["), count: 1 << 20))
        }
    }
}
