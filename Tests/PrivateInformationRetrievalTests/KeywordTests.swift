import Foundation
import HomomorphicEncryption
import PrivateInformationRetrieval
import TestSupport
import Testing

/// Known answers: article "PIR protocol", sections "Keyword hashing", "Sharding" and "Known answers".
@Suite struct KeywordHashTests {
    @Test func bucketIndicesEqualApples() {
        let first = KeywordHash.hash([0, 1, 2, 3])
        #expect(KeywordHash.bucketIndices(of: first, bucketCount: 8, functionCount: 3) == [7, 3, 0])
        let second = KeywordHash.hash([3, 2, 1, 0])
        #expect(
            KeywordHash.bucketIndices(of: second, bucketCount: 2048, functionCount: 5)
                == [1989, 1767, 1260, 242, 1122])
    }

    @Test func aSingleBucketIsRepeated() {
        #expect(KeywordHash.bucketIndices(of: 5, bucketCount: 1, functionCount: 3) == [0, 0, 0])
    }

    @Test(
        "shards equal Apple's",
        arguments: [
            ([0, 0, 0, 0], 41, 2), ([0, 0, 0, 0], 1001, 635), ([1, 2, 3], 1001, 903), ([3, 2, 1], 1001, 842),
        ] as [([UInt8], Int, Int)])
    func shardOfKeyword(keyword: [UInt8], shardCount: Int, shard: Int) {
        let hash = KeywordHash.hash(keyword)
        #expect(ShardingFunction.sha256.shard(of: hash, shardCount: shardCount) == shard)
    }

    @Test(
        "shards of the double function equal Apple's",
        arguments: [
            ([0, 0, 0, 0], 41, 32), ([0, 0, 0, 0], 1001, 319), ([1, 2, 3], 1001, 922),
            ([3, 2, 1], 1001, 328),
        ] as [([UInt8], Int, Int)])
    func doubleModShardOfKeyword(keyword: [UInt8], shardCount: Int, shard: Int) {
        let function = ShardingFunction.doubleMod(otherShardCount: 2000)
        #expect(function.shard(of: KeywordHash.hash(keyword), shardCount: shardCount) == shard)
    }
}

@Suite struct ShardingTests {
    @Test(
        "rows per shard give the number of shards",
        arguments: [(0, 1), (99, 1), (100, 1), (199, 1), (200, 2), (1_000, 10)])
    func entryCountPerShard(rows: Int, shards: Int) throws {
        #expect(try Sharding(.entryCountPerShard(100)).shardCount(rowCount: rows) == shards)
    }

    @Test func theCapAppliesBeforeThePowerOfTwo() throws {
        let sharding = try Sharding(
            .entryCountPerShard(1), maxShardCount: 13, requirePowerOfTwoShardCount: true)
        #expect(sharding.shardCount(rowCount: 5) == 4)
        #expect(sharding.shardCount(rowCount: 100) == 8)
        #expect(try Sharding(.entryCountPerShard(1), maxShardCount: 13).shardCount(rowCount: 100) == 13)
    }

    @Test func anExplicitCountHasToSatisfyTheOtherSettings() throws {
        #expect(throws: KeywordDatabaseError.self) {
            try Sharding(.shardCount(6), requirePowerOfTwoShardCount: true)
        }
        #expect(throws: KeywordDatabaseError.self) { try Sharding(.shardCount(6), maxShardCount: 5) }
        #expect(throws: KeywordDatabaseError.self) { try Sharding(.shardCount(0)) }
        #expect(try Sharding(.shardCount(8), requirePowerOfTwoShardCount: true).shardCount(rowCount: 1) == 8)
    }
}

