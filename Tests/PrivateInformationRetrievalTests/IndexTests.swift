import HomomorphicEncryption
import PrivateInformationRetrieval
import Synchronization
import Testing

/// Known answers: article "PIR protocol", sections "Shape of a database", "Evaluation key contents" and "Sizes".
@Suite struct DatabaseShapeTests {
    @Test(
        "dimensions equal Apple's",
        arguments: [
            (9, 1, [3, 3], [5, 2]), (20, 1, [5, 4], [10, 2]), (100, 1, [10, 10], [25, 4]),
            (72, 1, [9, 8], [24, 3]), (100, 3, [10, 10], [13, 8]),
        ] as [(Int, Int, [Int], [Int])])
    func dimensions(entries: Int, batch: Int, even: [Int], uneven: [Int]) throws {
        for (isUneven, expected) in [(false, even), (true, uneven)] {
            let shape = try DatabaseShape(
                entryCount: entries, entrySize: 3_000, batchSize: batch, uneven: isUneven,
                bytesPerPlaintext: 2_048)
            #expect(shape.dimensions == expected)
            #expect(shape.chunkCount == 2)
            #expect(shape.plaintextCount == 2 * expected[0] * expected[1])
        }
    }

    /// One-byte values, `n_4096_logq_27_28_28_logt_5`, two tables, Apple's defaults.
    @Test(
        "shard sizes equal the published table",
        arguments: [
            (10, 1, 1, [1, 1], 2), (1_000, 7, 4, [2, 2], 3), (10_000, 60, 30, [10, 3], 5),
            (50_000, 299, 150, [25, 6], 6), (100_000, 598, 299, [50, 6], 7),
            (500_000, 2_985, 1_493, [115, 13], 8),
            (1_000_000, 5_969, 2_985, [97, 31], 8),
        ] as [(Int, Int, Int, [Int], Int)])
    func shardSizes(
        rows: Int, bucketsPerTable: Int, plaintexts: Int, dimensions: [Int], galoisKeys: Int
    ) throws {
        let bytes = 1 + 11 * rows
        let full = (bytes + 1_023) / 1_024
        let buckets = (Int((Double(full) / 0.9).rounded(.up)) + 1) / 2
        #expect(buckets == bucketsPerTable)
        let shape = try DatabaseShape(
            entryCount: buckets, entrySize: 1_013, batchSize: 2, bytesPerPlaintext: 2_048)
        #expect(shape.usedPlaintextsPerChunk == plaintexts)
        #expect(shape.dimensions == dimensions)
        let elements = try KeyCompression.none.galoisElements(
            expandedCount: 2 * shape.expandedCountPerIndex, degree: 4096)
        #expect(elements.count == galoisKeys)
    }

    @Test func plannedBucketsEqualTheTable() throws {
        for (rows, bucketsPerTable) in [(10, 1), (1_000, 7), (10_000, 60)] {
            let configuration = try CuckooConfiguration(maxSerializedBucketSize: 1_024)
            let planned = CuckooTable.plannedBucketCount(
                try sampleRows(rows), rows: Array(0..<rows), configuration: configuration)
            #expect(planned == 2 * bucketsPerTable)
        }
    }

    @Test func anyDimensionsHoldTheEntries() throws {
        for entries in 1...400 {
            for batch in 1...3 {
                let shape = try DatabaseShape(
                    entryCount: entries, entrySize: 5, batchSize: batch, bytesPerPlaintext: 5)
                #expect(shape.plaintextsPerChunk >= entries)
                let places = Set((0..<entries).map { shape.coordinates(ofEntry: $0) })
                #expect(places.count == entries)
                #expect(places.allSatisfy { zip($0, shape.dimensions).allSatisfy { $0 < $1 } })
            }
        }
    }

    @Test func shapesThatCannotBeAreRefused() {
        func shape(_ entries: Int, _ size: Int, _ dimensions: [Int]) throws {
            _ = try DatabaseShape(
                entryCount: entries, entrySize: size, dimensions: dimensions, bytesPerPlaintext: 2_048)
        }
        #expect(throws: DatabaseShapeError.entryCountOutOfRange(0)) { try shape(0, 1, [1]) }
        #expect(throws: DatabaseShapeError.entrySizeOutOfRange(0)) { try shape(1, 0, [1]) }
        #expect(throws: DatabaseShapeError.dimensionCountOutOfRange(3)) { try shape(1, 1, [1, 1, 1]) }
        #expect(throws: DatabaseShapeError.dimensionCountOutOfRange(0)) { try shape(1, 1, []) }
        #expect(throws: DatabaseShapeError.dimensionsOutOfRange([0, 1])) { try shape(1, 1, [0, 1]) }
        #expect(throws: DatabaseShapeError.dimensionsOutOfRange([.max, .max])) {
            try shape(1, 1, [.max, .max])
        }
        #expect(throws: DatabaseShapeError.dimensionsTooSmall([2, 2], needed: 5)) {
            try shape(5, 2_048, [2, 2])
        }
        #expect(throws: DatabaseShapeError.tooManyPlaintexts(limit: 1 << 28)) {
            try shape(1, 1 << 24, [1 << 15, 1 << 15])
        }
    }
}

