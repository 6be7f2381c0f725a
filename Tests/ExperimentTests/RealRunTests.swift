import Experiment
import FleetModel
import Foundation
import TestSupport
import Testing

/// Every lookup really encrypted, answered and decrypted.
@Suite struct RealRunTests {
    @Test func realLookupsAgreeWithTheList() async throws {
        let small = try SmallScenario(
            """
            fidelity: real
            start: cold
            replications: { min: 1, max: 1 }
            devices: [{ name: pupils, count: 2, browsing: { trace: short.csv } }]
            """)
        var trace = "epoch_seconds,client,url\n"
        for (index, host) in ["bad1", "good1", "bad2", "bad3", "good2", "bad1", "bad4", "bad5"].enumerated() {
            trace += "\(1000 + 20 + 3 * index),c\(index % 2),https://\(host).example/\n"
        }
        // The first record starts the clock; the devices need the time until the next to set themselves up.
        try small.folder.write(
            trace.replacingOccurrences(of: "url\n", with: "url\n1000,c0,https://good9.example/\n"),
            to: "short.csv")
        let preparation = try small.prepare()
        let result = try await Runner.run(preparation, threads: 1).result
        let counts = try #require(result.points.first?.counts)
        #expect(counts.realLookupsChecked >= 6)
        #expect(counts.realLookupDisagreements == 0)
        #expect(counts.verdicts["blockedByServer"] == 6)
        #expect(counts.leaked == 0 && counts.falselyBlocked == 0)
        #expect(!result.hasBug)
        #expect(result.profile == nil)
    }
}
