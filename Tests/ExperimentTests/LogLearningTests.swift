import Experiment
import Foundation
import Questions
import RandomStreams
import Scenarios
import TestSupport
import Testing

/// Ranges after a log whose rate is known, because it is drawn here.
@Suite struct LogLearningTests {
    /// Thirty devices for 40 hours, each with so many lookups a day that come by chance.
    private static func log(perDay: Double, hours: Double = 40) -> String {
        var generator = SplitMix64(11)
        var starts: [(Double, Int)] = []
        for device in 0..<30 {
            var time = 0.0
            while true {
                time -= Foundation.log(max(generator.uniform(), 1e-12)) * 86_400 / perDay
                guard time < hours * 3_600 else { break }
                starts.append((time, device))
            }
        }
        let lines = starts.sorted { $0.0 < $1.0 }.map { start, device in
            "\(1_795_219_200 + start),queries,200,25000,12,d\(device)"
        }
        return (["start,endpoint,status,bytes,duration_ms,device"] + lines).joined(separator: "\n") + "\n"
    }

    private static func scenario() throws -> SmallScenario {
        try SmallScenario(
            """
            start: steady
            duration: 24h
            web: { requestScale: 0.05 }
            filter: { falsePositiveTolerance: 0.01 }
            devices: [{ name: homes, count: 30, browsing: { visitScale: 0.1..1.5 } }]
            services: { pir: { cores: 1, grouping: { limit: 1 }, speed: none } }
            """)
    }

    private static func calibrate(_ small: SmallScenario, _ log: String) throws -> LoadCalibration {
        var options = LoadCalibration.Options()
        options.preparation.profile = small.folder.path + "/profile.json"
        try small.folder.write(log, to: "log.csv")
        return try LoadCalibration(
            ScenarioFile(path: small.folder.path + "/scenario.yaml"),
            observed: [small.folder.path + "/log.csv"], options: options
        ) { _ in }
    }

    private static func learn(
        _ small: SmallScenario, _ calibration: LoadCalibration, from name: String = "scenario.yaml"
    ) async throws -> LogLearning {
        var options = Preparation.Options()
        options.profile = small.folder.path + "/profile.json"
        options.threads = 2
        return try #require(
            try await LogLearning.learn(
                ScenarioFile(path: "\(small.folder.path)/\(name)"), from: calibration.logged(),
                by: .init(points: 16, options: options, version: "1"), stop: StopSignal(),
                progress: { _, _ in }))
    }

    private static func lookups(_ learning: LogLearning) throws -> LogLearning.Row {
        try #require(learning.rows.first { $0.name == "lookup.perDeviceDay" })
    }

    @Test("a log narrows what nobody knows, the written scenario is narrower, and a second log narrows again")
    func narrows() async throws {
        let small = try Self.scenario()
        let first = try await Self.learn(small, Self.calibrate(small, Self.log(perDay: 40)))
        let row = try Self.lookups(first)
        func width(_ interval: Interval) -> Double { Foundation.log(interval.high / max(interval.low, 1e-9)) }
        #expect(width(row.after) < width(row.before))
        #expect(width(row.written) >= width(row.after))
        #expect(width(row.written) < width(row.before))
        #expect(first.effectiveDraws >= LogLearning.fewestEffective)
        let path = small.folder.path + "/learned.yaml"
        let text = try first.text(
            ScenarioFile(path: small.folder.path + "/scenario.yaml"), log: ["log.csv"], beside: path)
        try small.folder.write(text, to: "learned.yaml")
        let before = try small.scenario()
        let after = try ScenarioResolver.resolve(ScenarioFile(path: path))
        func ends(_ scenario: Scenario) throws -> PlausibleInput.Law {
            try #require(scenario.plausible.first { $0.name == "visits" }).law
        }
        guard case .between(let low, let high, _, _) = try ends(before),
            case .between(let newLow, let newHigh, _, _) = try ends(after)
        else {
            Issue.record("visits have no range")
            return
        }
        #expect(newLow >= low && newHigh <= high && newHigh - newLow < high - low)
        let second = try await Self.learn(
            small, Self.calibrate(small, Self.log(perDay: 40)), from: "learned.yaml")
        #expect(width(try Self.lookups(second).after) <= width(row.after) * 1.1)
    }

    @Test("a log that nothing plausible explains is an error with the figure and the fix")
    func excluded() async throws {
        let small = try Self.scenario()
        let calibration = try Self.calibrate(small, Self.log(perDay: 3_000, hours: 36))
        let error = await #expect(throws: KnowledgeError.self) {
            try await Self.learn(small, calibration)
        }
        #expect("\(try #require(error))".contains("lookups a device and day"))
    }

    @Test("less than a day is refused, and so is a scenario without browsing")
    func refused() async throws {
        let small = try Self.scenario()
        let short = try Self.calibrate(small, Self.log(perDay: 200, hours: 12))
        #expect(throws: LearningProblem.notADay(hours: 7)) { try short.logged() }
        let long = try Self.calibrate(small, Self.log(perDay: 40))
        try small.folder.write(
            """
            blocklist: { file: list.txt }
            duration: 1h
            devices: [{ name: a, count: 6, browsing: { lookups: { perDay: 20 } } }]
            """, to: "lookups.yaml")
        await #expect(throws: LearningProblem.noBrowsing) {
            try await Self.learn(small, long, from: "lookups.yaml")
        }
    }

    /// Lookups that come by chance at one rate: intervals contain 95 %, and the fitted rate foresees better than a day
    /// before, whose chance it has as well.
    @Test("lookups that were held out are inside, with a better score than the day before")
    func foresees() throws {
        let small = try Self.scenario()
        let forecast = try #require(Self.calibrate(small, Self.log(perDay: 100, hours: 72)).forecast)
        let naive = try #require(forecast.seasonalNaive)
        #expect(Double(forecast.model.contained) >= 0.85 * Double(forecast.intervals))
        #expect(forecast.model.score < naive.score)
        #expect(forecast.dispersion < 2)
    }
}
