import Experiment
import FleetModel
import Foundation
import Scenarios
import Synchronization
import TestSupport
import Testing

@Suite struct SweepTests {
    private struct Setting {
        let small: SmallScenario
        let plan: SweepPlan

        init(_ more: String = "replications: { min: 3, max: 3 }", _ vary: VaryOptions? = nil) throws {
            small = try SmallScenario.calibrated(more)
            var options = VaryOptions()
            options.assignments = ["services.pir.cores=1,2", "filter.shouldFailClosed=false,true"]
            plan = try SweepPlan(
                try ScenarioFile(path: small.folder.path + "/scenario.yaml"), more: vary ?? options)
        }

        func sweep(in name: String?, threads: Int = 2, version: String = "1") throws -> Sweep {
            var options = Preparation.Options()
            options.profile = small.folder.path + "/profile.json"
            options.threads = threads
            return try Sweep(
                plan, options: options, version: version,
                directory: try name.map { try ResultDirectory(path: "\(small.folder.path)/\($0)") })
        }
    }

    private func run(_ sweep: Sweep, stopAfter count: Int? = nil) async throws -> RunResult? {
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

    @Test func aPointOfASweepIsTheRunOfItsSettings() async throws {
        let setting = try Setting()
        let result = try #require(try await run(setting.sweep(in: nil)))
        #expect(result.finished)
        #expect(result.points.map { $0.settings["services.pir.cores"] } == ["1", "1", "2", "2"])
        let alone = try setting.small.prepare("services.pir.cores=2", "filter.shouldFailClosed=true")
        let single = try await Runner.run(alone, threads: 1).result
        var point = result.points[3]
        #expect(point.context?.failurePolicy == "fail closed")
        point.settings = [:]
        point.context = nil
        #expect(point == single.points[0])
    }

    @Test func theNumberOfThreadsChangesNothing() async throws {
        let setting = try Setting("replications: { min: 2, max: 9, precision: 30% }")
        let one = try await run(setting.sweep(in: nil, threads: 1))
        let four = try await run(setting.sweep(in: nil, threads: 4))
        #expect(one != nil)
        #expect(one == four)
    }

    @Test(
        "an interrupted sweep ends like an undisturbed one",
        arguments: [
            "replications: { min: 3, max: 3 }",
            "replications: { min: 2, max: 9, precision: 30% }\nwarmUp: auto",
        ])
    func interruption(more: String) async throws {
        let setting = try Setting(more)
        let whole = try setting.sweep(in: "whole")
        let undisturbed = try #require(try await run(whole))
        try whole.write(
            undisturbed, to: ResultDirectory(path: setting.small.folder.path + "/whole"),
            usage: .now(since: Date()))
        var result: RunResult?
        var attempts = 0
        repeat {
            let sweep = try setting.sweep(in: "parts", threads: 1 + attempts % 3)
            result = try await run(sweep, stopAfter: 2)
            if let result {
                try sweep.write(
                    result, to: ResultDirectory(path: setting.small.folder.path + "/parts"),
                    usage: .now(since: Date()))
            }
            attempts += 1
        } while result?.finished != true && attempts < 50
        #expect(attempts >= 3)
        #expect(result == undisturbed)
        #expect(try setting.small.dump("parts") == setting.small.dump("whole"))
        let folder = setting.small.folder.path
        #expect(
            try Data(contentsOf: URL(fileURLWithPath: folder + "/parts/summary.json"))
                == Data(contentsOf: URL(fileURLWithPath: folder + "/whole/summary.json")))
    }

    /// What a killed process leaves: the files as they are while the sweep is under way.
    @Test func theFilesOfAKilledSweepCanGoOn() async throws {
        let setting = try Setting()
        let folder = setting.small.folder.path
        let copied = Mutex(false)
        _ = try await setting.sweep(in: "whole").run(stop: StopSignal(), note: { _ in }) { state in
            guard state.replications == 5, !copied.withLock({ $0 }) else { return }
            copied.withLock { $0 = true }
            try? FileManager.default.createDirectory(
                atPath: folder + "/killed", withIntermediateDirectories: true)
            for name in ["results.sqlite", "results.sqlite-wal"] {
                try? FileManager.default.copyItem(
                    atPath: "\(folder)/whole/\(name)", toPath: "\(folder)/killed/\(name)")
            }
        }
        let restored = Mutex(-1)
        _ = try await setting.sweep(in: "killed").run(stop: StopSignal(), note: { _ in }) { state in
            restored.withLock { $0 = max($0, state.restored) }
        }
        #expect(restored.withLock { $0 } >= 4)
        #expect(try setting.small.dump("killed") == setting.small.dump("whole"))
    }