@Suite struct KeywordRowsTests {
    @Test func aDuplicateIsNamedWithBothRows() throws {
        let rows = try KeywordRows([(Array("a".utf8), [1]), (Array("b".utf8), [1]), (Array("a".utf8), [2])])
        #expect(throws: KeywordDatabaseError.duplicateKeyword("a", row: 2, firstRow: 0)) {
            try rows.checkKeywordsAreDistinct()
        }
        let message = KeywordDatabaseError.duplicateKeyword("a", row: 2, firstRow: 0).description
        #expect(message == "keyword 'a' of row 3 is already in row 1")
    }

    @Test func theFirstRepetitionIsTheOneReported() throws {
        let names = (0..<50).map { "k\($0)" } + ["k40", "k3"]
        let rows = try KeywordRows(names.map { (Array($0.utf8), [1]) })
        #expect(throws: KeywordDatabaseError.duplicateKeyword("k40", row: 50, firstRow: 40)) {
            try rows.checkKeywordsAreDistinct()
        }
    }

    @Test func rowsComeBackAsTheyWentIn() throws {
        let rows = try KeywordRows([(Array("a".utf8), []), ([], [7, 8]), (Array("ccc".utf8), [9])])
        #expect(rows.keyword(at: 0) == Array("a".utf8))
        #expect(rows.value(at: 0).isEmpty)
        #expect(rows.keyword(at: 1).isEmpty)
        #expect(Array(rows.value(at: 1)) == [7, 8])
        #expect(rows.keyword(at: 2) == Array("ccc".utf8))
        #expect(rows.longestValueByteCount == 2)
    }

    @Test func aValueThatNoBucketCanDescribeIsRefused() {
        #expect(throws: KeywordDatabaseError.valueTooLong(row: 0, byteCount: 65_536, limit: 65_535)) {
            try KeywordRows([([1], [UInt8](repeating: 0, count: 65_536))])
        }
    }

    @Test func keywordsInMessagesAreShortAndPrintable() {
        #expect(KeywordDatabaseError.printable([0x61, 0x0a, 0x62]) == "a?b")
        #expect(KeywordDatabaseError.printable([UInt8](repeating: 0x61, count: 500)).count == 121)
    }
}

@Suite struct HashBucketTests {
    /// See article "PIR protocol", section "Known answers".
    private let published = bytes(
        hex: """
            03 18 5f 8d b3 22 71 fe 25 05 00 57 6f 72 6c 64 52 75 11 de af dc d3 4a 06 00 4d 61 61 69 6c 6d
            c0 15 ad 6d da f8 bb 50 08 00 44 61 72 6b 6e 65 73 73
            """)

    @Test func keywordsAreFoundInApplesBucket() throws {
        let hello = try HashBucket.value(for: KeywordHash.hash(Array("Hello".utf8)), in: published)
        #expect(hello == Array("World".utf8))
        let goodbye = try HashBucket.value(for: KeywordHash.hash(Array("Goodbye".utf8)), in: published)
        #expect(goodbye == Array("Darkness".utf8))
        let padded = published + [UInt8](repeating: 0, count: 40)
        #expect(try HashBucket.value(for: KeywordHash.hash(Array("Nobody".utf8)), in: padded) == nil)
    }

    @Test func bytesOfSlotsEqualApples() throws {
        let rows = try KeywordRows([
            (Array("Goodbye".utf8), Array("Darkness".utf8)), (Array("Hello".utf8), Array("World".utf8)),
        ])
        let bucket = HashBucket.encode(rows: [1, 0], of: rows)
        #expect(bucket == [2] + published[1..<16] + published[32...])
        #expect(HashBucket.encode(rows: [], of: rows) == [0])
    }

