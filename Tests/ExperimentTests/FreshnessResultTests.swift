import EventSimulation
import Experiment
import FleetModel
import Foundation
import RandomStreams
import Testing

/// Settings of updates, their closed forms, and what a result says about them.
@Suite struct FreshnessResultTests {
    @Test(
        "the share of apps that have started is the mean over fetch times",
        arguments: [
            nil, Distribution.constant(1_000), .exponential(mean: 2_000), .uniform(lower: 300, upper: 4_000),
        ] as [Distribution?])
    func startedIsAMean(restart: Distribution?) throws {
        let forecast = FreshnessForecast(
            fetchInterval: 3_600, refetchInterval: 1_800, reloadDelay: 600, appRestart: restart,
            changesConfiguration: true)
        var stream = RandomStream(seed: 5, replication: 0, entity: 0, purpose: StreamPurpose("test"))
        let samples = 100_000
        let times = (0..<samples).map { _ in
            stream.uniform() * 3_600 + (restart?.sample(using: &stream) ?? 0)
        }
        for time in stride(from: 0.0, through: 9_000, by: 450) {
            let found = Double(times.count { $0 <= time }) / Double(samples)
            let expected = try #require(forecast.started(time))
            // Kolmogorov's bound at one in a thousand.
            #expect(abs(found - expected) < 1.95 / Double(samples).squareRoot(), "after \(time) s")
            let configured = min(1, max(0, (time - 600) / 1_800))
            #expect(abs(forecast.configured(time) - configured) < 1e-12)
            #expect(abs(try #require(forecast.blocks(time)) - expected * configured) < 1e-12)
            #expect(
                abs(try #require(forecast.allows(time)) - (expected + configured - expected * configured))
                    < 1e-12)
        }
        let other = FreshnessForecast(
            fetchInterval: 3_600, refetchInterval: 1, reloadDelay: 0, appRestart: .gamma(shape: 2, scale: 3),
            changesConfiguration: false)
        #expect(other.started(5) == nil && other.blocks(5) == nil && other.configured(0) == 1)
    }