    @Test func anotherQuestionIsRefusedAndSaysWhatDiffers() async throws {
        let setting = try Setting()
        _ = try await run(setting.sweep(in: "out"))
        #expect(throws: SweepError.self) { try setting.sweep(in: "out", version: "2") }
        let folder = setting.small.folder.path
        let file = try ScenarioFile(path: folder + "/scenario.yaml")
            .setting("drain=11s").setting("vary={ services.pir.cores: [1, 3] }")
        var options = Preparation.Options()
        options.profile = folder + "/profile.json"
        let directory = try ResultDirectory(path: folder + "/out")
        do {
            _ = try Sweep(SweepPlan(file), options: options, version: "1", directory: directory)
            Issue.record("the sweep of another question went on")
        } catch {
            let sentence = "\(error)"
            #expect(sentence.contains("drain is 10s there and 11s here"), "\(sentence)")
            #expect(sentence.contains("vary services.pir.cores is 1,2 there and 1,3 here"), "\(sentence)")
        }
        try setting.small.folder.write("other.example\n", to: "list.txt")
        let error = #expect(throws: SweepError.self) { try setting.sweep(in: "out") }
        #expect(error?.description.contains("list.txt has changed") == true)
        // Nor does a run of one point replace it.
        let single = try SweepPlan(
            onePointOf: ScenarioFile(path: folder + "/scenario.yaml"))
        #expect(throws: SweepError.self) {
            try Sweep(single, options: options, version: "1", directory: directory, replacesRun: true)
        }
    }

    /// What took hours must not go with a typing mistake.
    @Test func aRunOfOnePointGoesOnAndIsNotReplacedByAnother() async throws {
        let small = try SmallScenario.calibrated()
        func sweep(_ setting: String, replaces: Bool = false) throws -> Sweep {
            let file = try ScenarioFile(path: small.folder.path + "/scenario.yaml").setting(setting)
            var options = Preparation.Options()
            options.profile = small.folder.path + "/profile.json"
            return try Sweep(
                SweepPlan(onePointOf: file), options: options, version: "1",
                directory: ResultDirectory(path: small.folder.path + "/out"), replacesRun: replaces)
        }
        let whole = try await run(sweep("seed=7"))
        #expect(try sweep("seed=7").restoredPoints == 1)
        #expect(try await run(sweep("seed=7")) == whole)
        let error = #expect(throws: SweepError.self) { try sweep("seed=8") }
        #expect(error?.description.contains("seed is 7 there and 8 here") == true)
        #expect(try sweep("seed=7").restoredPoints == 1)
        #expect(try sweep("seed=8", replaces: true).restoredPoints == 0)
    }

    @Test func aResultInADirectoryGoesOnFromWhatItHolds() async throws {
        let setting = try Setting()
        _ = try await run(setting.sweep(in: "out"), stopAfter: 3)
        let stored = try Sweep.stored(in: setting.small.folder.path + "/out")
        #expect(stored.plan.points.map(\.scenario.settings) == setting.plan.points.map(\.scenario.settings))
        let sweep = try Sweep(
            stored.plan, options: stored.options, version: "1",
            directory: ResultDirectory(path: setting.small.folder.path + "/out"))
        #expect(try await run(sweep)?.finished == true)
        #expect(throws: SweepError.self) { try Sweep.stored(in: setting.small.folder.path) }
    }

    /// Busy cores fall with their number; the filter's fail mode has nothing to do with it.
    @Test func sharesAndMetamodelTellWhichSettingMatters() async throws {
        var vary = VaryOptions()
        vary.assignments = ["services.pir.cores=1..8", "filter.shouldFailClosed=false,true"]
        vary.sensitivity = 16
        let setting = try Setting("replications: { min: 2, max: 2 }", vary)
        let sweep = try setting.sweep(in: "out")
        let result = try #require(try await run(sweep))
        let found = try #require(
            result.sweep?.sensitivity.first { $0.name == "pir.utilization" })
        let shares = try #require(found.shares)
        #expect(shares[0].total.value > 0.9)
        #expect(abs(shares[1].total.value) < 0.05)
        let model = try #require(found.metamodel)
        #expect(model.crossValidation > 0.5)
        #expect(model.terms.map(\.name).contains("services.pir.cores"))
        let database = try setting.small.dump("out")
        #expect(database["sensitivity"]?.isEmpty == false)
        #expect(database["metamodel"]?.isEmpty == false)
        #expect(database["resume"] == [])
    }
}

@Suite struct RecordStorageTests {
    @Test func aRecordReadBackGivesTheSameResult() async throws {
        let small = try SmallScenario.calibrated(
            """
            replications: { min: 2, max: 2 }
            faults: [{ kind: outage, service: pir, at: 20s, for: 20s }]
            """)
        let preparation = try small.prepare()
        let outcome = try await Runner.run(preparation, threads: 1)
        let records = outcome.records
        let read = try records.map {
            try JSONDecoder().decode(ReplicationRecord.self, from: JSONEncoder().encode($0))
        }
        #expect(
            ResultBuilder(preparation, warmUp: outcome.warmUp, records: read).result(finished: true)
                == outcome.result)
        #expect(read.map(\.fingerprint) == records.map(\.fingerprint))
        #expect(read[0].series == records[0].series)
    }
}
