import Foundation
import PrivateInformationRetrieval
import Testing

@Suite struct ProcessResumeTests {
    private struct Stopped: Error {}

    @Test func whatIsFinishedIsTakenOver() throws {
        try ProcessFixture.run { fixture in
            let rows = try ProcessFixture.rows(0..<500)
            let processor = try DatabaseProcessor(fixture.configuration)
            let first = try processor.run(rows)
            #expect(first.count == 5 && first.allSatisfy { $0.origin == .made && $0.trialCount == 1 })
            let files = try fixture.files()
            let second = try processor.run(rows)
            #expect(second.allSatisfy { $0.origin == .finishedBefore && $0.trialCount == 1 })
            #expect(second.map(\.parameters) == first.map(\.parameters))
            #expect(second.map(\.databaseByteCount) == first.map(\.databaseByteCount))
            #expect(second.map(\.smallestNoiseBudget) == first.map(\.smallestNoiseBudget))
            // The journal lists shards in the order in which they were finished.
            for (name, data) in files where !name.hasSuffix(".journal") {
                #expect(try fixture.files()[name] == data)
            }
            #expect(try processor.run(rows, startsOver: true).allSatisfy { $0.origin == .made })
            for (name, data) in files where !name.hasSuffix(".journal") {
                #expect(try fixture.files()[name] == data)
            }
        }
    }

    /// Whatever an interruption left behind, the next run makes the files of an undisturbed one.
    @Test(
        "an interrupted run is continued",
        arguments: [
            "out-2.bin", "out-3.params.txtpb", "out-0.bin.partial", "out-process.bin.journal",
        ])
    func interruption(file: String) throws {
        try ProcessFixture.run { fixture in
            var configuration = fixture.configuration
            configuration.trialsPerShard = 0
            let rows = try ProcessFixture.rows(0..<500)
            let processor = try DatabaseProcessor(configuration)
            _ = try processor.run(rows)
            let files = try fixture.files()
            for damage in ["missing", "short", "other"] {
                let path = fixture.directory + "/" + file
                switch damage {
                case "missing": try? FileManager.default.removeItem(atPath: path)
                case "short":
                    let data = files[file] ?? Data([1, 2, 3])
                    try data.prefix(data.count / 2).write(to: URL(fileURLWithPath: path))
                default: try Data((0...255).map { UInt8($0) }).write(to: URL(fileURLWithPath: path))
                }
                let again = try processor.run(rows)
                let made = again.filter { $0.origin == .made }.count
                #expect(file.hasSuffix(".journal") ? made >= 2 : made <= 1, "\(file) \(damage): \(made) made")
                for (name, data) in files where !name.hasSuffix(".journal") {
                    #expect(try fixture.files()[name] == data, "\(name) after \(file) \(damage)")
                }
            }
        }
    }

    @Test func aChangeOfSettingsOrRowsMakesShardsAgain() throws {
        try ProcessFixture.run { fixture in
            var configuration = fixture.configuration
            configuration.trialsPerShard = 0
            configuration.sharding = try Sharding(.shardCount(5))
            func made(_ rows: KeywordRows, seed: UInt64 = 0) throws -> [Int] {
                try DatabaseProcessor(configuration, seed: seed).run(rows).filter { $0.origin == .made }
                    .map(\.shard)
            }
            let rows = try ProcessFixture.rows(0..<500)
            #expect(try made(rows) == [0, 1, 2, 3, 4])
            let more = try ProcessFixture.rows(0..<501)
            let shard = ShardingFunction.sha256.shard(of: more.hashes[500], shardCount: 5)
            #expect(try made(more) == [shard])
            #expect(try made(more, seed: 1).count == 5)
            configuration.keyCompression = .hybrid
            #expect(try made(more, seed: 1).count == 5)
            configuration.trialsPerShard = 1
            #expect(try made(more, seed: 1).count == 5, "no shard has been tried yet")
            #expect(try made(more, seed: 1).isEmpty)
            configuration.cuckooTable.slotCount = 9
            #expect(try made(more, seed: 1).count == 5)
        }
    }

    /// A server must never find new data beside old parameters.
    @Test func parametersVanishBeforeTheDatabaseChanges() throws {
        try ProcessFixture.run { fixture in
            var configuration = fixture.configuration
            configuration.trialsPerShard = 0
            configuration.sharding = .oneShard
            _ = try DatabaseProcessor(configuration).run(ProcessFixture.rows(0..<100))
            let old = try fixture.files()
            // A directory in the place of the parameters cannot be removed like a file.
            let path = fixture.directory + "/out-0.params.txtpb"
            try FileManager.default.removeItem(atPath: path)
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
            #expect(throws: FileError.self) {
                try DatabaseProcessor(configuration).run(ProcessFixture.rows(0..<200))
            }
            #expect(try fixture.files()["out-0.bin"] == old["out-0.bin"])
            #expect(try !fixture.files().keys.contains { $0.hasSuffix(".partial") })
        }
    }

    @Test func noJournalMakesReadingTrap() throws {
        try ProcessFixture.run { fixture in
            var configuration = fixture.configuration
            configuration.trialsPerShard = 0
            configuration.sharding = .oneShard
            let rows = try ProcessFixture.rows(0..<20)
            let processor = try DatabaseProcessor(configuration)
            _ = try processor.run(rows)
            let database = try #require(try fixture.files()["out-0.bin"])
            let journal = Array(try #require(try fixture.files()["out-process.bin.journal"]))
            try forEachMutation(of: journal, count: 60) { bytes in
                try Data(bytes).write(to: URL(fileURLWithPath: configuration.journalPath))
                _ = try processor.run(rows)
                #expect(try fixture.files()["out-0.bin"] == database)
            }
        }
    }
}
