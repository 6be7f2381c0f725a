import Experiment
import Foundation
import Questions
import Scenarios
import TestSupport
import Testing

/// Operators whose truth is known: their lookups are a setting.
@Suite struct OperatorBenchTests {
    private static func study(_ small: SmallScenario, operators: Int, in name: String? = nil) throws -> (
        OperatorStudy, OperatorStudy.Options
    ) {
        var study = OperatorStudy.Options()
        study.operators = operators
        study.days = 2
        study.points = 16
        var options = Preparation.Options()
        options.profile = small.folder.path + "/profile.json"
        options.threads = 2
        let file = try ScenarioFile(path: small.folder.path + "/scenario.yaml")
        return (
            try OperatorStudy(
                file, study, options: options, version: "1",
                directory: try name.map { try ResultDirectory(path: "\(small.folder.path)/\($0)") }), study
        )
    }

    private static func small() throws -> SmallScenario {
        try SmallScenario(
            """
            fidelity: calibrated
            duration: 24h
            devices: [{ name: all, count: 20, browsing: { lookups: { perDay: 25..100 } } }]
            """)
    }

    private static func found(_ study: OperatorStudy) async throws -> OperatorStudy.Found {
        try #require(try await study.run(stop: StopSignal(), note: { _ in }, progress: { _ in }))
    }

    @Test func anOperatorHasTheLookupsOfItsDraw() async throws {
        let small = try Self.small()
        let (bench, study) = try Self.study(small, operators: 6)
        // Its folder is there as long as it is.
        defer { small.folder.remove() }
        let result = try OperatorBench(try await Self.found(bench), study, of: bench.scenario).result()
        #expect(result.operators.count == 6)
        for subject in result.operators {
            let perDay = try #require(
                subject.settings.first { $0.key.hasSuffix("lookups.perDay") }.flatMap { Double($0.value) })
            #expect(abs((subject.truths[.lookups] ?? 0) / perDay - 1) < 0.2)
        }
        func row(_ tier: OperatorResult.Tier) throws -> OperatorResult.Row {
            try #require(result.rows.first { $0.tier == tier && $0.figure == .lookups })
        }
        // Even by its number from 25 to 100, so that 95 % are 3.7 times apart, and a log tells which it is.
        #expect(try row(.nothing).contained >= 5)
        #expect(abs(try row(.nothing).width / 3.7 - 1) < 0.25)
        #expect(try row(.day).contained >= 5)
        #expect(try row(.day).width < 2)
        #expect(try row(.week).width <= row(.day).width * 1.05)
    }

    @Test func moreOperatorsLeaveTheFirstAsTheyAre() async throws {
        let small = try Self.small()
        defer { small.folder.remove() }
        let few = try await Self.found(Self.study(small, operators: 1).0)
        let more = try await Self.found(Self.study(small, operators: 2).0)
        #expect(few.operators[0].places == more.operators[0].places)
        #expect(few.operators[0].days == more.operators[0].days)
    }

    @Test func anInterruptedBenchGoesOn() async throws {
        let small = try Self.small()
        defer { small.folder.remove() }
        let (cut, _) = try Self.study(small, operators: 2, in: "out")
        let stop = StopSignal()
        let nothing = try await cut.run(stop: stop, note: { _ in }) { if $0 >= 3 { stop.raise() } }
        #expect(nothing == nil)
        let resumed = try await Self.found(Self.study(small, operators: 2, in: "out").0)
        let whole = try await Self.found(Self.study(small, operators: 2).0)
        #expect(resumed.operators[1].days == whole.operators[1].days)
        // The directory holds another question.
        await #expect(throws: SweepError.self) {
            try await Self.study(small, operators: 3, in: "out").0.run(
                stop: StopSignal(), note: { _ in }, progress: { _ in })
        }
    }

    @Test func aScenarioWithoutIgnoranceIsRefused() throws {
        #expect("\(OperatorError.nothingIsOpen("s.yaml"))".contains("s.yaml: every setting is known"))
    }

    @Test func theBenchsOwnScenarioLeavesHabitsOpen() throws {
        let folder = try TemporaryFolder()
        let file = try OperatorScenario.write(to: folder.path, devices: 60)
        let scenario = try ScenarioResolver.resolve(file)
        #expect(scenario.devices[0].count == 60)
        let names = scenario.plausible.map(\.name)
        for name in ["visits", "requests", "listed", "coverage", "os"] { #expect(names.contains(name)) }
    }
}
