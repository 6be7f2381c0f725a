import Experiment
import Foundation
import Scenarios
import TestSupport
import Testing

@Suite struct SweepWorkTests {
    private struct Setting {
        let small: SmallScenario
        let plan: SweepPlan
        let options: Preparation.Options

        init(_ more: String = "replications: { min: 4, max: 4 }") throws {
            small = try SmallScenario.calibrated(more)
            var vary = VaryOptions()
            vary.assignments = ["services.pir.cores=1,2,3"]
            plan = try SweepPlan(
                try ScenarioFile(path: small.folder.path + "/scenario.yaml"), more: vary)
            var options = Preparation.Options()
            options.profile = small.folder.path + "/profile.json"
            options.threads = 2
            self.options = options
        }

        func sweep(_ name: String) throws -> Sweep {
            try Sweep(
                plan, options: options, version: "1",
                directory: ResultDirectory(path: "\(small.folder.path)/\(name)"))
        }
    }

    private func work(_ manifest: WorkManifest, _ line: Int) async throws -> Int? {
        try await SweepWorker(manifest, line: line, threads: 2, version: "1")
            .run(stop: StopSignal(), note: { _ in })
    }

    private func collect(_ manifest: WorkManifest, _ sweep: Sweep) async throws -> SweepCollector.Outcome {
        try await SweepCollector(manifest).run(
            sweep, stop: StopSignal(), note: { _ in }, progress: { _ in })
    }

    @Test(
        "work in pieces ends like a sweep in one",
        arguments: [
            ("replications: { min: 4, max: 4 }", 3 as Int?), ("replications: { min: 4, max: 4 }", nil),
            ("replications: { min: 2, max: 9, precision: 30% }\nwarmUp: auto", nil),
        ])
    func pieces(more: String, chunk: Int?) async throws {
        let setting = try Setting(more)
        let whole = try await setting.sweep("whole").run(
            stop: StopSignal(), note: { _ in }, progress: { _ in })
        let manifest = try setting.sweep("pieces").writeManifest(chunk: chunk) { _ in }
        #expect(manifest.units.count == (chunk == nil ? 3 : 6))
        // In the wrong order, one of them missing, one of them twice.
        for line in (2...manifest.units.count).reversed() { #expect(try await work(manifest, line) != 0) }
        #expect(try await work(manifest, 2) == 0)
        let early = try await collect(manifest, setting.sweep("pieces"))
        #expect(early.missingLines == [1])
        #expect(early.result?.finished == false)
        #expect(early.added > 0)
        #expect(try await work(manifest, 1) != nil)
        let outcome = try await collect(manifest, setting.sweep("pieces"))
        #expect(outcome.missingLines == [])
        #expect(outcome.result == whole)
        #expect(try setting.small.dump("pieces") == setting.small.dump("whole"))
        let again = try await collect(manifest, setting.sweep("pieces"))
        #expect(again.added == 0)
        #expect(again.result == whole)
    }

    @Test func workThatWasBegunElsewhereCanBeFinishedHere() async throws {
        let setting = try Setting()
        _ = try await setting.sweep("whole").run(stop: StopSignal(), note: { _ in }, progress: { _ in })
        let manifest = try setting.sweep("mixed").writeManifest(chunk: nil) { _ in }
        _ = try await work(manifest, 3)
        _ = try await collect(manifest, setting.sweep("mixed"))
        _ = try await setting.sweep("mixed").run(stop: StopSignal(), note: { _ in }, progress: { _ in })
        #expect(try setting.small.dump("mixed") == setting.small.dump("whole"))
    }

    @Test func filesOfSomethingElseAreRefused() async throws {
        let setting = try Setting()
        let manifest = try setting.sweep("out").writeManifest(chunk: nil) { _ in }
        _ = try await work(manifest, 1)
        let file = URL(fileURLWithPath: "\(manifest.folder)/\(manifest.units[0].result)")
        let text = String(decoding: try Data(contentsOf: file), as: UTF8.self)
        for damaged in [
            String(text.dropLast(20)), text.replacing("\"point\":0", with: "\"point\":1"),
            text.replacing("\"checked\":", with: "\"checked\":9223372036854775807,\"x\":"),
            text.replacing("\"checked\":", with: "\"checked\":-1,\"x\":"), "[]", "",
        ] {
            try Data(damaged.utf8).write(to: file)
            await #expect(throws: SweepError.self) { try await collect(manifest, setting.sweep("out")) }
        }
        // The work is done again where its file is no good.
        #expect(try await work(manifest, 1) == 4)
        #expect(throws: SweepError.self) {
            try SweepWorker(manifest, line: 4, threads: 1, version: "1")
        }
        #expect(throws: SweepError.self) {
            try SweepWorker(manifest, line: 1, threads: 1, version: "2")
        }
        try setting.small.folder.write("{}\n", to: "manifest.jsonl")
        #expect(throws: SweepError.self) { try WorkManifest(path: setting.small.folder.path) }
        try setting.small.folder.write("other.example\n", to: "list.txt")
        #expect(throws: SweepError.self) {
            try SweepWorker(manifest, line: 2, threads: 1, version: "1")
        }
    }

    @Test func aPrecisionNeedsWholePoints() throws {
        let setting = try Setting("replications: { min: 2, max: 9, precision: 30% }")
        #expect(throws: SweepError.chunksOfPrecision) {
            try setting.sweep("out").writeManifest(chunk: 2) { _ in }
        }
    }
}