    /// Samples of fetch, configuration and start, each device on its own.
    @Test func exposureIsTheMeanTimeUntilADeviceFollows() throws {
        let forecast = FreshnessForecast(
            fetchInterval: 3_600, refetchInterval: 1_800, reloadDelay: 600,
            appRestart: .exponential(mean: 2_000),
            changesConfiguration: true)
        var stream = RandomStream(seed: 6, replication: 0, entity: 0, purpose: StreamPurpose("test"))
        let samples = 200_000
        var (new, removed) = (0.0, 0.0)
        for _ in 0..<samples {
            let started =
                stream.uniform() * 3_600 + Distribution.exponential(mean: 2_000).sample(using: &stream)
            let configured = 600 + stream.uniform() * 1_800
            new += min(5_000, max(started, configured)) / Double(samples)
            removed += min(5_000, min(started, configured)) / Double(samples)
        }
        let exposure = try #require(forecast.exposure(0...5_000))
        #expect(
            abs(exposure.new - new) < 15 && abs(exposure.removed - removed) < 15,
            "\(exposure) \(new) \(removed)")
        let (early, late) = (
            try #require(forecast.exposure(0...900)), try #require(forecast.exposure(900...5_000))
        )
        #expect(abs(early.new + late.new - exposure.new) < 0.1)
    }

    @Test func updatesAreSettings() throws {
        let updates = try resolve(
            minimal + """
                updates: { every: 6h, add: 2, remove: 1, appRestart: { exponential: { mean: 8h } }, pirReload: 10min,
                  changesConfiguration: false, versionCount: 3 }
                behaviour: { blockingShare: 10%, configurationRefetch: 1h }\n
                """)
        #expect(updates.prefilter.updates.interval == .hours(6))
        #expect(updates.prefilter.updates.turnover == .entries(added: 2, removed: 1))
        #expect(updates.prefilter.updates.appRestart == .exponential(mean: 8 * 3_600))
        #expect(updates.prefilter.updates.reloadDelay == .minutes(10))
        #expect(!updates.prefilter.updates.changesConfiguration)
        #expect(updates.prefilter.updates.versionCount == 3)
        #expect(updates.behaviour.blockingShare == 0.1)
        #expect(try resolve(minimal).behaviour.blockingShare == 0.035)
        #expect(try resolve(minimal + "updates: { every: 6h }\n").prefilter.updates.changesConfiguration)
        #expect(
            complaint(minimal + "updates: { every: never, add: 3 }\n")?
                .contains("means nothing with updates.every: never") == true)
        #expect(
            complaint(minimal + "updates: { churn: threat, add: 3 }\n")?.contains("in another way") == true)
    }

    @Test func editionsComeAsOftenAsDevicesFetch() throws {
        let updates = try resolve(minimal + "filter: { prefilterFetchInterval: 6h }\n").prefilter.updates
        #expect(updates.interval == .hours(6) && updates.first == .zero && updates.turnover == .churn(.none))
        let threat = try resolve(minimal + "updates: { every: 6h, first: 1h, churn: threat }\n").prefilter
            .updates
        #expect(threat.first == .hours(1) && threat.turnover == .churn(.threat))
        #expect(try resolve(minimal + "updates: { every: never }\n").prefilter.updates.interval == nil)
    }

    /// A quarter of a day's churn comes with each of four editions a day.
    @Test func churnIsOfADay() throws {
        let small = try SmallScenario.calibrated()
        let prefilter = try small.prepare("updates={every: 6h, churn: threat}", "duration=30s")
            .configuration.urlFilter.prefilter
        #expect(abs(prefilter.newEntryShare - 0.0375) < 1e-12)
        #expect(prefilter.removedEntryShare == prefilter.newEntryShare)
        #expect(prefilter.firstUpdate == .zero)
    }

    @Test func anUpdateCannotChangeMoreThanTheListHas() throws {
        let small = try SmallScenario.calibrated()
        #expect(throws: PreparationError.updatesAreNotReal) {
            try small.prepare("updates={every: 5s, add: 1}", "fidelity=real")
        }
        do {
            _ = try small.prepare("updates={every: 1s, add: 1000000}", "duration=30s")
            Issue.record("a million new entries were accepted")
        } catch let error as PreparationError {
            guard case .updatesTooLarge(changes: 1_000_000, updates: 30, entries: _) = error else {
                Issue.record("\(error)")
                return
            }
        }
    }

    @Test func aResultHasEveryStageWithItsClosedForm() async throws {
        let small = try SmallScenario.calibrated()
        let preparation = try small.prepare(
            "updates={every: 10s, first: 10s, add: 1, pirReload: 5s}", "duration=30s")
        let result = try await Runner.run(preparation, threads: 1).result
        let freshness = try #require(result.points.first?.freshness)
        #expect(freshness.published == 10 && freshness.devices == 6)
        #expect(freshness.added.map(\.stage) == ["prefilter", "app", "reload", "configuration", "blocks"])
        #expect(freshness.removed.map(\.stage) == ["configuration", "cache", "allows"])
        for curve in freshness.added + freshness.removed {
            #expect(curve.points.count == 49)
            for point in curve.points {
                #expect((0...1).contains(point.share))
                guard let interval = point.interval else { continue }
                #expect(interval.low >= 0 && interval.low < interval.high && interval.high <= 1)
            }
            #expect(zip(curve.points, curve.points.dropFirst()).allSatisfy { $0.seconds < $1.seconds })
        }
        // Five seconds after the update the servers load it; a day between two fetches is much longer than the run.
        let reload = freshness.added[2].points
        #expect(reload.filter { $0.seconds < 5 }.allSatisfy { $0.share == 0 && $0.predicted == 0 })
        let names = Set(result.points[0].metrics.map { "\($0.name) \($0.statistic)" })
        #expect(
            names.isSuperset(of: ["freshness.block p50", "freshness.allow p99", "freshness.exposed perDay"]))
        #expect(freshness.exposed?.predicted != nil && freshness.overblocked?.predicted != nil)
        #expect(result.points[0].warnings.contains { $0.code == "freshness.censored" })
        #expect(try RunResult.decode(try result.json()) == result)
    }
}
