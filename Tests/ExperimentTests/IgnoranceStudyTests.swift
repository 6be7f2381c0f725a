import Experiment
import Foundation
import RunMetrics
import Scenarios
import Synchronization
import TestSupport
import Testing

/// Designs of ignorance of a small scenario whose lookups are known: as many as its setting says.
@Suite struct IgnoranceStudyTests {
    private struct Setting {
        let small: SmallScenario
        let inputs: [PlausibleInput]

        init(objectives: String = "[]") throws {
            small = try SmallScenario(
                """
                fidelity: calibrated
                duration: 6h
                objectives: \(objectives)
                replications: { min: 3, max: 3 }
                devices: [{ name: all, count: 20, browsing: { lookups: { perDay: 500 } } }]
                """)
            var input = IgnoranceModelTests.input("lookups", 250, 1_000)
            input.parts = [.value("devices[all].browsing.lookups.perDay")]
            inputs = [input]
        }

        func sweep(in name: String? = nil, threads: Int = 2) throws -> Sweep {
            var options = Preparation.Options()
            options.profile = small.folder.path + "/profile.json"
            options.threads = threads
            return try Sweep(
                SweepPlan(onePointOf: ScenarioFile(path: small.folder.path + "/scenario.yaml")),
                options: options, version: "1",
                directory: try name.map { try ResultDirectory(path: "\(small.folder.path)/\($0)") })
        }
    }

    private func run(_ sweep: Sweep) async throws -> RunResult {
        try #require(await sweep.run(stop: StopSignal(), note: { _ in }, progress: { _ in }))
    }

