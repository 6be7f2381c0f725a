package import PrivateInformationRetrieval
import URLFilter

/// Result of `urlfilter pir process`. As JSON the document `urlfilter.pir-process/1`.
package struct PIRProcessSummary: Codable, Hashable, Sendable {
    package static let schemaName = "urlfilter.pir-process/1"

    package struct Shard: Codable, Hashable, Sendable {
        package var shard: Int
        package var rows: Int
        /// Buckets of one hash table.
        package var buckets: Int
        /// Bytes of one bucket.
        package var bucketSize: Int
        package var dimensions: [Int]
        package var databaseByteCount: Int
        /// Test queries, all of which had the right answer.
        package var trials: Int
        /// Smallest noise budget seen in them, in bits.
        package var smallestNoiseBudget: Double?
        package var origin: ShardSummary.Origin
        /// Nil unless a database was updated.
        package var change: ShardSummary.Change?

        package init(_ summary: ShardSummary) {
            shard = summary.shard
            rows = summary.rowCount
            buckets = summary.parameters.shape.entryCount
            bucketSize = summary.parameters.shape.entrySize
            dimensions = summary.parameters.shape.dimensions
            databaseByteCount = summary.databaseByteCount
            trials = summary.trialCount
            smallestNoiseBudget = summary.smallestNoiseBudget
            origin = summary.origin
            change = summary.change
        }
    }

    package var schema = Self.schemaName
    package var configuration: String
    package var encryptionParameters: String
    package var rows: Int
    package var seed: UInt64
    /// Wall time.
    package var seconds: Double
    /// Keys of the configuration that mean nothing here.
    package var unknownKeys: [String]
    /// Directory of the database that was updated. Nil if the shards were made anew.
    package var previous: String?
    /// Whether clients can keep their configuration and their keys. Nil if the shards were made anew.
    package var parametersKept: Bool?
    package var shards: [Shard]
    /// Warnings about what devices will not take, each with what to do.
    package var warnings: [String]

    package init(
        configuration: String, encryptionParameters: String, seed: UInt64, seconds: Double,
        unknownKeys: [String], previous: String? = nil, parametersKept: Bool? = nil,
        shards: [ShardSummary]
    ) {
        self.configuration = configuration
        self.encryptionParameters = encryptionParameters
        self.seed = seed
        self.seconds = seconds
        self.unknownKeys = unknownKeys
        self.previous = previous
        self.parametersKept = parametersKept
        self.shards = shards.map(Shard.init)
        rows = shards.reduce(0) { $0 + $1.rowCount }
        warnings = Self.warnings(shards)
    }

    private static func warnings(_ shards: [ShardSummary]) -> [String] {
        var warnings: [String] = []
        if !ShardCount.isPowerOfTwo(shards.count) {
            let (below, above) = ShardCount.neighbours(of: shards.count)
            warnings.append(
                "\(shards.count) shards: devices of 27.3 refuse a count that is no power of two; use \(below) or"
                    + " \(above)"
            )
        }
        let empty = shards.filter { $0.rowCount == 0 }
        if let first = empty.first {
            warnings.append(
                "no row is in \(empty.count == 1 ? "shard \(first.shard)" : "\(empty.count) shards"); use fewer shards"
            )
        }
        return warnings
    }

    /// Shards that come from there.
    package func shardCount(_ origin: ShardSummary.Origin) -> Int { shards.count { $0.origin == origin } }

    /// Difference to the database that was updated. Nil if the shards were made anew.
    package var change: ShardSummary.Change? {
        guard parametersKept == true else { return nil }
        return shards.compactMap(\.change).reduce(into: ShardSummary.Change()) { sum, change in
            sum.addedRows += change.addedRows
            sum.removedRows += change.removedRows
            sum.changedValues += change.changedValues
        }
    }
}

/// Summary of what `urlfilter pir query` asked and learned. As JSON the document `urlfilter.pir-query/1`.
package struct PIRQuerySummary: Codable, Hashable, Sendable {
    package static let schemaName = "urlfilter.pir-query/1"

    package struct Answer: Codable, Hashable, Sendable {
        package var keyword: String
        /// The shard that was asked; the server sees it.
        package var shard: Int
        package var listed: Bool

        package init(keyword: String, shard: Int, listed: Bool) {
            self.keyword = keyword
            self.shard = shard
            self.listed = listed
        }

        /// `listed` or `absent`.
        package var word: String { listed ? "listed" : "absent" }
    }

    /// Wall seconds of each step; those of the queries are for all keywords together.
    package struct Seconds: Codable, Hashable, Sendable {
        package var load = 0.0
        package var makeKey = 0.0
        package var storeKey = 0.0
        package var makeQueries = 0.0
        package var answer = 0.0
        package var decrypt = 0.0

        package init() {}
    }

    /// Bodies as they would travel, in bytes; those of the queries are for all keywords together.
    package struct Bytes: Codable, Hashable, Sendable {
        package var config = 0
        package var key = 0
        package var queries = 0
        package var responses = 0

        package init() {}
    }

    package var schema = Self.schemaName
    package var configuration: String
    package var shardCount: Int
    package var answers: [Answer] = []
    package var seconds = Seconds()
    package var bytes = Bytes()

    package init(configuration: String, shardCount: Int) {
        self.configuration = configuration
        self.shardCount = shardCount
    }
}
