import Foundation
import HomomorphicEncryption
import PrivateInformationRetrieval
import Synchronization
import TestSupport
import Testing

@Suite struct DatabaseProcessorTests {
    /// A directory of its own for each test.
    private func withDirectory(_ body: (String) throws -> Void) throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try body(folder.path)
    }

    private func configuration(in directory: String, rows: Int = 300) throws -> ProcessConfiguration {
        let text = (0..<rows).map {
            KeywordDatabaseText.line(keyword: Array("host\($0).example/path".utf8), value: sampleValue($0, 1))
        }.joined()
        try text.write(toFile: directory + "/in.txtpb", atomically: true, encoding: .utf8)
        var configuration = ProcessConfiguration(
            inputDatabase: directory + "/in.txtpb", outputDatabase: directory + "/out-SHARD_ID.bin",
            outputPirParameters: directory + "/out-SHARD_ID.params.txtpb",
            encryption: try EncryptionParameters(named: "insecure_n_512_logq_4x60_logt_20"))
        configuration.outputEvaluationKeyConfig = directory + "/keys.binpb"
        configuration.sharding = try Sharding(.entryCountPerShard(100))
        return configuration
    }

    private func files(in directory: String) throws -> [String: Data] {
        try Dictionary(
            uniqueKeysWithValues: FileManager.default.contentsOfDirectory(atPath: directory).map {
                ($0, try Data(contentsOf: URL(fileURLWithPath: directory + "/" + $0)))
            })
    }

    @Test func filesOfEveryShardAreWrittenAndCanBeServed() throws {
        try withDirectory { directory in
            let configuration = try configuration(in: directory)
            let seen = Mutex<[DatabaseProcessor.Progress]>([])
            let summary = try DatabaseProcessor(configuration).run { step in seen.withLock { $0.append(step) }
            }
            #expect(summary.map(\.shard) == [0, 1, 2])
            #expect(summary.map(\.rowCount).reduce(0, +) == 300)
            #expect(summary.allSatisfy { $0.trialCount == 1 && ($0.smallestNoiseBudget ?? 0) > 1 })
            let steps = seen.withLock { $0 }
            #expect(steps.first == .rowsRead(300) && steps.count == 4)
            let written = try files(in: directory)
            #expect(written.count == 9, "\(written.keys.sorted())")
            #expect(written["out-1.bin"]?.count == summary[1].databaseByteCount)

            let usecase = try PIRUsecase(
                name: "u", databasePath: configuration.outputDatabase,
                parametersPath: configuration.outputPirParameters, shardCount: 3)
            let keys = try MessageFile.read(WireEvaluationKeyConfig.self, path: directory + "/keys.binpb")
            #expect(try EvaluationKeyConfiguration(keys) == usecase.keyConfiguration)
            #expect(usecase.shards.map(\.parameters) == summary.map(\.parameters))
        }
    }

    @Test func theSameInputGivesTheSameBytes() throws {
        try withDirectory { directory in
            var configuration = try configuration(in: directory)
            configuration.trialsPerShard = 0
            configuration.cuckooTable.bucketCount = .allowExpansion(
                expansionFactor: 1.1, targetLoadFactor: 0.97)
            var outputs: [[String: Data]] = []
            var reader = try KeywordDatabaseReader(path: configuration.inputDatabase)
            let rows = try reader.readAll()
            for parallel in [true, false] {
                let summaries = try DatabaseProcessor(configuration, seed: 3)
                    .run(rows, parallel: parallel, startsOver: true)
                #expect(summaries.allSatisfy { $0.origin == .made })
                // Lines of the journal stand in the order in which shards were finished.
                outputs.append(try files(in: directory).filter { !$0.key.hasSuffix(".journal") })
            }
            #expect(outputs[0] == outputs[1])
            let shards = try DatabaseProcessor(configuration, seed: 3).shards(of: rows)
            var bytes: [UInt8] = []
            try shards[2].database.write(context: BFVContext(parameters: configuration.encryption)) {
                bytes += $0
            }
            #expect(Data(bytes) == outputs[0]["out-2.bin"])
        }
    }

    @Test func aDuplicateKeywordStopsProcessingBeforeAnythingIsWritten() throws {
        try withDirectory { directory in
            let configuration = try configuration(in: directory)
            let extra = KeywordDatabaseText.line(keyword: Array("host7.example/path".utf8), value: [1])
            let handle = try #require(FileHandle(forWritingAtPath: configuration.inputDatabase))
            try handle.seekToEnd()
            try handle.write(contentsOf: Data(extra.utf8))
            #expect(
                throws: KeywordDatabaseError.duplicateKeyword("host7.example/path", row: 300, firstRow: 7)
            ) {
                try DatabaseProcessor(configuration).run()
            }
            #expect(try files(in: directory).count == 1)
        }
    }

    @Test func aFailureLeavesNoHalfWrittenFile() throws {
        try withDirectory { directory in
            var configuration = try configuration(in: directory)
            configuration.outputPirParameters = directory + "/missing/out-SHARD_ID.params.txtpb"
            #expect(throws: FileError.self) { try DatabaseProcessor(configuration).run() }
            #expect(try !files(in: directory).keys.contains { $0.hasSuffix(".partial") })
        }
    }

    /// With t = 2^16 + 1 and so few moduli the noise eats the message.
    @Test func aTrialThatFailsNamesTheKeyword() throws {
        try withDirectory { directory in
            var configuration = try configuration(in: directory)
            configuration.encryption = try EncryptionParameters(named: "n_4096_logq_27_28_28_logt_17")
            configuration.sharding = .oneShard
            configuration.cuckooTable.maxSerializedBucketSize = 2_806
            let error = #expect(throws: (any Error).self) { try DatabaseProcessor(configuration).run() }
            guard
                case .trialFailed(shard: 0, keyword: "host0.example/path", _)? = error
                    as? DatabaseProcessorError
            else {
                Issue.record("got \(String(describing: error))")
                return
            }
            #expect(try files(in: directory).count == 1)
        }
    }

    @Test func noRowsAndUnnamedShardsAreErrors() throws {
        try withDirectory { directory in
            var configuration = try configuration(in: directory, rows: 0)
            #expect(throws: KeywordDatabaseError.noRows) { try DatabaseProcessor(configuration).run() }
            configuration = try self.configuration(in: directory)
            configuration.outputDatabase = directory + "/out.bin"
            #expect(throws: ProcessConfigurationError.self) { try DatabaseProcessor(configuration).run() }
        }
    }

    @Test func everyFileThatIsNotTheDatabaseIsRefused() throws {
        let encryption = try EncryptionParameters(named: "insecure_n_8_logq_5x18_logt_5")
        let context = try BFVContext(parameters: encryption)
        let shape = try DatabaseShape(
            entryCount: 3, entrySize: 4, dimensions: [2, 2], bytesPerPlaintext: encryption.bytesPerPlaintext)
        let database = try ProcessedDatabase(
            entries: [[[1, 2, 3, 4], [0, 0], [5, 6]]], shape: shape, context: context)
        var file: [UInt8] = []
        try database.write(context: context) { file += $0 }
        func read(_ bytes: [UInt8]) throws -> ProcessedDatabase {
            try ProcessedDatabase(bytes: bytes, shape: shape, tableCount: 1, context: context)
        }
        let again = try read(file)
        var rewritten: [UInt8] = []
        try again.write(context: context) { rewritten += $0 }
        #expect(rewritten == file)
        #expect(again.isEmpty == database.isEmpty)
        #expect(again.isEmpty == [false, false, true, true])
        #expect(throws: ProcessedDatabaseError.version(2)) { try read([2] + file.dropFirst()) }
        #expect(throws: ProcessedDatabaseError.trailingBytes(offset: file.count)) { try read(file + [0]) }
        #expect(throws: ProcessedDatabaseError.plaintextCount(0xffff_ffff, expected: 4)) {
            try read([1, 0xff, 0xff, 0xff, 0xff])
        }
        #expect(throws: ProcessedDatabaseError.tag(7, offset: 5)) { try read([1, 4, 0, 0, 0, 7]) }
        for length in 0..<file.count {
            #expect(throws: ProcessedDatabaseError.self) { try read(Array(file.prefix(length))) }
        }
        // A residue that is not below its modulus.
        let residues = [UInt8](repeating: 0xff, count: context.evaluationPlaintextByteCount)
        #expect(throws: SerializationError.self) { try read([1, 4, 0, 0, 0, 1] + residues + [0, 0, 0]) }
        forEachMutation(of: file, count: 5_000) { _ = try? read($0) }
        // Five bytes and a shape of many empty places must not cost gigabytes.
        let huge = try DatabaseShape(
            entryCount: 1, entrySize: 4, dimensions: [4_096, 4_096],
            bytesPerPlaintext: encryption.bytesPerPlaintext)
        #expect(
            throws: ProcessedDatabaseError.tooLarge(
                byteCount: (4_096 * 4_096) * context.evaluationPlaintextByteCount, limit: 64 << 20 + 256 * 5)
        ) {
            try ProcessedDatabase(
                bytes: [1, 0, 0, 0, 1], shape: huge, tableCount: 1, context: context)
        }
    }
}
