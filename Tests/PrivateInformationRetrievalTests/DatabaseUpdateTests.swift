import Foundation
import HomomorphicEncryption
import PrivateInformationRetrieval
import Testing

@Suite struct DatabaseUpdateTests {
    /// Rows 0..<500 in five shards in `old`, with room for more.
    private func withDatabase(
        _ body: (ProcessFixture, ProcessConfiguration) throws -> Void
    ) throws {
        try ProcessFixture.run { fixture in
            fixture.configuration.cuckooTable.bucketCount = .allowExpansion(
                expansionFactor: 1.1, targetLoadFactor: 0.7)
            fixture.configuration.useMaxSerializedBucketSize = true
            let old = try fixture.configuration(in: "old")
            _ = try DatabaseProcessor(old).run(ProcessFixture.rows(0..<500))
            try body(fixture, old)
        }
    }

    private func previous(_ fixture: ProcessFixture, _ name: String = "old") -> PreviousDatabase {
        PreviousDatabase(fixture.configuration, directory: fixture.directory + "/" + name)
    }

    @Test("parameters stay, rows change", arguments: [false, true])
    func parametersStay(inPlace: Bool) throws {
        try withDatabase { fixture, old in
            let before = try fixture.files(in: "old")
            let id = try old.configurationID(shardCount: 5)
            let new = inPlace ? old : try fixture.configuration(in: "new")
            // Rows 0 and 1 go, 500 to 502 come.
            let rows = try ProcessFixture.rows(2..<503)
            let summaries = try DatabaseProcessor(new).update(rows, previous: previous(fixture))
            #expect(try new.configurationID(shardCount: 5) == id)
            #expect(summaries.map(\.rowCount).reduce(0, +) == 501)
            #expect(summaries.compactMap(\.change?.addedRows).reduce(0, +) == 3)
            #expect(summaries.compactMap(\.change?.removedRows).reduce(0, +) == 2)
            let touched = try ProcessFixture.rows([0, 1, 500, 501, 502]).hashes.map {
                ShardingFunction.sha256.shard(of: $0, shardCount: 5)
            }
            let after = try fixture.files(in: inPlace ? "old" : "new")
            for summary in summaries {
                #expect((summary.origin == .made) == touched.contains(summary.shard))
                #expect(summary.trialCount == (summary.origin == .made ? 1 : 0))
                #expect(
                    after["out-\(summary.shard).params.txtpb"] == before["out-\(summary.shard).params.txtpb"])
                #expect(
                    (after["out-\(summary.shard).bin"] == before["out-\(summary.shard).bin"])
                        == (summary.origin == .unchanged))
            }
            let stored = Set(try new.storedShards(5).flatMap { $0.buckets.joined().map(\.hash) })
            #expect(stored == Set(rows.hashes))
        }
    }

    @Test func devicesGetTheNewAnswersWithTheirOldKeys() throws {
        try withDatabase { fixture, old in
            var random = generator("devices")
            let usecase = try old.usecase(shardCount: 5)
            let client = try PIRClient(configuration: usecase.configuration, using: &random)
            let key = try client.makeEvaluationKey(for: usecase.keyConfiguration, using: &random)
            func value(of number: Int, in usecase: PIRUsecase) throws -> [UInt8]? {
                let query = try client.query(Array("host\(number).example/path".utf8), using: &random)
                let response = try usecase.shards[query.pending.shard].respond(to: query.message, key: key)
                return try client.decrypt(response, for: query.pending)
            }
            #expect(try value(of: 3, in: usecase) == [0x31] && value(of: 500, in: usecase) == nil)
            _ = try DatabaseProcessor(old).update(
                ProcessFixture.rows(4..<510), previous: previous(fixture))
            let updated = try old.usecase(shardCount: 5)
            #expect(updated.configuration == usecase.configuration)
            #expect(try value(of: 3, in: updated) == nil && value(of: 500, in: updated) == [0x31])
            #expect(try value(of: 4, in: updated) == [0x31])
        }
    }

    @Test func rowsThatStayKeepTheirPlace() throws {
        try withDatabase { fixture, old in
            let before = try old.storedShards(5)
            _ = try DatabaseProcessor(old).update(
                ProcessFixture.rows(0..<505), previous: previous(fixture))
            let after = try old.storedShards(5)
            for (before, after) in zip(before, after) {
                for (old, new) in zip(before.buckets, after.buckets) { #expect(new.starts(with: old)) }
            }
        }
    }

    @Test func anUpdateThatWasInterruptedIsContinued() throws {
        try withDatabase { fixture, old in
            let rows = try ProcessFixture.rows(50..<550)
            let new = try fixture.configuration(in: "new")
            _ = try DatabaseProcessor(new).update(rows, previous: previous(fixture))
            let files = try fixture.files(in: "new")
            try FileManager.default.removeItem(atPath: fixture.directory + "/new/out-3.bin")
            let again = try DatabaseProcessor(new).update(rows, previous: previous(fixture))
            #expect(again.filter { $0.origin == .made }.map(\.shard) == [3])
            #expect(again[0].origin == .finishedBefore && again[0].change?.addedRows ?? 0 > 0)
            for (name, data) in files where !name.hasSuffix(".journal") {
                #expect(try fixture.files(in: "new")[name] == data)
            }
            // In place, shards that are done already have the new rows.
            let inPlace = try DatabaseProcessor(new).update(rows, previous: previous(fixture, "new"))
            #expect(inPlace.allSatisfy { $0.origin == .unchanged })
        }
    }

    @Test func aChangedValueIsWritten() throws {
        try withDatabase { fixture, old in
            let summaries = try DatabaseProcessor(old).update(
                ProcessFixture.rows(0..<500, value: 0x32), previous: previous(fixture))
            #expect(summaries.compactMap(\.change?.changedValues).reduce(0, +) == 500)
            #expect(
                try old.storedShards(5).allSatisfy { $0.buckets.joined().allSatisfy { $0.value == [0x32] } })
        }
    }

    /// Filled until it overflows: up to there every update works, then it is refused and nothing is written.
    @Test func rowsThatDoNotFitAreRefusedBeforeAnythingIsWritten() throws {
        try withDatabase { fixture, old in
            let files = try fixture.files(in: "old")
            let error = #expect(throws: DatabaseUpdateError.self) {
                try DatabaseProcessor(old).update(ProcessFixture.rows(0..<900), previous: previous(fixture))
            }
            guard case .parametersWouldChange(let obstacles)? = error, case .shardFull? = obstacles.first
            else {
                Issue.record("got \(String(describing: error))")
                return
            }
            #expect(error?.description.hasPrefix("the parameters cannot be kept: shard 0 had ") == true)
            #expect(try fixture.files(in: "old") == files)
        }
    }

    @Test func theHeadroomIsWhatFits() throws {
        try withDatabase { fixture, old in
            var random = generator("headroom")
            let shards = try old.storedShards(5)
            let headrooms = shards.map { $0.headroom(using: &random) }
            for (shard, headroom) in zip(shards, headrooms) {
                #expect(headroom.rowCount > 10 && headroom.rowCount <= headroom.freeSlotCount)
                // Every bucket has whole slots of 11 bytes after its first byte.
                let slots = shard.buckets.count * ((shard.parameters.shape.entrySize - 1) / 11)
                #expect(headroom.freeSlotCount == slots - shard.rowCount)
                #expect(headroom.valueByteCount == 1)
            }
            // Four fifths of the headroom of the fullest shard, to each shard.
            var room = headrooms.map { $0.rowCount * 4 / 5 }
            let added = (500..<5_000).filter { number in
                let hash = KeywordHash.hash(Array("host\(number).example/path".utf8))
                let shard = ShardingFunction.sha256.shard(of: hash, shardCount: 5)
                room[shard] -= 1
                return room[shard] >= 0
            }
            let summaries = try DatabaseProcessor(old).update(
                ProcessFixture.rows(Array(0..<500) + added), previous: previous(fixture))
            #expect(summaries.map(\.rowCount).reduce(0, +) == 500 + added.count)
        }
    }

    private static let changes:
        [(obstacle: String, change: @Sendable (inout ProcessConfiguration) throws -> Void)] = [
            (
                "cuckooTableArguments.hashFunctionCount is 3 now and was 2",
                { $0.cuckooTable.hashFunctionCount = 3 }
            ),
            (
                "rlweParameters is n_4096_logq_27_28_28_logt_5 now and was insecure_n_512_logq_4x60_logt_20",
                { $0.encryption = try EncryptionParameters(named: "n_4096_logq_27_28_28_logt_5") }
            ),
            ("sharding.shardCount is 4 now and was 5", { $0.sharding = try Sharding(.shardCount(4)) }),
            (
                "shardingFunction is doubleMod(otherShardCount: 9) now and was sha256",
                { $0.shardingFunction = .doubleMod(otherShardCount: 9) }
            ),
            (
                "cuckooTableArguments.maxSerializedBucketSize is 200 now and was 120",
                { $0.cuckooTable.maxSerializedBucketSize = 200 }
            ),
            ("keyCompression is maxCompression, ", { $0.keyCompression = .maximum }),
        ]

    @Test("a setting that changed is named", arguments: changes.indices)
    func settingsThatChanged(index: Int) throws {
        try withDatabase { fixture, old in
            var configuration = old
            try Self.changes[index].change(&configuration)
            let processor = try DatabaseProcessor(configuration)
            let rows = try ProcessFixture.rows(0..<500)
            let error = #expect(throws: DatabaseUpdateError.self) {
                try processor.update(rows, previous: previous(fixture))
            }
            guard case .parametersWouldChange(let obstacles)? = error else { return }
            #expect(
                obstacles.first?.description.hasPrefix(Self.changes[index].obstacle) == true, "\(obstacles)")
        }
    }

    @Test(
        "files are looked for under their names",
        arguments: [
            ("a/b/out-SHARD_ID.bin", "old/out-SHARD_ID.bin"), ("out.bin", "old/out.bin"),
            ("a/shard-SHARD_ID/out.bin", "old/shard-SHARD_ID/out.bin"),
        ])
    func names(pattern: String, file: String) throws {
        var configuration = try ProcessConfiguration.named("insecure_n_512_logq_4x60_logt_20")
        configuration.outputDatabase = pattern
        for directory in ["old", "old/"] {
            #expect(PreviousDatabase(configuration, directory: directory).database == file)
        }
    }

    @Test func aPreviousDatabaseThatCannotBeReadIsNamed() throws {
        try withDatabase { fixture, old in
            let processor = try DatabaseProcessor(old)
            let rows = try ProcessFixture.rows(0..<500)
            let missing = fixture.directory + "/missing"
            #expect(throws: FileError.cannotOpen(missing + "/out-0.params.txtpb")) {
                try processor.update(
                    rows, previous: PreviousDatabase(fixture.configuration, directory: missing))
            }
            let path = fixture.directory + "/old/out-1.bin"
            let data = try #require(FileManager.default.contents(atPath: path))
            try data.dropLast().write(to: URL(fileURLWithPath: path))
            let error = #expect(throws: DatabaseUpdateError.self) {
                try processor.update(rows, previous: previous(fixture))
            }
            #expect(error?.description.hasPrefix("\(path): the processed database ends after") == true)
        }
    }
}
