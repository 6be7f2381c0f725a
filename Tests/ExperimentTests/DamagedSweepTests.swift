import Experiment
import Foundation
import GRDB
import Scenarios
import Synchronization
import TestSupport
import Testing

/// Databases from which a sweep cannot go on, because somebody or a disk has changed them.
@Suite struct DamagedSweepTests {
    @Test func whatNoSweepWroteIsRefused() async throws {
        let small = try SmallScenario.calibrated("replications: { min: 3, max: 3 }")
        var vary = VaryOptions()
        vary.assignments = ["services.pir.cores=1,2"]
        let plan = try SweepPlan(try ScenarioFile(path: small.folder.path + "/scenario.yaml"), more: vary)
        var options = Preparation.Options()
        options.profile = small.folder.path + "/profile.json"
        options.threads = 1
        let preparation = options
        func goOn(in directory: String, stopAfter count: Int? = nil) async throws {
            let sweep = try Sweep(
                plan, options: preparation, version: "1", directory: ResultDirectory(path: directory))
            let stop = StopSignal()
            let seen = Mutex(0)
            _ = try await sweep.run(stop: stop, note: { _ in }) { _ in
                let number = seen.withLock { seen in
                    seen += 1
                    return seen
                }
                if number == count { stop.raise() }
            }
        }
        // One point is complete, of the other there is a part.
        let whole = small.folder.path + "/whole"
        try await goOn(in: whole, stopAfter: 4)
        let record = "CAST(replace(CAST(record AS TEXT), '\"pir\":{\"arr', '\"pi]\":{\"arr') AS BLOB)"
        let changes = [
            ("UPDATE resume SET record = \(record)", "a station 'pi]', which no run has"),
            ("UPDATE resume SET replication = replication + 7", "stands where"),
            ("UPDATE resume SET record = x'5B'", "the text ends with a bracket that opens"),
            ("UPDATE pointResult SET point = 99", "results of other points"),
            ("UPDATE pointResult SET result = 'x'", "not valid JSON"),
            ("UPDATE run SET value = '{}' WHERE key = 'question'", "is missing"),
        ]
        for (number, (change, reason)) in changes.enumerated() {
            let copy = small.folder.path + "/\(number)"
            try FileManager.default.copyItem(atPath: whole, toPath: copy)
            let path = copy + "/results.sqlite"
            let database = try DatabaseQueue(path: path)
            let changed = try await database.write { database in
                try database.execute(sql: change)
                return database.changesCount
            }
            try database.close()
            #expect(changed > 0, "\(change)")
            let error = await #expect(throws: ResultFileError.self, "\(change)") {
                try await goOn(in: copy)
            }
            guard case .damaged(path, let found)? = error else {
                Issue.record("\(change): \(String(describing: error))")
                continue
            }
            #expect(found.contains(reason), "\(change)")
        }
        try await goOn(in: whole)
    }
}
