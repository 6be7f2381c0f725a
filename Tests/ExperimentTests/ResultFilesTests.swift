import EventSimulation
import Experiment
import FleetModel
import Foundation
import GRDB
import Testing
import Workload

@Suite struct ResultFilesTests {
    private func records(_ preparation: Preparation) async throws -> [ReplicationRecord] {
        try await Runner(preparation: preparation, threads: 2, store: nil) { _ in }.run(stop: StopSignal())
            .records
    }

    @Test func theDatabaseHoldsEveryReplication() async throws {
        let small = try SmallScenario.calibrated("replications: { min: 2, max: 2 }")
        let preparation = try small.prepare()
        let path = small.folder.path + "/results.sqlite"
        let store = try ResultStore(path: path, run: ["scenario": "small"])
        let records = try await records(preparation)
        for record in records { try store.save(record, deviceCount: 6) }
        try store.close()
        #expect(!FileManager.default.fileExists(atPath: path + "-wal"))
        let result = ResultBuilder(preparation, records: records).result(finished: true)
        let metrics = result.points[0].metrics
        try await DatabaseQueue(path: path).read { db in
            #expect(try Int.fetchOne(db, sql: "SELECT count(*) FROM replication") == 2)
            #expect(try String.fetchOne(db, sql: "SELECT value FROM run WHERE key = 'scenario'") == "small")
            let stored = try Int.fetchOne(db, sql: "SELECT count(*) FROM metric")
            #expect(stored == metrics.reduce(0) { $0 + $1.perReplication.count { $0 != nil } })
            let sent = try Double.fetchAll(
                db, sql: "SELECT value FROM metric WHERE name = 'lookup.sent' ORDER BY replication")
            #expect(sent == records.map { Double($0.lookups.sent) })
            let decided = try Int.fetchOne(
                db, sql: "SELECT sum(count) FROM histogram WHERE name = 'lookup.latency' AND replication = 0")
            #expect(decided == records[0].verdictLatency.count)
            let urls = try Int.fetchOne(db, sql: "SELECT sum(urls) FROM series WHERE replication = 1")
            #expect(urls == records[1].urls.checked)
        }
    }

    @Test func anAbruptEndLosesNothingThatWasSaved() async throws {
        let small = try SmallScenario.calibrated("replications: { min: 2, max: 2 }")
        let path = small.folder.path + "/results.sqlite"
        let store = try ResultStore(path: path, run: [:])
        for record in try await records(small.prepare()) { try store.save(record, deviceCount: 6) }
        // The files as a killed process leaves them: copied while the database is open.
        let copy = small.folder.path + "/copy.sqlite"
        for suffix in ["", "-wal"] {
            try FileManager.default.copyItem(atPath: path + suffix, toPath: copy + suffix)
        }
        try await DatabaseQueue(path: copy).read { db in
            let numbers = try Int.fetchAll(db, sql: "SELECT number FROM replication ORDER BY number")
            #expect(numbers == [0, 1])
            let check = try String.fetchOne(db, sql: "PRAGMA integrity_check")
            #expect(check == "ok")
        }
        try store.close()
    }

    @Test func aDirectoryHoldsOneResult() async throws {
        let small = try SmallScenario.calibrated("replications: { min: 2, max: 2 }")
        let preparation = try small.prepare()
        let directory = try ResultDirectory(path: small.folder.path + "/out/deep")
        let store = try directory.openStore(for: preparation.scenario)
        let runner = Runner(preparation: preparation, threads: 1, store: store) { _ in }
        let (records, finished) = try await runner.run(stop: StopSignal())
        try store.close()
        let result = ResultBuilder(preparation, records: records).result(finished: finished)
        try directory.write(
            result, preparation: preparation, threads: 1, usage: ResourceUsage.now(since: Date()),
            version: "1")
        let names = try FileManager.default.contentsOfDirectory(atPath: directory.path).sorted()
        #expect(names == ["manifest.json", "results.sqlite", "scenario.resolved.yaml", "summary.json"])
        let summary = try Data(contentsOf: URL(fileURLWithPath: directory.path + "/summary.json"))
        #expect(try RunResult.decode(summary) == result)
        let manifest = try JSONDecoder().decode(
            RunManifest.self, from: Data(contentsOf: URL(fileURLWithPath: directory.path + "/manifest.json")))
        #expect(
            Set(manifest.inputs.keys.map { URL(fileURLWithPath: $0).lastPathComponent })
                == ["scenario.yaml", "list.txt", "trace.csv", "profile.json"])
        #expect(manifest.inputs.values.allSatisfy { $0.count == 64 })

        // A new result in the same place does not stand beside the files of the old one.
        try directory.openStore(for: preparation.scenario).close()
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path) == ["results.sqlite"])
    }

    @Test func aPlaceThatCannotBeWrittenIsNamed() throws {
        let folder = try TemporaryFolder()
        let file = try folder.write("", to: "file")
        let unwritable = InputError.unwritable(path: file + "/x", reason: "no directory can be made there")
        #expect(throws: unwritable) { try ResultDirectory(path: file + "/x") }
        #expect(throws: InputError.self) { try ResultStore(path: file + "/x/results.sqlite", run: [:]) }
    }

    @Test func aDamagedDatabaseIsNamed() throws {
        let small = try SmallScenario.calibrated()
        let directory = try ResultDirectory(path: small.folder.path + "/out")
        let path = try small.folder.write("this is no database", to: "out/results.sqlite")
        let damaged = ResultFileError.damaged(path, reason: "file is not a database")
        #expect(throws: damaged) { try directory.openStore(for: small.scenario()) }
        #expect(throws: damaged) { try Sweep.stored(in: directory.path) }
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "this is no database")
    }

    @Test func everythingInADirectoryIsItsOwners() throws {
        let small = try SmallScenario.calibrated()
        let directory = try ResultDirectory(path: small.folder.path + "/deep/out")
        let store = try directory.openStore(for: small.scenario())
        try directory.write(page: "<html>")
        func mode(_ name: String) throws -> Int? {
            try FileManager.default.attributesOfItem(atPath: directory.path + name)[.posixPermissions] as? Int
        }
        #expect(try mode("") == 0o700)
        for name in try FileManager.default.contentsOfDirectory(atPath: directory.path) {
            #expect(try mode("/" + name) == 0o600, "\(name)")
        }
        try store.close()
    }
}
