import Experiment
import Foundation
import RunMetrics
import TestSupport
import Testing

/// What a run has said so far, read beside it.
@Suite struct RunGlanceTests {
    @Test func itSeesEveryReplicationWhileTheRunHasTheDatabase() async throws {
        let small = try SmallScenario.calibrated("replications: { min: 3, max: 3 }")
        let sweep = try small.run(in: "out")
        let found = try await sweep.run(stop: StopSignal(), note: { _ in }, progress: { _ in })
        let point = try #require(found).points[0]
        let names = [Metric.lookupsSent.name, Metric.checked.name]
        let glance = try #require(
            try RunGlance(directory: small.folder.path + "/out", metrics: names))
        let seen = try #require(glance.points.first)
        #expect(glance.points.count == 1 && seen.replications == 3)
        for metric in [Metric.lookupsSent, .checked] {
            let result = try #require(point[metric])
            let one = try #require(
                seen.metrics.first { $0.name == metric.name && $0.statistic == metric.statistic })
            #expect(one.values == result.perReplication.compactMap(\.self))
            #expect(abs(one.mean - one.values.reduce(0, +) / 3) < 1e-9)
            if let low = one.low, let high = one.high { #expect(low < one.mean && one.mean < high) }
        }
        // Curves rise, and only as far as enough answers are above.
        #expect(seen.latency.map(\.y) == seen.latency.map(\.y).sorted())
        #expect(seen.latency.allSatisfy { $0.x <= 0.99 })
        let lookups = seen.series.reduce(0) { $0 + $1.lookups }
        #expect(lookups > 0 && seen.series.map(\.start) == seen.series.map(\.start).sorted())
        withExtendedLifetime(sweep) {}
    }

    @Test func whereNothingBeganThereIsNothingToSee() throws {
        let folder = try TemporaryFolder()
        #expect(try RunGlance(directory: folder.path, metrics: []) == nil)
        try FileManager.default.createDirectory(
            atPath: folder.path + "/out", withIntermediateDirectories: true)
        try folder.write("no database", to: "out/results.sqlite")
        #expect(throws: ResultFileError.self) {
            try RunGlance(directory: folder.path + "/out", metrics: [])
        }
    }
}
