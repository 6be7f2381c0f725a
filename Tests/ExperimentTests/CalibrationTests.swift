import Experiment
import Foundation
import Questions
import RandomStreams
import Scenarios
import Testing
import Workload

/// Traces from known parameters stand for real ones: what is fitted to them must browse alike.
@Suite struct CalibrationTests {
    private static let day: Int64 = 86_400_000_000_000
    /// 5 January 2026, a Monday.
    private static let origin: Int64 = 20_458 * day

    private func profile() -> BrowsingProfile {
        var profile = BrowsingProfile.adult
        profile.visitsPerActiveDay = .lognormal(median: 40, p95: 120)
        profile.thinkSeconds = .lognormal(mu: 3, sigma: 1.2)
        profile.siteRevisitShare = 0.7
        profile.pageRevisitShare = 0.2
        return profile
    }

    private func web() -> WebParameters {
        var web = WebParameters()
        web.siteCount = 500
        web.requestsPerPage = QuantileCurve([.init(0.5, 3), .init(0.9, 8)], minimum: 1, maximum: 40)
        web.hostsPerPage = QuantileCurve([.init(0.5, 2), .init(0.9, 4)], minimum: 1, maximum: 10)
        web.thirdPartyHostCount = 200
        web.uniquePageShare = 0.4
        return web
    }

    private func statistics(
        _ profile: BrowsingProfile, _ web: WebParameters, clients: Int, days: Int, seed: UInt64
    ) throws -> TraceStatistics {
        var trace = SyntheticTrace(
            population: [.init(name: "d", count: clients, habits: try BrowsingHabits(profile))],
            web: try SyntheticWeb(web, seed: seed), seed: seed, origin: Self.origin,
            duration: Int64(days) * Self.day)
        var statistics = TraceStatistics(DescriptionOptions())
        while let record = trace.next() { statistics.add(record, lookupStrings: 20) }
        statistics.finish()
        return statistics
    }

    @Test("the fitted population has the figures of the trace, under seeds that the fit has not seen")
    func recovers() throws {
        let statistics = try statistics(profile(), web(), clients: 12, days: 4, seed: 99)
        let model = try #require(BrowsingModel(fitting: statistics, name: "t"))
        #expect(model.isPeople)
        #expect(model.clientCount == 12 && model.dayCount == 4)
        let calibration = try BrowsingCalibration(model, to: statistics, rounds: 10) { _ in }
        let check = try calibration.check()
        let named: [TraceFigures.Name] = [
            .requestsPerPageMean, .requestsPerPageP50, .hostsPerPageMean, .siteExponent, .siteRevisitsHour,
            .pageRevisitsHour, .pageRevisitsEver, .urlLengthP50, .queryShare, .hours, .thinkP50,
        ]
        for row in check.rows where named.contains(row.figure) {
            // One trace of 12 people varies itself: twice the error that is stated.
            #expect(row.error.magnitude <= 2 * row.tolerance, "\(row)")
        }
        #expect(Set(named).isSubset(of: Set(check.rows.map(\.figure))))
    }

    @Test("what chance does to a trace is what it does to 95 % of the traces of the model itself")
    func chance() throws {
        let statistics = try statistics(profile(), web(), clients: 6, days: 3, seed: 5)
        let model = try #require(BrowsingModel(fitting: statistics, name: "t"))
        let traces = try model.twin(seeds: 500..<512)
        var errors: [(size: Double, chance: Double)] = []
        for index in traces.indices {
            let others = traces[..<index] + traces[(index + 1)...]
            let check = CalibrationCheck(target: traces[index], twins: Array(others))
            for row in check.rows {
                guard let chance = row.chance, chance > 0 else { continue }
                errors.append((row.error.magnitude, chance))
                #expect((row.verdict == .outside) == (row.error.magnitude > max(chance, row.tolerance)))
            }
        }
        let covered = Double(errors.count { $0.size <= $0.chance }) / Double(errors.count)
        #expect(errors.count > 200 && covered > 0.92 && covered < 0.98, "\(covered) of \(errors.count)")
    }

    @Test("a collection of page loads is fitted without people")
    func pagesOnly() throws {
        var single = profile()
        single.visitsPerActiveDay = .constant(1)
        single.activeDayShare = 1
        let statistics = try statistics(single, web(), clients: 300, days: 1, seed: 4)
        let model = try #require(BrowsingModel(fitting: statistics, name: "t"))
        #expect(!model.isPeople)
        let check = try BrowsingCalibration(model, to: statistics, rounds: 6) { _ in }.check()
        #expect(!check.rows.contains { $0.figure == .thinkP50 || $0.figure == .hours })
        let mean = try #require(check.rows.first { $0.figure == .requestsPerPageMean })
        #expect(mean.error.magnitude < 0.2, "\(mean)")
    }

