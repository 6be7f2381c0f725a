import Decoding
package import PrivateInformationRetrieval

/// Findings of `urlfilter pir inspect` in processed files. As JSON the document `urlfilter.pir-inspect/1`.
package struct PIRInspection: Codable, Hashable, Sendable {
    package static let schemaName = "urlfilter.pir-inspect/1"

    /// Contents of the database of a shard. All numbers are counts unless they say otherwise.
    package struct Contents: Codable, Hashable, Sendable {
        package var databaseByteCount: Int
        package var filledPlaintexts: Int
        package var rows: Int
        /// Used share of the bytes of a bucket.
        package var emptiestBucket: Double
        package var meanBucket: Double
        package var fullestBucket: Double
        /// Rows with random keywords that were added before one found no place.
        package var headroomRows: Int
        /// Rows that the free bytes could hold at best.
        package var freeSlots: Int
        /// Length of the values that the headroom was tried with, in bytes.
        package var headroomValueByteCount: Int

        package init(_ shard: StoredShard, headroom: BucketHeadroom) {
            let loads = shard.bucketLoads
            databaseByteCount = shard.databaseByteCount
            filledPlaintexts = shard.filledPlaintextCount
            rows = shard.rowCount
            emptiestBucket = loads.min() ?? 0
            meanBucket = loads.isEmpty ? 0 : loads.reduce(0, +) / Double(loads.count)
            fullestBucket = loads.max() ?? 0
            headroomRows = headroom.rowCount
            freeSlots = headroom.freeSlotCount
            headroomValueByteCount = headroom.valueByteCount
        }
    }

    package struct Shard: Codable, Hashable, Sendable {
        package var parametersFile: String
        /// Nil if only the parameters were looked at.
        package var databaseFile: String?
        /// Buckets of one hash table.
        package var buckets: Int
        package var tables: Int
        /// Bytes of one bucket.
        package var bucketSize: Int
        package var dimensions: [Int]
        /// Over all tables, empty ones included.
        package var plaintexts: Int
        package var galoisElements: [UInt32]
        /// Memory of the database at a server, in evaluation form, in bytes.
        package var serverByteCount: Int
        package var contents: Contents?
        /// Trial queries that were made, all with the answer that the file says.
        package var trials = 0
        /// Smallest noise budget seen in them, in bits.
        package var smallestNoiseBudget: Double?

        package init(parametersFile: String, parameters: PIRParameters) {
            self.parametersFile = parametersFile
            buckets = parameters.shape.entryCount
            tables = parameters.hashFunctionCount
            bucketSize = parameters.shape.entrySize
            dimensions = parameters.shape.dimensions
            plaintexts = parameters.shape.plaintextCount * parameters.hashFunctionCount
            galoisElements = parameters.evaluationKey.galoisElements
            serverByteCount = parameters.serverByteCount
        }
    }

    package var schema = Self.schemaName
    package var encryptionParameters: String
    package var shardingFunction: String
    /// Names the configuration; clients keep theirs while it stays. Hexadecimal.
    package var configurationID: String
    /// Names the keys; clients keep theirs while it stays. Hexadecimal.
    package var evaluationKeyID: String
    package var messages: MessageSizes
    package var shards: [Shard]

    /// - Parameter parameters: Of the shards, which must belong together.
    package init(parameters: [PIRParameters], messages: MessageSizes, shards: [Shard]) throws {
        let configuration = try PIRConfiguration(shards: parameters)
        encryptionParameters = configuration.encryptionName
        shardingFunction = "\(configuration.shardingFunction)"
        configurationID = WireCoding.sha256(configuration.wire).hexadecimal
        evaluationKeyID = configuration.evaluationKeyIdentifier.hexadecimal
        self.messages = messages
        self.shards = shards
    }

    /// Rows that fit before the first shard is full, if new rows spread evenly. Nil without databases.
    package var headroomRows: Int? {
        let headrooms = shards.compactMap { $0.contents?.headroomRows }
        guard headrooms.count == shards.count else { return nil }
        return headrooms.min().map { $0 * shards.count }
    }
}
