import EventSimulation
import Experiment
import FleetModel
import Foundation
import GRDB
import Synchronization
import TestSupport
import Testing
import Workload

@Suite struct ResultFilesTests {
    /// Runs a scenario into the directory `out`.
    private func run(_ small: SmallScenario) async throws -> (sweep: Sweep, result: RunResult) {
        let sweep = try small.run(in: "out")
        let result = try await sweep.run(stop: StopSignal(), note: { _ in }, progress: { _ in })
        return (sweep, try #require(result))
    }

    @Test func theDatabaseHoldsEveryReplication() async throws {
        let small = try SmallScenario.calibrated("replications: { min: 2, max: 2 }")
        let directory = try ResultDirectory(path: small.folder.path + "/out")
        let path = directory.path + "/results.sqlite"
        let (sweep, result) = try await run(small)
        try sweep.write(result, to: directory, usage: ResourceUsage.now(since: Date()))
        #expect(!FileManager.default.fileExists(atPath: path + "-wal"))
        let records = try await Runner.run(small.prepare(), threads: 1).records
        let metrics = result.points[0].metrics
        // In the database of both replications, if not in the result: percentiles with too few lookups.
        let thin = 2 * result.points[0].thinTails.count
        try await DatabaseQueue(path: path).read { db in
            #expect(try Int.fetchOne(db, sql: "SELECT count(*) FROM replication") == 2)
            #expect(try String.fetchOne(db, sql: "SELECT value FROM run WHERE key = 'scenario'") == "small")
            let stored = try Int.fetchOne(db, sql: "SELECT count(*) FROM metric")
            #expect(stored == metrics.reduce(thin) { $0 + $1.perReplication.count { $0 != nil } })
            let sent = try Double.fetchAll(
                db, sql: "SELECT value FROM metric WHERE name = 'lookup.sent' ORDER BY replication")
            #expect(sent == records.map { Double($0.urlFilter.lookups.sent) })
            let decided = try Int.fetchOne(
                db, sql: "SELECT sum(count) FROM histogram WHERE name = 'lookup.latency' AND replication = 0")
            #expect(decided == records[0].verdictLatency.count)
            let urls = try Int.fetchOne(db, sql: "SELECT sum(urls) FROM series WHERE replication = 1")
            #expect(urls == records[1].urls.checked)
        }
    }

    @Test func anAbruptEndLosesNothingThatWasSaved() async throws {
        let small = try SmallScenario.calibrated("replications: { min: 2, max: 2 }")
        let path = small.folder.path + "/out/results.sqlite"
        let (sweep, _) = try await run(small)
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
        withExtendedLifetime(sweep) {}
    }

    @Test func aDirectoryHoldsOneResult() async throws {
        let small = try SmallScenario.calibrated("replications: { min: 2, max: 2 }")
        let (sweep, result) = try await run(small)
        let directory = try ResultDirectory(path: small.folder.path + "/out")
        try sweep.write(
            result, to: directory, usage: ResourceUsage.now(since: Date()))
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
        _ = try small.run(in: "out")
        let begun = try FileManager.default.contentsOfDirectory(atPath: directory.path).sorted()
        #expect(
            begun.filter { !$0.hasPrefix("results.sqlite-") } == [
                "results.sqlite", "scenario.resolved.yaml",
            ])
    }

    @Test func aPlaceThatCannotBeWrittenIsNamed() throws {
        let folder = try TemporaryFolder()
        let file = try folder.write("", to: "file")
        let unwritable = InputError.unwritable(path: file + "/x", reason: "no directory can be made there")
        #expect(throws: unwritable) { try ResultDirectory(path: file + "/x") }
    }

    @Test func aDamagedDatabaseIsNamed() throws {
        let small = try SmallScenario.calibrated()
        let directory = try ResultDirectory(path: small.folder.path + "/out")
        let path = try small.folder.write("this is no database", to: "out/results.sqlite")
        let damaged = ResultFileError.damaged(path, reason: "file is not a database")
        #expect(throws: damaged) { try small.run(in: "out") }
        #expect(throws: damaged) { try Sweep.stored(in: directory.path) }
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "this is no database")
    }

    @Test func everythingInADirectoryIsItsOwners() throws {
        let small = try SmallScenario.calibrated()
        let directory = try ResultDirectory(path: small.folder.path + "/deep/out")
        let sweep = try small.run(in: "deep/out")
        try directory.write(page: "<html>")
        func mode(_ name: String) throws -> Int? {
            try FileManager.default.attributesOfItem(atPath: directory.path + name)[.posixPermissions] as? Int
        }
        #expect(try mode("") == 0o700)
        for name in try FileManager.default.contentsOfDirectory(atPath: directory.path) {
            #expect(try mode("/" + name) == 0o600, "\(name)")
        }
        withExtendedLifetime(sweep) {}
    }

    @Test func inputsThatCannotBeUsedLeaveTheResultAlone() async throws {
        let small = try SmallScenario.calibrated("replications: { min: 2, max: 2 }")
        let (sweep, result) = try await run(small)
        let directory = try ResultDirectory(path: small.folder.path + "/out")
        try sweep.write(result, to: directory, usage: ResourceUsage.now(since: Date()))
        let names = try FileManager.default.contentsOfDirectory(atPath: directory.path).sorted()
        try small.folder.write("", to: "list.txt")
        #expect(throws: (any Error).self) { try small.run(in: "out") }
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path).sorted() == names)
        #expect(try ResultFile.read(path: directory.path) == result)
    }

    /// What an interrupted run has saved is not run again, and the end is that of an undisturbed one.
    @Test func anInterruptedRunGoesOn() async throws {
        let small = try SmallScenario.calibrated("replications: { min: 12, max: 12 }")
        let stop = StopSignal()
        let early = try await small.run(in: "parts").run(stop: stop, note: { _ in }) { state in
            if state.replications == 3 { stop.raise() }
        }
        #expect(early?.finished == false)
        let stored = try Sweep.stored(in: small.folder.path + "/parts")
        let rest = try Sweep(
            stored.plan, options: stored.options, version: "1",
            directory: ResultDirectory(path: small.folder.path + "/parts"))
        let restored = Mutex(0)
        let result = try await rest.run(stop: StopSignal(), note: { _ in }) { state in
            restored.withLock { $0 = state.restored }
        }
        #expect(restored.withLock { $0 } >= 3)
        let whole = try await small.run(in: "whole")
            .run(stop: StopSignal(), note: { _ in }, progress: { _ in })
        #expect(result?.finished == true)
        #expect(result == whole)
        #expect(try small.dump("parts") == small.dump("whole"))
    }

    /// A record of another version, in a result that goes on.
    @Test func whatThisVersionCannotReadIsNamed() async throws {
        let small = try SmallScenario.calibrated("replications: { min: 12, max: 12 }")
        let stop = StopSignal()
        stop.raise()
        _ = try await small.run(in: "out").run(stop: stop, note: { _ in }, progress: { _ in })
        let path = small.folder.path + "/out/results.sqlite"
        try await DatabaseQueue(path: path).write { db in
            try db.execute(sql: "INSERT INTO resume VALUES (0, 0, '{}')")
        }
        let stored = try Sweep.stored(in: small.folder.path + "/out")
        let rest = try Sweep(
            stored.plan, options: stored.options, version: "1",
            directory: ResultDirectory(path: small.folder.path + "/out"))
        let error = await #expect(throws: ResultFileError.self) {
            try await rest.run(stop: StopSignal(), note: { _ in }, progress: { _ in })
        }
        #expect(
            error?.description.contains("a replication of point 1 cannot be read") == true,
            "\(error as Any)")
    }
}
