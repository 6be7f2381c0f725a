import Experiment
import FleetModel
import Foundation
import Scenarios
import Synchronization
import TestSupport
import Testing

/// What a sweep is told, and the database from which it goes on.
@Suite struct SweepFuzzTests {
    private static let scenario = """
        fidelity: calibrated
        blocklist: { file: list.txt }
        devices: [{ name: pupils, count: 2, browsing: { trace: trace.csv } }]
        replications: { min: 2, max: 2 }
        seriesInterval: 10s

        """

    private static func inputs(in folder: TemporaryFolder) throws -> ScenarioFile {
        try folder.write(Array((0..<20).map { "bad\($0).example\n" }.joined().utf8), to: "list.txt")
        let rows = (0..<20).map { "\(1_700_000_000 + $0),c\($0 % 2),https://bad\($0 % 30).example/\($0)\n" }
        try folder.write(Array(("epoch_seconds,client,url\n" + rows.joined()).utf8), to: "trace.csv")
        try folder.write(
            Array(try JSONEncoder().encode(ExperimentFuzzTests.profile)), to: "profile.json")
        return try ScenarioFile(text: Data(scenario.utf8), path: "s.yaml", folder: folder.path)
    }

    @Test func varyOption() throws {
        let folder = try TemporaryFolder()
        let file = try Self.inputs(in: folder)
        let texts = [
            "services.pir.cores=1,2,4", "services.pir.cores=1..9:2", "seed=log:1..1e4:5",
            "filter.shouldFailClosed=false,true", "services.relay.oneWayDelay=9ms,20ms",
        ]
        let words = [",", "..", ":", "log:", "=", "{", "}", "[", "]", "1e308", "-1", "\"", "~", "ms"]
        try Fuzzer("vary option", texts: texts, words: words).run { bytes in
            var options = VaryOptions()
            options.assignments = [String(decoding: bytes, as: UTF8.self)]
            let plan = try SweepPlan(file, more: options)
            #expect(!plan.points.isEmpty)
        }
    }

    /// Whatever stands in the database: the sweep goes on from it, or says that it cannot.
    @Test func resultDatabase() async throws {
        let folder = try TemporaryFolder()
        var vary = VaryOptions()
        vary.assignments = ["services.pir.cores=1,2"]
        let plan = try SweepPlan(Self.inputs(in: folder), more: vary)
        var options = Preparation.Options()
        options.profile = folder.path + "/profile.json"
        options.threads = 1
        let (preparation, path) = (options, folder.path + "/out")
        func goOn(stopAfter count: Int? = nil) async throws -> RunResult? {
            let sweep = try Sweep(
                plan, options: preparation, version: "1", directory: ResultDirectory(path: path))
            let stop = StopSignal()
            let seen = Mutex(0)
            return try await sweep.run(stop: stop, note: { _ in }) { _ in
                let number = seen.withLock { seen in
                    seen += 1
                    return seen
                }
                if number == count { stop.raise() }
            }
        }
        // One point is complete, of the other there is one replication.
        _ = try await goOn(stopAfter: 3)
        let seed = try folder.read("out/results.sqlite")
        let words = ["[", "]", "{", "}", "null", "-1", "1e308", "\"sum\":\"-1\"", "TEXT", "NOT NULL"]
        try await Fuzzer("results.sqlite", seeds: [seed], words: words, shortRun: 40).run { bytes in
            for suffix in ["-wal", "-shm"] {
                try? FileManager.default.removeItem(atPath: path + "/results.sqlite" + suffix)
            }
            try folder.write(bytes, to: "out/results.sqlite")
            _ = try Sweep.stored(in: path)
            let result = try await goOn()
            #expect(result.map { !$0.points.isEmpty } ?? true)
        }
    }
}