    @Test func aTruncatedBucketIsAnError() {
        #expect(throws: HashBucketError.truncated(slot: 0, byteCount: 0)) {
            try HashBucket.value(for: 1, in: [UInt8]())
        }
        for length in 1..<published.count {
            #expect(throws: HashBucketError.self) {
                try HashBucket.value(for: 1, in: published.prefix(length))
            }
        }
    }

    /// What a device sees after its key was damaged on the way to the server.
    @Test func randomBytesNeverSayThatAKeywordIsAbsent() {
        var state: UInt64 = 1
        let accepted = (0..<100_000).filter { _ in
            let bucket = (0..<24).map { _ -> UInt8 in
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                return UInt8(truncatingIfNeeded: state >> 56)
            }
            return (try? HashBucket.value(for: 1, in: bucket)) != nil
        }
        #expect(accepted.isEmpty)
        #expect(throws: HashBucketError.padding(byteCount: published.count + 2)) {
            try HashBucket.value(for: 1, in: published + [0, 1])
        }
    }

    @Test func noMutationMakesItTrap() {
        forEachMutation(of: published, count: 3_000) { bytes in
            _ = try? HashBucket.value(for: KeywordHash.hash(Array("Hello".utf8)), in: bytes)
        }
    }
}

@Suite struct CuckooTableTests {
    private func check(_ table: CuckooTable, rows: KeywordRows, members: [Int], size: Int) {
        var seen: [Int] = []
        for (number, bucket) in table.buckets.enumerated() {
            #expect(HashBucket.encode(rows: bucket, of: rows).count <= size)
            for row in bucket {
                let candidates = KeywordHash.bucketIndices(
                    of: rows.hashes[row], bucketCount: table.bucketsPerTable, functionCount: table.tableCount)
                #expect(candidates[number / table.bucketsPerTable] == number % table.bucketsPerTable)
                seen.append(row)
            }
        }
        #expect(seen.sorted() == members)
    }

