import EventSimulation
import Experiment
import FleetModel
import Foundation
import Questions
import RandomStreams
import RunMetrics
import Scenarios
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

    /// Entries that become known at any time, with the waits of their device, each by chance.
    @Test func theDelayUntilABlockIsThatOfSampledEntries() throws {
        let forecast = FreshnessForecast(
            fetchInterval: 7_200, refetchInterval: 3_600, reloadDelay: 300,
            appRestart: .exponential(mean: 5_000),
            changesConfiguration: true)
        let delay = try #require(BlockingDelay(forecast, published: 10_000))
        var stream = RandomStream(seed: 8, replication: 0, entity: 0, purpose: StreamPurpose("test"))
        let samples = 200_000
        let waits = (0..<samples).map { _ in
            let published = stream.uniform() * 10_000
            let started =
                stream.uniform() * 7_200 + Distribution.exponential(mean: 5_000).sample(using: &stream)
            return published + max(started, 300 + stream.uniform() * 3_600)
        }.sorted()
        let mean = waits.reduce(0, +) / Double(samples)
        #expect(abs(delay.mean - mean) < 5 * 6_000 / Double(samples).squareRoot(), "\(delay.mean) \(mean)")
        let p95 = waits[samples * 95 / 100]
        #expect(abs(delay.p95 - p95) < 0.01 * p95, "\(delay.p95) \(p95)")
    }

    /// Apps that keep what they have: with entries of yesterday's edition, too, from the first hour on.
    @Test func theClosedFormOfLateAppsAgreesWithTheSimulation() async throws {
        let small = try SmallScenario(
            """
            duration: 1d
            history: 0s
            web: { listed: { visitShare: 5%, objectShare: 0% } }
            devices: [{ name: homes, count: 50, browsing: { profile: adult } }]
            updates: { every: 12h, add: 1 }
            filter: { prefilterFetchInterval: 6h }
            services: { gateway: { cores: 1 }, issuer: { cores: 1 }, pir: { cores: 1 } }
            replications: { min: 8, max: 8 }
            """)
        let result = try await Runner.run(try small.prepare(), threads: 2).result
        let freshness = try #require(result.points.first?.freshness)
        let exposed = try #require(freshness.exposed)
        let (predicted, interval) = (try #require(exposed.predicted), try #require(exposed.interval))
        #expect((interval.low...interval.high).contains(predicted), "\(predicted) \(interval)")
        let own = try #require(freshness.ownDelay)
        #expect(own.restarted == 8 * 3_600 && own.fetched == 6 * 3_600 && own.published == 12 * 3_600)
        #expect(freshness.delays?.contains(own) == true)
    }

    /// A visit at a random time of a day long after the start, an age of the entry, a phase of each of the device's two
    /// periods: editions as a publisher and a device see them.
    @Test(arguments: [(600.0, 3_600.0), (20_000, 3_600), (600, 86_400), (5_000, 1_000)])
    func exposureOfThreatsIsTheShareOfVisitsBeforeTheBlock(life: Double, every: Double) throws {
        let (fetch, refetch) = (7_200.0, 3_000.0)
        var stream = RandomStream(seed: 9, replication: 0, entity: 0, purpose: StreamPurpose("test"))
        let samples = 100_000
        var exposed = 0
        for _ in 0..<samples {
            let visit = 1e7 + stream.uniform() * every
            let published = ((visit - stream.uniform() * life) / every).rounded(.up) * every
            let (fetchPhase, refetchPhase) = (stream.uniform() * fetch, stream.uniform() * refetch)
            let fetched = ((visit - fetchPhase) / fetch).rounded(.down) * fetch + fetchPhase
            let configured = ((visit - refetchPhase) / refetch).rounded(.down) * refetch + refetchPhase
            if min(fetched, configured) < published { exposed += 1 }
        }
        let plan = EditionPlan(
            republishInterval: every, fetchInterval: fetch, configurationRefetch: refetch, activeShare: 1,
            dailyNewShare: 0, shortLivedShare: 1, shortLife: life, givenDownloads: nil)
        let share = Double(exposed) / Double(samples)
        let spread = 5 * (share * (1 - share) / Double(samples)).squareRoot() + 1e-4
        #expect(abs(plan.exposedShare - share) < spread, "\(plan.exposedShare) \(share)")
        // Others are exposed as before: the mean delay of 15 % a day.
        var both = plan
        (both.dailyNewShare, both.shortLivedShare) = (0.15, 0.6)
        let steady = 0.15 * both.meanDelay / 86_400
        #expect(abs(both.exposedShare - (0.6 * plan.exposedShare + 0.4 * steady)) < 1e-12)
    }

    /// Three days of fifty homes, nearly all of whose visits to listed pages come too early.
    @Test func theClosedFormOfThreatsAgreesWithTheSimulation() async throws {
        let small = try SmallScenario(
            """
            duration: 3d
            warmUp: 1d
            history: 0s
            web: { listed: { visitShare: 5%, objectShare: 0% } }
            devices: [{ name: homes, count: 50, browsing: { profile: adult } }]
            updates: { every: 12h, add: 1, shortLived: 60%, shortLife: 8h }
            filter: { prefilterFetchInterval: 6h }
            services: { gateway: { cores: 1 }, issuer: { cores: 1 }, pir: { cores: 1 } }
            replications: { min: 5, max: 5 }
            """)
        let result = try await Runner.run(try small.prepare(), threads: 2).result
        let exposed = try #require(result.points.first?.freshness?.exposed)
        let (predicted, interval) = (try #require(exposed.predicted), try #require(exposed.interval))
        #expect(interval.high - interval.low < predicted, "too wide to show anything: \(interval)")
        #expect((interval.low...interval.high).contains(predicted), "\(predicted) \(interval)")
        // What an even visit to all entries would leave is far less.
        #expect(interval.low > 0.4 * predicted)
        let leaked = try #require(result.points[0][.leakedShare])
        #expect(leaked.value > 0.4)
    }

    @Test func threatsHaveTheirOwnSettings() throws {
        let threat = try resolve(minimal + "updates: { churn: threat }\n").prefilter.updates.threats
        #expect(threat == ThreatEntries(shortLivedShare: 0.6, shortLife: .minutes(10)))
        #expect(try resolve(minimal + "updates: { churn: category }\n").prefilter.updates.threats == nil)
        let own = try resolve(minimal + "updates: { add: 3, shortLived: 20%, shortLife: 21h }\n").prefilter
        #expect(own.updates.threats == ThreatEntries(shortLivedShare: 0.2, shortLife: .hours(21)))
        #expect(
            complaint(minimal + "updates: { churn: category, shortLife: 1h }\n")?
                .contains("means nothing without updates.shortLived") == true)
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
        let usual = try resolve(minimal).prefilter.updates
        #expect(usual.appRestart == .exponential(mean: 8 * 3_600))
        #expect(try resolve(minimal + "updates: { appRestart: 0s }\n").prefilter.updates.appRestart == nil)
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

    /// Nobody fetches a prefilter within the run, which watches the devices for 20 s after the edition.
    @Test func whatTheRunDidNotReachIsNoPass() async throws {
        let small = try SmallScenario.calibrated()
        let preparation = try small.prepare(
            "updates={every: 10s, first: 10s, add: 1, pirReload: 5s}", "duration=30s",
            "replications={min: 8, max: 8, precision: 1%}",
            "objectives=[freshness.block p99 < 1h, freshness.block p99 < 1s, freshness.block p99 > 1s]")
        let result = try await Runner.run(preparation, threads: 2).result
        let point = try #require(result.points.first)
        let metric = try #require(Metric("freshness.block", "p99"))
        let watched = try #require(point.freshness?.added.last?.points.last?.seconds)
        #expect(point[metric]?.value == watched && point[metric]?.cut == 8)
        #expect(point.objectives.map(\.cut) == [8, 8, 8])
        #expect(point.objectives.map(\.verdict) == [.cannotTell, .fail, .pass])
        #expect(point.objectives[0].moreReplications == nil)
        #expect(point[.leaked]?.cut == nil)
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
        #expect(result.points[0].warnings.contains { $0.code == .freshnessCensored })
        #expect(try RunResult.decode(try result.json()) == result)
    }
}
