import Experiment
import FleetModel
import Foundation
import Scenarios
import TestSupport
import Testing

/// Lookups that are answered together, from the key to the queue.
@Suite struct GroupingScenarioTests {
    @Test func lookupsAreGroupedAsOurServerDoes() throws {
        #expect(try resolve(minimal).pir.groupLimit == 4)
        #expect(try resolve(minimal).pir.followerShare == nil)
        #expect(try resolve(minimal + "fidelity: real\n").pir.groupLimit == 1)
        let set = try resolve(
            minimal + "services: { pir: { grouping: { limit: 2, followerShare: 40% } } }\n")
        #expect(set.pir.groupLimit == 2 && set.pir.followerShare == 0.4)
        #expect(set.pir.groupQuestionLimit == 32)
        #expect(try resolve(minimal).pir.groupQuestionLimit == 32)
        #expect(try resolve(minimal + "fidelity: real\n").pir.groupQuestionLimit == nil)
        #expect(
            complaint(minimal + "services: { pir: { grouping: { limit: 0 } } }\n")?
                .contains("services.pir.grouping.limit") == true)
        #expect(
            complaint(minimal + "services: { pir: { grouping: { followerShare: 2 } } }\n")?
                .contains("services.pir.grouping.followerShare") == true)
    }

    /// The key comes first, then the profile; a profile without a share saves nothing.
    @Test(
        "what a follower costs",
        arguments: [
            ("", nil, LookupGrouping(limit: 4, followerShare: 1, questionLimit: 32)),
            ("", 0.3, LookupGrouping(limit: 4, followerShare: 0.3, questionLimit: 32)),
            (
                "limit: 3, questions: 9, followerShare: 0.5", 0.3,
                LookupGrouping(limit: 3, followerShare: 0.5, questionLimit: 9)
            ),
            ("limit: 1", 0.3, nil),
        ] as [(String, Double?, LookupGrouping?)])
    func followerShare(keys: String, measured: Double?, expected: LookupGrouping?) throws {
        let small = try SmallScenario(
            """
            fidelity: calibrated
            devices: [{ name: all, count: 3, browsing: { trace: trace.csv } }]
            services: { pir: { shards: 1, grouping: { \(keys) } } }
            """)
        var profile = SmallScenario.profile(
            entries: SmallScenario.entries.count, parameters: small.parameters)
        profile.followerShare = measured
        try small.folder.write(
            String(decoding: try JSONEncoder().encode(profile), as: UTF8.self), to: "profile.json")
        var options = Preparation.Options()
        options.profile = small.folder.path + "/profile.json"
        let scenario = try ScenarioResolver.resolve(
            try ScenarioFile(path: small.folder.path + "/scenario.yaml"))
        let preparation = try Preparation.prepare(scenario, options: options) { _ in }
        #expect(preparation.configuration.services.pir.grouping == expected)
    }

    @Test func aGroupingServerHasNoClosedForm() async throws {
        func forms(_ limit: Int) async throws -> [String] {
            let small = try SmallScenario.calibrated()
            var file = try ScenarioFile(path: small.folder.path + "/scenario.yaml")
            file = try file.setting("services.pir.grouping.limit=\(limit)")
            var options = Preparation.Options()
            options.profile = small.folder.path + "/profile.json"
            let preparation = try Preparation.prepare(ScenarioResolver.resolve(file), options: options) { _ in
            }
            let result = try await Runner.run(preparation, threads: 1).result
            return result.points[0].analytic.map(\.name)
        }
        let (alone, together) = (try await forms(1), try await forms(4))
        #expect(alone.contains { $0.contains("pirWaiting") })
        #expect(!together.contains { $0.contains("pirWaiting") })
        #expect(together.contains { $0.hasPrefix("gateway.") })
    }

    @Test func aShareThatCannotBeIsRefused() throws {
        let small = try SmallScenario.calibrated()
        var profile = SmallScenario.profile(
            entries: SmallScenario.entries.count, parameters: small.parameters)
        profile.followerShare = 1.5
        try small.folder.write(
            String(decoding: try JSONEncoder().encode(profile), as: UTF8.self), to: "profile.json")
        #expect(throws: ProfileError.self) { try small.run(in: "run") }
    }
}
