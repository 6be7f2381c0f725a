import Experiment
import FleetModel
import Foundation
import RunMetrics
import Scenarios
import TestSupport
import Testing

/// What is said of other hash seeds, against prefilters that are really built with them.
struct TraceHitsTests {
    /// The quickstart's trace, once, with costs that nobody measured.
    private static func hits(seed: Int, replications: Int = 1, _ settings: [String] = []) async throws
        -> MetricResult
    {
        let folder = try TemporaryFolder()
        let path = "\(folder.path)/profile.json"
        let data = try JSONEncoder().encode(
            SmallScenario.profile(entries: 2_000, parameters: "n_4096_logq_27_28_28_logt_5"))
        try data.write(to: URL(fileURLWithPath: path))
        var file = try ScenarioFile(path: Shipped.path("quickstart"))
        for setting in [
            "fidelity=calibrated", "filter.murmurSeed=\(seed)", "replications.min=\(replications)",
            "replications.max=\(replications)",
        ] + settings {
            file = try file.setting(setting)
        }
        var options = Preparation.Options()
        options.profile = path
        let preparation = try Preparation.prepare(ScenarioResolver.resolve(file), options: options) { _ in }
        let result = try await Runner.run(preparation, threads: 1).result
        return try #require(result.points.first?[.hits])
    }

    /// 95 % of 40 seeds, give or take three standard deviations of 3.4 percentage points.
    @Test func otherSeedsLieWhereItIsSaid() async throws {
        let said = try #require(try await Self.hits(seed: 1).otherSeeds)
        let values = try await withThrowingTaskGroup(of: Double.self) { group in
            for seed in 2...41 { group.addTask { try await Self.hits(seed: seed).value } }
            return try await group.reduce(into: [Double]()) { $0.append($1) }
        }
        let inside = values.count { (said.low...said.high).contains($0) }
        #expect((34...40).contains(inside), "\(inside) of 40 in \(said.low) to \(said.high)")
    }

    @Test func aTraceWithItsSeedIsNoEstimate() async throws {
        let fixed = try await Self.hits(seed: 7, replications: 3)
        #expect(fixed.method == .exact && fixed.interval == nil && fixed.otherSeeds != nil)
        // With seeds of their own replications show how seeds differ; with clients of their own, how clients do.
        for part in ["hashSeed", "clients"] {
            let varied = try await Self.hits(seed: 7, replications: 3, ["replicate=\(part)"])
            #expect(varied.method != .exact && varied.interval != nil && varied.otherSeeds == nil, "\(part)")
        }
    }
}