@Suite struct KeyCompressionTests {
    @Test(
        "Galois elements equal Apple's",
        arguments: [
            (2, 4096, [4097], [4097], [4097]),
            (32, 4096, [257, 513, 1025, 2049, 4097], [257, 1025], [257]),
            (32, 8192, [513, 1025, 2049, 4097, 8193], [513, 2049], [513]),
            (
                1024, 4096, [9, 17, 33, 65, 129, 257, 513, 1025, 2049, 4097], [9, 17, 33, 65, 129, 1025],
                [9, 17, 33, 65, 129]
            ),
            (
                1024, 8192, [17, 33, 65, 129, 257, 513, 1025, 2049, 4097, 8193], [17, 33, 65, 129, 1025],
                [17, 33, 65, 129]
            ),
        ] as [(Int, Int, [UInt32], [UInt32], [UInt32])])
    func elements(count: Int, degree: Int, none: [UInt32], hybrid: [UInt32], maximum: [UInt32]) throws {
        #expect(try KeyCompression.none.galoisElements(expandedCount: count, degree: degree) == none)
        #expect(try KeyCompression.hybrid.galoisElements(expandedCount: count, degree: degree) == hybrid)
        #expect(try KeyCompression.maximum.galoisElements(expandedCount: count, degree: degree) == maximum)
    }

    @Test func aSingleOutputHasNoElements() {
        #expect(throws: PIRError.queryTooShort(1)) {
            try KeyCompression.none.galoisElements(expandedCount: 1, degree: 4096)
        }
    }
}

@Suite struct IndexQueryTests {
    @Test(
        "the inverse undoes the doublings", arguments: [3, 11, 17, 40_961, 2_199_023_288_321] as [UInt64],
        0...13)
    func inverse(modulus: UInt64, exponent: Int) {
        var value = IndexQuery.inversePowerOfTwo(exponent, modulo: modulus)
        #expect(value < modulus)
        for _ in 0..<exponent { value = value * 2 % modulus }
        #expect(value == 1)
    }

    /// A query longer than N spreads over ciphertexts; each is expanded by its own length.
    @Test func queriesOfSeveralCiphertextsAreAnswered() throws {
        let context = try BFVContext(parameters: EncryptionParameters(named: "insecure_n_8_logq_5x18_logt_5"))
        let entries = (0..<21).map { sampleValue($0, 4) }
        let shape = try DatabaseShape(
            entryCount: 21, entrySize: 4, batchSize: 1, uneven: false, bytesPerPlaintext: 4)
        #expect(shape.expandedCountPerIndex == 10)
        var random = generator("two ciphertexts")
        let secretKey = context.generateSecretKey(using: &random)
        let key = try context.makeEvaluationKey(
            galoisElements: KeyCompression.none.galoisElements(expandedCount: 10, degree: 8),
            secretKey: secretKey, using: &random)
        let server = IndexServer(
            database: try ProcessedDatabase(entries: [entries], shape: shape, context: context),
            context: context,
            batchSize: 1)
        for index in entries.indices {
            let query = try IndexQuery.plaintexts(indices: [index], shape: shape, context: context).map {
                context.expand(context.encrypt($0, secretKey: secretKey, using: &random))
            }
            #expect(query.count == 2)
            let reply = try server.replies(to: query, key: key)
            let entry = try IndexReply.entry(
                index, from: WireSerializedCiphertextVec(reply[0]), shape: shape, context: context,
                secretKey: secretKey)
            #expect(entry == entries[index])
        }
    }

