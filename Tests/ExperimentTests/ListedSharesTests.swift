import Experiment
import Questions
import Scenarios
import TestSupport
import Testing
import Workload

/// How much of a trace a list names, counted, and what a scenario makes of it.
@Suite struct ListedSharesTests {
    /// Two clients, five page views of which one is listed, nine requests of which three are, on five hosts of which
    /// two are, and seven URLs of which two are.
    private static let trace = """
        time,client,url
        1700000000.0,a,https://good.example/
        1700000000.1,a,https://ads.example/1.js
        1700000000.2,a,https://cdn.example/1.css
        1700000100.0,a,https://bad.example/page
        1700000200.0,a,https://good.example/other
        1700000200.1,a,https://ads.example/1.js
        1700000000.0,b,https://good.example/
        1700000300.0,b,https://fine.example/
        1700000300.1,b,https://cdn.example/2.css

        """

    @Test func sharesAreCounted() throws {
        let folder = try TemporaryFolder()
        let sorted = Self.trace.split(separator: "\n").dropFirst().sorted()
        let path = try folder.write(
            "time,client,url\n" + sorted.joined(separator: "\n") + "\n", to: "trace.csv")
        var describer = TraceDescriber(
            DescriptionOptions(), list: BlockListIndex(BlockList(["bad.example", "ads.example"])))
        try describer.read([path], options: TraceOptions()) { _ in }
        let shares = try #require(describer.listedShares)
        #expect(shares.entries == 2)
        #expect(shares.requests == 3.0 / 9 && shares.urls == 2.0 / 7 && shares.hosts == 2.0 / 5)
        #expect(shares.pages == 1.0 / 5 && shares.objects == 2.0 / 4)
        #expect(shares.traffic == ListedTraffic(visitShare: 0.2, objectShare: 0.5))
        var other = TraceDescriber(DescriptionOptions())
        try other.read([path], options: TraceOptions()) { _ in }
        #expect(other.listedShares == nil)
    }

    @Test func aScenarioNamesOrSetsOrCountsThem() throws {
        #expect(try resolve(minimal).web.listed == .schoolDistrict)
        for preset in ListedTraffic.presets {
            let scenario = try resolve(minimal + "web: { listed: \(preset.name) }\n")
            #expect(scenario.web.listed == preset.traffic && scenario.listedTrace == nil)
            let share = scenario.settings.first { $0.path == "web.listed.visitShare" }
            #expect(share?.defaultSource == preset.source)
        }
        let set = try resolve(minimal + "web: { listed: { visitShare: 1%, objectShare: 0 } }\n")
        #expect(set.web.listed == ListedTraffic(visitShare: 0.01, objectShare: 0))
        let counted = try resolve(minimal + "web: { listed: { trace: day.csv, format: csv } }\n")
        #expect(counted.listedTrace?.file == "/folder/day.csv")
        #expect(
            complaint(minimal + "web: { listed: school }\n")?.contains(
                "web.listed: 'school' is not known; it must be one of none, school-district") == true)
        let half = try resolve(minimal + "web: { listed: { visitShare: 1% } }\n")
        #expect(half.web.listed.objectShare == ListedTraffic.schoolDistrict.objectShare)
    }

    /// Every fifth URL of the trace is listed, and every request is far enough from the next to be a page.
    @Test func aRunBrowsesAsListedAsTheTraceIs() throws {
        let small = try SmallScenario(
            """
            fidelity: calibrated
            duration: 1h
            devices: [{ name: pupils, count: 20 }]
            web: { listed: { trace: trace.csv } }
            """)
        let preparation = try small.prepare()
        #expect(preparation.paths.contains { $0.hasSuffix("trace.csv") })
        #expect(abs(preparation.scenario.web.listed.visitShare - 0.2) < 1e-12)
    }
}
