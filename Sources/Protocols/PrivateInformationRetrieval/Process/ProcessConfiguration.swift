package import HomomorphicEncryption

/// Settings of `pir process` for a keyword database: the JSON file of Apple's PIRProcessDatabase.
///
/// Every key of Apple's file is understood; those that name something this program does not have (symmetric PIR,
/// index databases) are refused rather than ignored. Source: article "PIR protocol", section "Processing
/// configuration".
package struct ProcessConfiguration: Hashable, Sendable {
    /// Cuckoo settings whose bucket size may still depend on the rows.
    package struct CuckooArguments: Hashable, Sendable {
        package var hashFunctionCount = 2
        package var maxEvictionCount = 100
        /// Nil: see ``CuckooConfiguration/defaultBucketSize(longestValueByteCount:bytesPerPlaintext:)``.
        package var maxSerializedBucketSize: Int?
        package var bucketCount = CuckooConfiguration.defaultBucketCount
        package var slotCount = HashBucket.maximumSlotCount

        package init() {}
    }

    /// Text that stands for a shard's number in the names of the output files.
    package static let shardPlaceholder = "SHARD_ID"

    /// KeywordDatabase file, text if it ends in `.txtpb`.
    package var inputDatabase: String
    /// Processed database per shard.
    package var outputDatabase: String
    /// PirParameters file per shard, text if it ends in `.txtpb`.
    package var outputPirParameters: String
    /// EvaluationKeyConfig for all shards together. Nil: not written.
    package var outputEvaluationKeyConfig: String?
    package var encryption: EncryptionParameters
    package var sharding = Sharding.oneShard
    package var shardingFunction = ShardingFunction.sha256
    package var cuckooTable = CuckooArguments()
    package var keyCompression = KeyCompression.none
    /// Whether an entry has the largest size a bucket may have, instead of the largest it has.
    package var useMaxSerializedBucketSize = false
    /// Test queries per shard after processing; each must decrypt to the right value.
    package var trialsPerShard = 1
    package var unevenDimensions = true

    package init(
        inputDatabase: String, outputDatabase: String, outputPirParameters: String,
        encryption: EncryptionParameters
    ) {
        self.inputDatabase = inputDatabase
        self.outputDatabase = outputDatabase
        self.outputPirParameters = outputPirParameters
        self.encryption = encryption
    }

    /// Whether each shard gets files of its own names.
    package var namesEveryShard: Bool {
        outputDatabase.contains(Self.shardPlaceholder) && outputPirParameters.contains(Self.shardPlaceholder)
    }

    /// The path at which finished shards are noted: beside the databases, under a name that no server looks for.
    package var journalPath: String {
        outputDatabase.replacing(Self.shardPlaceholder, with: "process") + ".journal"
    }

    /// The path for a shard.
    package static func path(_ pattern: String, shard: Int) -> String {
        pattern.replacing(shardPlaceholder, with: String(shard))
    }
}