    @Test func oneDimensionNeedsNoProduct() throws {
        let context = try BFVContext(parameters: EncryptionParameters(named: "insecure_n_8_logq_5x18_logt_5"))
        let entries = (0..<5).map { sampleValue($0, 7) }
        let shape = try DatabaseShape(
            entryCount: 5, entrySize: 7, dimensionCount: 1, batchSize: 1, bytesPerPlaintext: 4)
        #expect(shape.dimensions == [5] && shape.chunkCount == 2)
        var random = generator("one dimension")
        let secretKey = context.generateSecretKey(using: &random)
        let key = try context.makeEvaluationKey(
            galoisElements: KeyCompression.maximum.galoisElements(expandedCount: 5, degree: 8),
            relinearization: false, secretKey: secretKey, using: &random)
        let server = IndexServer(
            database: try ProcessedDatabase(entries: [entries], shape: shape, context: context),
            context: context,
            batchSize: 1)
        for index in entries.indices {
            let query = try IndexQuery.plaintexts(indices: [index], shape: shape, context: context).map {
                context.expand(context.encrypt($0, secretKey: secretKey, using: &random))
            }
            let reply = try server.replies(to: query, key: key)
            let entry = try IndexReply.entry(
                index, from: WireSerializedCiphertextVec(reply[0]), shape: shape, context: context,
                secretKey: secretKey)
            #expect(entry == entries[index])
        }
    }

    /// Two tables of five columns and six rows.
    private struct Service {
        let context: BFVContext
        let server: IndexServer
        let shape: DatabaseShape

        init(_ name: String, instructionSet: InstructionSet = .best) throws {
            context = try BFVContext(
                parameters: EncryptionParameters(named: name), instructionSet: instructionSet)
            shape = try DatabaseShape(
                entryCount: 30, entrySize: 900, dimensions: [6, 5],
                bytesPerPlaintext: context.parameters.bytesPerPlaintext)
            let tables = (0..<2).map { table in (0..<30).map { sampleValue($0 + 100 * table, 900) } }
            server = IndexServer(
                database: try ProcessedDatabase(entries: tables, shape: shape, context: context),
                context: context, batchSize: 2)
        }

        func request(_ purpose: String, _ compression: KeyCompression = .none) throws -> IndexServer.Request {
            var random = generator(purpose)
            let secretKey = context.generateSecretKey(using: &random)
            let key = try context.makeEvaluationKey(
                galoisElements: compression.galoisElements(
                    expandedCount: 2 * shape.expandedCountPerIndex,
                    degree: context.parameters.polynomialDegree), secretKey: secretKey, using: &random)
            let query = try IndexQuery.plaintexts(indices: [3, 29], shape: shape, context: context).map {
                context.expand(context.encrypt($0, secretKey: secretKey, using: &random))
            }
            return IndexServer.Request(query: query, key: key)
        }
    }

    @Test(
        "every instruction set and every number of cores gives the same replies",
        arguments: [
            "insecure_n_512_logq_4x60_logt_20", "n_4096_logq_27_28_28_logt_5", "n_4096_logq_16_33_33_logt_4",
            "n_8192_logq_3x55_logt_24",
        ])
    func variantsAgree(name: String) throws {
        let portable = try Service(name, instructionSet: .portable)
        let request = try portable.request("variants")
        let expected = try portable.server.replies(to: request.query, key: request.key)
        for set in InstructionSet.supported {
            let service = try Service(name, instructionSet: set)
            let request = try service.request("variants")
            for cores in [1, 2, 5] {
                let replies = try service.server.replies(
                    to: request.query, key: request.key, pool: WorkPool(coreCount: cores))
                #expect(replies == expected, "\(set), \(cores) cores")
            }
        }
    }

    @Test("several clients in one pass get what each would get alone", arguments: KeyCompression.allCases)
    func severalClients(compression: KeyCompression) throws {
        let service = try Service("n_4096_logq_27_28_28_logt_5")
        let requests = try (0..<6).map { try service.request("client \($0)", compression) }
        let together = try service.server.replies(to: requests)
        for (request, replies) in zip(requests, together) {
            #expect(try service.server.replies(to: request.query, key: request.key) == replies)
        }
        #expect(try service.server.replies(to: []).isEmpty)
    }
}

@Suite struct WorkPoolTests {
    @Test("every number is worked on once, whatever else goes on", arguments: [1, 2, 7])
    func everyNumberOnce(cores: Int) {
        let pool = WorkPool(coreCount: cores)
        for count in [0, 1, 2, 100] {
            let calls = Mutex(Array(repeating: 0, count: count))
            pool.run(count) { outer in
                // Inside of work the pool is busy, and that must not matter.
                pool.run(2) { _ in calls.withLock { $0[outer] += 1 } }
            }
            #expect(calls.withLock { $0 } == Array(repeating: 2, count: count))
        }
    }
}
