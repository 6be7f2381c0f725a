/// Rows placed into buckets so that each row is in one of the few buckets its keyword's hash names.
///
/// There is one table per hash function, and table `j` holds only rows placed by function `j`. Which of a row's
/// candidates was taken is the server's affair: a device asks for all of them.
/// Source: article "PIR protocol", section "Cuckoo tables". Unlike the original, a row that no eviction can make room
/// for is never dropped: the table grows, or building it fails.
package struct CuckooTable: Sendable {
    /// Growth stops when a table is this many times larger than planned. A table that needs it has buckets too
    /// small for its rows.
    private static let maximumGrowth = 64
    /// Times that a table with a given number of buckets is tried.
    private static let attemptCount = 4

    package let tableCount: Int
    package let bucketsPerTable: Int
    /// Row numbers by bucket, table after table. Order inside a bucket is the order of placement.
    package let buckets: [[Int]]
    /// Bytes of the largest bucket.
    package let largestBucketByteCount: Int

    /// Places rows, growing the table as often as needed.
    ///
    /// The same rows, configuration and generator give the same table.
    ///
    /// - Parameters:
    ///   - database: All rows.
    ///   - rows: Those rows of `database` that belong into this table, in the order of insertion. Their keywords
    ///     must be distinct; see ``KeywordRows/checkKeywordsAreDistinct()``.
    ///   - generator: Chooses the rows that have to give way.
    package init(
        _ database: KeywordRows, rows: [Int], configuration: CuckooConfiguration,
        using generator: inout some RandomNumberGenerator
    ) throws(KeywordDatabaseError) {
        let slots = try Slots(database, rows: rows, configuration: configuration)
        let planned = Self.plannedBucketCount(database, rows: rows, configuration: configuration)
        var bucketCount = planned
        while true {
            var builder = slots.builder(bucketCount: bucketCount, configuration: configuration)
            if rows.indices.allSatisfy({ builder.insert($0, using: &generator) }) {
                self.init(builder, rows: rows, configuration: configuration)
                return
            }
            guard case .allowExpansion(let factor, _) = configuration.bucketCount else {
                throw .tableFull(rowCount: rows.count, bucketCount: bucketCount)
            }
            guard bucketCount < planned * Self.maximumGrowth else {
                throw .tableWouldGrowWithoutBound(rowCount: rows.count, bucketCount: bucketCount)
            }
            bucketCount = Self.roundedUp(
                Int((Double(bucketCount) * factor).rounded(.up)),
                toMultipleOf: configuration.hashFunctionCount)
        }
    }

    /// Changes an earlier table as little as possible so that it holds these rows.
    ///
    /// Rows that the earlier table had stay where they were; the others are inserted. If that leads nowhere, all
    /// rows are placed anew, a few times.
    ///
    /// - Parameters:
    ///   - earlier: Hashes of keywords by bucket, table after table. The new table has as many buckets.
    ///   - configuration: Its bucket count is not looked at.
    package init(
        _ database: KeywordRows, rows: [Int], following earlier: [[UInt64]],
        configuration: CuckooConfiguration, using generator: inout some RandomNumberGenerator
    ) throws(KeywordDatabaseError) {
        let slots = try Slots(database, rows: rows, configuration: configuration)
        for attempt in 0..<Self.attemptCount {
            var builder = slots.builder(bucketCount: earlier.count, configuration: configuration)
            var isPlaced = Array(repeating: false, count: rows.count)
            if attempt == 0 {
                let numbers = Dictionary(
                    zip(slots.hashes, rows.indices), uniquingKeysWith: { first, _ in first })
                for (bucket, hashes) in earlier.enumerated() {
                    for hash in hashes {
                        guard let slot = numbers[hash], !isPlaced[slot] else { continue }
                        isPlaced[slot] = builder.keep(slot, in: bucket)
                    }
                }
            }
            if rows.indices.allSatisfy({ isPlaced[$0] || builder.insert($0, using: &generator) }) {
                self.init(builder, rows: rows, configuration: configuration)
                return
            }
        }
        throw .tableFull(rowCount: rows.count, bucketCount: earlier.count)
    }

    private init(_ builder: CuckooBuilder, rows: [Int], configuration: CuckooConfiguration) {
        tableCount = configuration.hashFunctionCount
        bucketsPerTable = builder.buckets.count / tableCount
        buckets = builder.buckets.map { $0.map { rows[$0] } }
        largestBucketByteCount = builder.byteCounts.max() ?? HashBucket.emptyByteCount
    }

    /// Buckets over all tables before any growth.
    package static func plannedBucketCount(
        _ database: KeywordRows, rows: [Int], configuration: CuckooConfiguration
    ) -> Int {
        switch configuration.bucketCount {
        case .fixedSize(let count):
            return roundedUp(count, toMultipleOf: configuration.hashFunctionCount)
        case .allowExpansion(_, let targetLoadFactor):
            let size = configuration.maxSerializedBucketSize
            let byteCount = rows.reduce(HashBucket.emptyByteCount) {
                $0 + HashBucket.slotOverheadByteCount + database.valueByteCount(at: $1)
            }
            let full = (byteCount + size - 1) / size
            return roundedUp(
                Int((Double(full) / targetLoadFactor).rounded(.up)),
                toMultipleOf: configuration.hashFunctionCount)
        }
    }

    private static func roundedUp(_ value: Int, toMultipleOf factor: Int) -> Int {
        (value + factor - 1) / factor * factor
    }
}

/// Hashes and sizes of rows, which the placement has to know.
private struct Slots {
    let hashes: [UInt64]
    let byteCounts: [Int]

    init(
        _ database: KeywordRows, rows: [Int], configuration: CuckooConfiguration
    ) throws(KeywordDatabaseError) {
        for row in rows {
            let byteCount = HashBucket.byteCount(ofSingleValue: database.valueByteCount(at: row))
            guard byteCount <= configuration.maxSerializedBucketSize else {
                throw .valueLargerThanBucket(
                    row: row, byteCount: byteCount, bucketByteCount: configuration.maxSerializedBucketSize)
            }
        }
        hashes = rows.map { database.hashes[$0] }
        byteCounts = rows.map { HashBucket.slotOverheadByteCount + database.valueByteCount(at: $0) }
    }

    func builder(bucketCount: Int, configuration: CuckooConfiguration) -> CuckooBuilder {
        CuckooBuilder(
            hashes: hashes, slotByteCounts: byteCounts, bucketCount: bucketCount,
            configuration: configuration)
    }
}
