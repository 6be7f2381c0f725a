import EventSimulation
import Experiment
import FleetModel
import RandomStreams
import Scenarios
import Testing
import Workload

@Suite struct UsageScenarioTests {
    @Test func theUsageOfDevicesIsRead() throws {
        let scenario = try resolve(
            minimal + """
                  - name: more
                    count: 5
                    rollOut: 14d
                    startSpread: { exponential: { mean: 10min } }
                    coverage: 80%
                    unknownShare: 5%
                    background: { perHour: 6 }
                    browsing: { visitPersistence: 60% }
                crowds:
                  - { at: 12min, share: 30%, url: "https://news.example/now", within: 2min }
                  - { at: 13min, share: 1, url: "https://news.example/now", within: { exponential: { mean: 30s } }, group: more }

                """)
        let usage = scenario.devices[1].usage
        #expect(usage.rollOut == .hours(14 * 24))
        #expect(usage.startSpread == .exponential(mean: 600))
        #expect(usage.coverage == 0.8 && usage.unknownShare == 0.05)
        #expect(usage.background == BackgroundRequests(perHour: 6, listedShare: 0))
        guard case .profile(let profile) = scenario.devices[1].browsing else {
            Issue.record("the group browses")
            return
        }
        #expect(profile.visitPersistence == 0.6)
        #expect(scenario.crowds.map(\.delay) == [.uniform(lower: 0, upper: 120), .exponential(mean: 30)])
        #expect(scenario.crowds.map(\.group) == [nil, "more"])
        let plain = scenario.devices[0].usage
        #expect(plain.rollOut == .zero && plain.coverage == 1)
        #expect(plain.startSpread == nil && plain.background == nil)
    }

    @Test(
        "what cannot be is refused with its place",
        arguments: [
            ("crowds: [{ at: 2h, share: 1, url: 'https://a.example/', within: 1s }]", "crowds[0].at"),
            ("crowds: [{ at: 1s, share: 1, url: 'not a url', within: 1s }]", "crowds[0].url"),
            ("crowds: [{ at: 1s, share: 2, url: 'https://a.example/', within: 1s }]", "crowds[0].share"),
            ("crowds: [{ at: 1s, share: 1, url: 'https://a.example/' }]", "crowds[0].within"),
            (
                "crowds: [{ at: 1s, share: 1, url: 'https://a.example/', within: 1s, group: x }]",
                "crowds[0].group"
            ),
            ("  - { name: b, count: 1, coverage: 120% }", "devices[b].coverage"),
            ("  - { name: b, count: 1, background: { listedShare: 0 } }", "devices[b].background.perHour"),
            (
                "  - { name: b, count: 1, background: { perHour: 1 }, browsing: { trace: t.csv } }",
                "devices[b].background"
            ),
        ])
    func refused(line: String, place: String) throws {
        let sentence = try #require(complaint(minimal + line + "\n"))
        #expect(sentence.contains(place))
    }
}