    @Test("the printed block resolves to the model that was tested")
    func blockRoundTrip() throws {
        let statistics = try statistics(profile(), web(), clients: 6, days: 3, seed: 5)
        let model = try #require(BrowsingModel(fitting: statistics, name: "t"))
        let block = ScenarioBlock.render(model, source: "trace.csv", group: "traced")
        let text = "blocklist: { file: list.txt }\nduration: 1h\n" + block
        let file = try ScenarioFile(text: Data(text.utf8), path: "s.yaml", folder: "/folder")
        let scenario = try ScenarioResolver.resolve(file)
        let group = try #require(scenario.devices.first)
        #expect(group.name == "traced" && group.count == 6)
        guard case .profile(let profile) = group.browsing else {
            Issue.record("the group replays a trace")
            return
        }
        #expect(profile.hourWeights == model.profile.hourWeights)
        #expect(profile.weekdayWeights == model.profile.weekdayWeights)
        #expect(profile.visitsPerActiveDay == model.profile.visitsPerActiveDay)
        #expect(profile.favouriteCount == model.profile.favouriteCount)
        #expect(profile.weekdayOfDayZero == model.profile.weekdayOfDayZero)
        #expect(abs(profile.thinkSeconds.mean / model.profile.thinkSeconds.mean - 1) < 0.01)
        #expect(scenario.web.requestsPerPage == model.web.requestsPerPage)
        #expect(scenario.web.pathDepthWeights == model.web.pathDepthWeights)
        #expect(scenario.web.siteCount == model.web.siteCount)
        #expect(abs(scenario.web.siteExponent - model.web.siteExponent) < 1e-4)
        // A value at its bound is told, and not set.
        var bounded = model
        bounded.web.siteCount = 1 << 24
        let told = ScenarioBlock.render(bounded, source: "trace.csv", group: "traced")
        #expect(told.contains("  # siteCount: 16777216: the fit was stopped at its bound"))
        #expect(!told.contains("\n  siteCount:"))
        // What the result directory keeps says the same again.
        let resolved = ResolvedScenario.yaml(scenario.settings)
        let again = try ScenarioResolver.resolve(
            ScenarioFile(text: Data(resolved.utf8), path: "s.yaml", folder: "/folder"))
        #expect(again.web == scenario.web)
    }

    @Test("a description counts what the trace was made of")
    func description() throws {
        let statistics = try statistics(profile(), web(), clients: 6, days: 3, seed: 5)
        let description = try #require(TraceDescription(statistics, reports: []))
        #expect(description.clients == 6)
        #expect(description.requests == statistics.summary.recordCount)
        let think = try #require(description.fits.first { $0.quantity == "think time" })
        #expect(think.family == "lognormal")
        let mu = try #require(think.parameters.first { $0.name == "mu" })
        #expect((2.6...3.4).contains(mu.value))
        let encoded = try JSONEncoder().encode(description)
        #expect(
            try JSONDecoder().decode(TraceDescription.self, from: encoded).requests == description.requests)
        #expect(TraceDescription(TraceStatistics(DescriptionOptions()), reports: []) == nil)
    }

    @Test(
        "settings of browsing that cannot be used are refused at their place",
        arguments: [
            ("hourWeights: [1, 2]", "hourWeights"), ("hourWeights: 3", "hourWeights"),
            ("weekdayWeights: [1, 1, 1, 1, 1, 1, x]", "weekdayWeights"),
            ("thinkTime: { weibull: { shape: 0.5 } }", "scale"),
            ("thinkTime: { cauchy: { scale: 1s } }", "thinkTime"), ("visitsPerDay: []", "visitsPerDay"),
            ("sessionsPerDay: 0.5", "sessionsPerDay"), ("favoriteShare: 0.5", "favouriteShare"),
        ])
    func refused(setting: String, named: String) throws {
        let text = """
            blocklist: { file: list.txt }
            duration: 1h
            devices: [{ name: a, count: 1, browsing: { \(setting) } }]
            """
        let file = try ScenarioFile(text: Data(text.utf8), path: "s.yaml", folder: "/folder")
        let error = #expect(throws: ScenarioError.self) { try ScenarioResolver.resolve(file) }
        #expect("\(error.map(String.init(describing:)) ?? "")".contains(named))
    }

    @Test(
        "curves and shares of the web that cannot be used are refused",
        arguments: [
            "requestsPerPage: { p50: 3 }", "requestsPerPage: { p50: 3, p90: 2 }",
            "requestsPerPage: { p50: 3, p90: 5, p200: 9 }", "requestsPerPage: { p50: 3, p90: 5, top: 9 }",
            "uniquePageShare: 2", "minimumPathLength: 0", "pathDepthWeights: [0, 0]",
        ])
    func refusedWeb(setting: String) throws {
        let text = """
            blocklist: { file: list.txt }
            duration: 1h
            web: { \(setting) }
            devices: [{ name: a, count: 1 }]
            """
        let file = try ScenarioFile(text: Data(text.utf8), path: "s.yaml", folder: "/folder")
        #expect(throws: ScenarioError.self) { try ScenarioResolver.resolve(file) }
    }
}
