/// Rows placed into buckets so that each row is in one of the few buckets its keyword's hash names.
///
/// There is one table per hash function, and table `j` holds only rows placed by function `j`. Which of a row's
/// candidates was taken is the server's affair: a device asks for all of them.
/// Source: PIR protocol fact sheet, section 10.3. Unlike the original, a row that no eviction can make room for
/// is never dropped: the table grows, or building it fails.
package struct CuckooTable: Sendable {
    /// Growth stops when a table is this many times larger than planned. A table that needs it has buckets too
    /// small for its rows.
    private static let maximumGrowth = 64

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
        for row in rows {
            let byteCount = HashBucket.byteCount(ofSingleValue: database.valueByteCount(at: row))
            guard byteCount <= configuration.maxSerializedBucketSize else {
                throw .valueLargerThanBucket(
                    row: row, byteCount: byteCount, bucketByteCount: configuration.maxSerializedBucketSize)
            }
        }
        let planned = Self.plannedBucketCount(database, rows: rows, configuration: configuration)
        var bucketCount = planned
        while true {
            var builder = CuckooBuilder(database, bucketCount: bucketCount, configuration: configuration)
            if builder.place(rows, using: &generator) {
                tableCount = configuration.hashFunctionCount
                bucketsPerTable = bucketCount / tableCount
                buckets = builder.buckets
                largestBucketByteCount = builder.byteCounts.max() ?? HashBucket.emptyByteCount
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

/// One attempt to place all rows into a fixed number of buckets.
private struct CuckooBuilder {
    let database: KeywordRows
    let configuration: CuckooConfiguration
    let bucketsPerTable: Int
    var buckets: [[Int]]
    /// Bytes of each bucket when written out.
    var byteCounts: [Int]

    init(_ database: KeywordRows, bucketCount: Int, configuration: CuckooConfiguration) {
        self.database = database
        self.configuration = configuration
        bucketsPerTable = bucketCount / configuration.hashFunctionCount
        buckets = Array(repeating: [], count: bucketCount)
        byteCounts = Array(repeating: HashBucket.emptyByteCount, count: bucketCount)
    }

    /// Returns false as soon as one row finds no place.
    mutating func place(_ rows: [Int], using generator: inout some RandomNumberGenerator) -> Bool {
        for row in rows {
            var homeless: Int? = row
            var evictionsLeft = configuration.maxEvictionCount
            while let row = homeless {
                let candidates = candidateBuckets(of: row)
                if let bucket = candidates.first(where: { hasRoom($0, for: row) }) {
                    buckets[bucket].append(row)
                    byteCounts[bucket] += slotByteCount(of: row)
                    homeless = nil
                } else {
                    guard evictionsLeft > 0,
                        let victim = replaceableSlots(in: candidates, by: row).randomElement(
                            using: &generator)
                    else { return false }
                    evictionsLeft -= 1
                    let evicted = buckets[victim.bucket][victim.slot]
                    buckets[victim.bucket][victim.slot] = row
                    byteCounts[victim.bucket] += slotByteCount(of: row) - slotByteCount(of: evicted)
                    homeless = evicted
                }
            }
        }
        return true
    }

    private func candidateBuckets(of row: Int) -> [Int] {
        KeywordHash.bucketIndices(
            of: database.hashes[row], bucketCount: bucketsPerTable,
            functionCount: configuration.hashFunctionCount
        ).enumerated().map { $0.offset * bucketsPerTable + $0.element }
    }

    private func hasRoom(_ bucket: Int, for row: Int) -> Bool {
        buckets[bucket].count < configuration.slotCount
            && byteCounts[bucket] + slotByteCount(of: row) <= configuration.maxSerializedBucketSize
    }

    private func replaceableSlots(in candidates: [Int], by row: Int) -> [(bucket: Int, slot: Int)] {
        candidates.flatMap { bucket in
            buckets[bucket].indices.compactMap { slot in
                let freed = slotByteCount(of: buckets[bucket][slot])
                let byteCount = byteCounts[bucket] + slotByteCount(of: row) - freed
                return byteCount <= configuration.maxSerializedBucketSize ? (bucket, slot) : nil
            }
        }
    }

    private func slotByteCount(of row: Int) -> Int {
        HashBucket.slotOverheadByteCount + database.valueByteCount(at: row)
    }
}