@Suite struct PlanTests {
    /// The line through two trials gives back what made them; one alone is an upper bound.
    @Test func theTimeOfAReplicationIsALine() throws {
        func trials(_ devices: [Int]) -> [ReplicationTime.Trial] {
            devices.map { .init(devices: $0, seconds: 0.6 + 0.0002 * Double($0)) }
        }
        let time = try #require(ReplicationTime(trials([38, 151, 606])))
        #expect(abs(time(devices: 9_700) - 2.54) < 1e-9)
        let alone = try #require(ReplicationTime(trials([38])))
        #expect(alone(devices: 9_700) > 60 * time(devices: 9_700))
        // The smaller trial met other work: nothing is below 0.
        let odd = try #require(
            ReplicationTime([.init(devices: 10, seconds: 2), .init(devices: 20, seconds: 1)]))
        #expect(odd == ReplicationTime([.init(devices: 10, seconds: 1), .init(devices: 20, seconds: 1)]))
        #expect(odd(devices: 1_000) == 1)
        #expect(ReplicationTime([]) == nil)
    }

    /// Six devices have four sizes of trials at most; two of them make a line.
    @Test func anEstimateNamesTheLargestTrial() throws {
        let small = try SmallScenario.calibrated("duration: 1min")
        let plan = try SweepPlan(
            onePointOf: try ScenarioFile(path: small.folder.path + "/scenario.yaml"))
        var options = Preparation.Options()
        options.profile = small.folder.path + "/profile.json"
        options.threads = 1
        let estimate = try #require(try plan.estimate(options: options, stop: StopSignal()) { _ in })
        #expect(estimate.trial == "one replication of 6 of 6 devices")
        #expect(estimate.least == estimate.most && estimate.times(3).most == 3 * estimate.most)
        #expect(abs(plan.deviceDays - 10 * 6 / 1_440) < 1e-12)
    }

    @Test func aPlanNamesPointsReplicationsAndSources() throws {
        let small = try SmallScenario.calibrated("replications: { min: 2, max: 9, precision: 5% }")
        var vary = VaryOptions()
        vary.assignments = ["services.pir.cores=1..3:1"]
        let plan = try SweepPlan(try ScenarioFile(path: small.folder.path + "/scenario.yaml"), more: vary)
        var options = Preparation.Options()
        options.profile = small.folder.path + "/profile.json"
        options.threads = 2
        let estimate = try #require(try plan.estimate(options: options, stop: StopSignal()) { _ in })
        #expect(estimate.least > 0)
        #expect(estimate.least < estimate.most)
        let summary = try PlanSummary(plan, estimate: estimate)
        #expect(summary.points.map { $0.settings["services.pir.cores"] } == ["1", "2", "3"])
        #expect(summary.leastReplications == 6)
        #expect(summary.mostReplications == 27)
        for setting in summary.settings where setting.isDerived { #expect(setting.defaultSource != nil) }
        let drain = try #require(summary.settings.first { $0.path == "drain" })
        #expect(drain.defaultSource == nil)
        let fetch = try #require(summary.settings.first { $0.path == "filter.prefilterFetchInterval" })
        #expect(fetch.defaultSource == #"article "Device", section "Configuration""#)
    }

    /// What `--resolved` prints asks the same when it is run.
    @Test func theResolvedScenarioMakesTheSamePlan() throws {
        let small = try SmallScenario.calibrated()
        var vary = VaryOptions()
        vary.assignments = ["services.pir.cores=1..3:1", "filter.shouldFailClosed=false,true"]
        let plan = try SweepPlan(try ScenarioFile(path: small.folder.path + "/scenario.yaml"), more: vary)
        let path = try small.folder.write(plan.resolvedYAML, to: "full.yaml")
        let again = try SweepPlan(try ScenarioFile(path: path))
        #expect(again.settings == plan.settings)
        #expect(
            again.points.map { $0.scenario.settings.map { [$0.path, $0.value] } }
                == plan.points.map { $0.scenario.settings.map { [$0.path, $0.value] } })
    }
}