    private func study(
        _ setting: Setting, in name: String? = nil, threads: Int = 2, points: Int = 12, stopAfter: Int? = nil
    ) async throws -> IgnoranceResult {
        let sweep = try setting.sweep(in: name, threads: threads)
        let result = try await run(sweep)
        let study = try #require(
            try IgnoranceStudy(of: result, sweep, inputs: setting.inputs, points: points))
        let stop = StopSignal()
        return try await study.run(stop: stop, note: { _ in }) { done in
            if let stopAfter, done >= stopAfter { stop.raise() }
        }
    }

    @Test func lookupsFollowTheirSetting() async throws {
        let found = try await study(Setting(), points: 24)
        #expect(found.finished)
        #expect(found.devices == 20)
        let lookups = try #require(found[.lookupsPerDeviceDay])
        #expect(abs(lookups.value / 500 - 1) < 0.1)
        #expect((lookups.model?.crossValidation ?? 0) > 0.9)
        // Even by its logarithm from half to twice.
        #expect(abs(lookups.interval.low / (lookups.value * pow(0.5, 0.95)) - 1) < 0.12)
        #expect(abs(lookups.interval.high / (lookups.value * pow(2, 0.95)) - 1) < 0.12)
        #expect(lookups.parts.first?.input == "lookups")
    }

    /// A question that is thirty times the lookups has thirty times their interval, and the same cause.
    @Test func aQuestionsAnswerMovesAsItsInputDoes() async throws {
        let setting = try Setting()
        let sweep = try setting.sweep()
        let result = try await run(sweep)
        let study = try #require(
            try IgnoranceStudy(of: result, sweep, inputs: setting.inputs, points: 24))
        guard
            case .finished(let design) = try await study.design(
                stop: StopSignal(), note: { _ in }, progress: { _ in })
        else {
            Issue.record("the design did not finish")
            return
        }
        func money(_ result: RunResult) -> Double? {
            result.points.first?[.lookupsPerDeviceDay].map { 30 * $0.value }
        }
        let now = try #require(money(result))
        let found = try #require(
            design.finding(.money, now: now, values: design.shifted.map(money)))
        let lookups = try #require(design.result[.lookupsPerDeviceDay])
        #expect(found.isMoney && found.parts.first?.input == "lookups")
        #expect(abs(found.interval.low / (30 * lookups.interval.low) - 1) < 0.08)
        #expect(abs(found.interval.high / (30 * lookups.interval.high) - 1) < 0.08)
    }

    /// Two scenarios have the same places; what one of them has not changes nothing in it.
    @Test func whatAScenarioHasNotIsDrawnAndChangesNothing() async throws {
        let setting = try Setting()
        let sweep = try setting.sweep()
        let result = try await run(sweep)
        var draws = IgnoranceStudy.Draws(setting.inputs, points: 4)
        draws.acting = []
        let study = try #require(try IgnoranceStudy(of: result, sweep, draws))
        guard
            case .finished(let design) = try await study.design(
                stop: StopSignal(), note: { _ in }, progress: { _ in })
        else {
            Issue.record("the design did not finish")
            return
        }
        #expect(design.shifted.allSatisfy { $0 == result })
    }

    @Test func theNumberOfThreadsChangesNothing() async throws {
        let one = try await study(Setting(), threads: 1)
        #expect(try await study(Setting(), threads: 4) == one)
        #expect(one.finished)
    }

    @Test func anInterruptedDesignIsNoneAndGoesOn() async throws {
        let setting = try Setting()
        let cut = try await study(setting, in: "out", stopAfter: 3)
        #expect(!cut.finished && cut.isCutShort)
        #expect(cut.metrics.isEmpty && cut.objectives.isEmpty)
        #expect(cut.note?.contains("did not finish") == true)
        #expect(cut.finishedPoints < 12)
        #expect(try await study(setting, in: "out") == study(setting))
    }

    @Test func objectivesAreMetInAShareOfWhatIsPlausible() async throws {
        let found = try await study(
            Setting(objectives: #"["lookup.perDeviceDay rate < 707", "lookup.perDeviceDay rate > 10"]"#),
            points: 24)
        let shares = found.objectives.map { $0.met ?? -1 }
        // From 250 to 1 000 by logarithms, three quarters lie below 707.
        #expect(abs(shares[0] - 0.75) < 0.06)
        #expect(shares[1] == 1)
        let threshold = try #require(found.objectives[0].threshold)
        #expect(threshold.input == "lookups" && threshold.failsAbove)
        #expect(abs((Double(threshold.value) ?? 0) / 707 - 1) < 0.08)
        #expect(found.objectives[1].threshold == nil)
    }

    @Test func nothingIsDrawnWhereNothingIsUnknown() async throws {
        let setting = try Setting()
        let sweep = try setting.sweep()
        let result = try await run(sweep)
        #expect(try IgnoranceStudy(of: result, sweep, inputs: [], points: 40) == nil)
        var interrupted = result
        interrupted.finished = false
        #expect(try IgnoranceStudy(of: interrupted, sweep, inputs: setting.inputs, points: 40) == nil)
    }

    @Test func aPointThatCannotBeIsRefused() async throws {
        let setting = try Setting()
        var input = setting.inputs[0]
        input.parts = [.value("devices[all].coverage")]
        let sweep = try setting.sweep()
        let result = try await run(sweep)
        #expect(throws: ScenarioError.self) {
            try IgnoranceStudy(of: result, sweep, inputs: [input], points: 4)
        }
    }

    /// The question is kept beside the run for `--resume`.
    @Test func aDirectoryKnowsWhatWasAsked() async throws {
        let setting = try Setting()
        let request = IgnoranceStudy.Request(known: ["lookups"], points: 12, chanceOnly: false)
        let sweep = try setting.sweep(in: "out")
        try sweep.keep(request)
        _ = try await run(sweep)
        #expect(try Sweep.ignorance(in: setting.small.folder.path + "/out") == request)
    }

    @Test func theResultIsReadAgain() async throws {
        let setting = try Setting()
        let sweep = try setting.sweep()
        var result = try await run(sweep)
        let without = try result.json()
        #expect(!String(decoding: without, as: UTF8.self).contains("\"ignorance\""))
        result.ignorance = try await study(setting)
        #expect(try RunResult.decode(result.json()) == result)
    }
}