    /// See article "PIR protocol", section "Known answers".
    @Test func bucketsEqualApples() throws {
        let rows = try KeywordRows(["a", "b", "c", "d", "e"].map { (Array("\($0).example".utf8), [0x31]) })
        let configuration = try CuckooConfiguration(maxSerializedBucketSize: 24)
        var random = generator("five keywords")
        let table = try CuckooTable(rows, rows: Array(0..<5), configuration: configuration, using: &random)
        #expect(
            table.buckets.map { hex(HashBucket.encode(rows: $0, of: rows)) } == [
                "01b8e7453371a024da010031", "02e8d39256ad2eb5230100313e3cc36e523f93e8010031",
                "024832b62ed035fb4101003127178687a58ffdf1010031", "00",
            ])
    }

    @Test("every row is in one of its buckets", arguments: [1, 2, 3], [0.5, 0.9, 0.98])
    func everyRowIsPlaced(functions: Int, load: Double) throws {
        let rows = try sampleRows(2_000)
        let configuration = try CuckooConfiguration(
            hashFunctionCount: functions, maxSerializedBucketSize: 256,
            bucketCount: .allowExpansion(expansionFactor: 1.1, targetLoadFactor: load))
        var random = generator("cuckoo")
        let members = Array(stride(from: 0, to: 2_000, by: 2))
        let table = try CuckooTable(rows, rows: members, configuration: configuration, using: &random)
        check(table, rows: rows, members: members, size: 256)
    }

    /// Apple's table drops rows here: 50 go in, 47 come out (article "PIR protocol", section "Cuckoo tables").
    @Test func valuesOfDifferentLengthAreNeverDropped() throws {
        let rows = try sampleRows(300, valueByteCounts: 1...90)
        let configuration = try CuckooConfiguration(
            maxSerializedBucketSize: 128,
            bucketCount: .allowExpansion(expansionFactor: 1.1, targetLoadFactor: 0.95))
        var random = generator("different lengths")
        let table = try CuckooTable(rows, rows: Array(0..<300), configuration: configuration, using: &random)
        check(table, rows: rows, members: Array(0..<300), size: 128)
    }

    @Test func theSameSeedGivesTheSameTable() throws {
        let rows = try sampleRows(1_000)
        let configuration = try CuckooConfiguration(
            maxSerializedBucketSize: 128,
            bucketCount: .allowExpansion(expansionFactor: 1.1, targetLoadFactor: 0.97))
        let tables = try (0..<2).map { _ in
            var random = generator("same")
            return try CuckooTable(rows, rows: Array(0..<1_000), configuration: configuration, using: &random)
        }
        #expect(tables[0].buckets == tables[1].buckets)
    }

    @Test func aFixedTableThatIsFullIsAnError() throws {
        let rows = try sampleRows(100)
        let configuration = try CuckooConfiguration(
            maxSerializedBucketSize: 56, bucketCount: .fixedSize(17))
        var random = generator("full")
        #expect(throws: KeywordDatabaseError.tableFull(rowCount: 100, bucketCount: 18)) {
            try CuckooTable(rows, rows: Array(0..<100), configuration: configuration, using: &random)
        }
    }

    @Test func aFixedTableKeepsItsNumberOfBuckets() throws {
        let rows = try sampleRows(60)
        let configuration = try CuckooConfiguration(
            maxSerializedBucketSize: 56, bucketCount: .fixedSize(39))
        var random = generator("fixed")
        let table = try CuckooTable(rows, rows: Array(0..<60), configuration: configuration, using: &random)
        #expect(table.bucketsPerTable == 20)
        check(table, rows: rows, members: Array(0..<60), size: 56)
    }

    @Test func growthEndsWhenBucketsAreTooSmall() throws {
        let rows = try sampleRows(4_000)
        let configuration = try CuckooConfiguration(
            hashFunctionCount: 1, maxSerializedBucketSize: 12,
            bucketCount: .allowExpansion(expansionFactor: 4, targetLoadFactor: 0.9))
        var random = generator("too small")
        let error = #expect(throws: KeywordDatabaseError.self) {
            try CuckooTable(rows, rows: Array(0..<4_000), configuration: configuration, using: &random)
        }
        guard case .tableWouldGrowWithoutBound(rowCount: 4_000, _)? = error else {
            Issue.record("got \(String(describing: error))")
            return
        }
    }

    @Test func aValueLargerThanABucketIsNamed() throws {
        let rows = try sampleRows(3, valueByteCounts: 1...3)
        let configuration = try CuckooConfiguration(maxSerializedBucketSize: 13)
        var random = generator("large value")
        #expect(
            throws: KeywordDatabaseError.valueLargerThanBucket(row: 2, byteCount: 14, bucketByteCount: 13)
        ) {
            try CuckooTable(rows, rows: [0, 1, 2], configuration: configuration, using: &random)
        }
    }

    @Test func theSlotLimitIsKept() throws {
        let rows = try sampleRows(600)
        let configuration = try CuckooConfiguration(maxSerializedBucketSize: 1 << 16, slotCount: 100)
        var random = generator("slots")
        let table = try CuckooTable(rows, rows: Array(0..<600), configuration: configuration, using: &random)
        let fullest = table.buckets.map(\.count).max()
        #expect(try #require(fullest) <= 100)
        check(table, rows: rows, members: Array(0..<600), size: 1 << 16)
    }

    @Test(
        "the default bucket size follows the longest value",
        arguments: [(1, 2_048, 1_024), (1_012, 2_048, 1_024), (1_013, 2_048, 2_048), (5_000, 2_048, 6_144)])
    func defaultBucketSize(value: Int, plaintext: Int, size: Int) {
        #expect(
            CuckooConfiguration.defaultBucketSize(longestValueByteCount: value, bytesPerPlaintext: plaintext)
                == size)
    }

    @Test func settingsOutOfRangeAreNamed() {
        #expect(
            throws: KeywordDatabaseError.settingOutOfRange("slotCount", found: "256", allowed: "in 1...255")
        ) {
            try CuckooConfiguration(maxSerializedBucketSize: 100, slotCount: 256)
        }
        #expect(throws: KeywordDatabaseError.self) {
            try CuckooConfiguration(
                maxSerializedBucketSize: 100,
                bucketCount: .allowExpansion(expansionFactor: 1, targetLoadFactor: 0.9))
        }
        #expect(throws: KeywordDatabaseError.self) {
            try CuckooConfiguration(
                maxSerializedBucketSize: 100,
                bucketCount: .allowExpansion(expansionFactor: .nan, targetLoadFactor: 0.9))
        }
    }
}
