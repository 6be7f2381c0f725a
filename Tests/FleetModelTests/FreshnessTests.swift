import EventSimulation
import FleetModel
import Foundation
import RandomStreams
import Testing
import URLFilter

/// How devices follow an update of the list, stage by stage.
struct FreshnessTests {
    /// Devices in the middle of their lives and an update after an hour.
    private func fleet() throws -> FreshnessSeries {
        var world = World()
        world.deviceCount = 4_000
        world.duration = .hours(31)
        world.loads = [.init(at: .seconds(1), url: "https://harmless.example/")]
        world.device.prefilterFetchInterval = 24 * World.hour
        world.generation.tokens.life = 1_000_000 * World.hour
        world.behaviour.configurationRefetch = .hours(6)
        world.prefilter.republishInterval = .hours(1)
        world.prefilter.appRestart = .exponential(mean: 4 * 3_600)
        world.prefilter.reloadDelay = .minutes(30)
        world.prefilter.changesConfiguration = true
        return try #require(try world.run().urlFilter.freshness)
    }

    /// Phases that are even over their periods, integrated numerically; the largest distance that Kolmogorov's test
    /// lets pass once in a thousand.
    @Test func theStagesOfALargeFleetFollowTheirPeriods() throws {
        let series = try fleet()
        #expect(
            series.edition == PrefilterConfiguration.startingEdition + 1
                && series.published == SimulatedTime(nanoseconds: 3_600_000_000_000))
        #expect(series.points.count == 49 && series.deviceCount == 4_000)
        let bound = 1.95 / Double(series.deviceCount).squareRoot()
        for (index, point) in series.points.enumerated() {
            let hours = Double(index) * series.step.seconds / 3_600
            let fetched = min(1, hours / 24)
            let slices = 2_000
            let started =
                (0..<slices).reduce(0.0) { sum, slice in
                    let wait = hours - (Double(slice) + 0.5) / Double(slices) * 24
                    return sum + (wait > 0 ? 1 - exp(-wait / 4) : 0)
                } / Double(slices)
            let configured = hours < 0.5 ? 0 : min(1, (hours - 0.5) / 6)
            #expect(abs(point.fetched - fetched) < bound, "after \(hours) h")
            #expect(abs(point.started - started) < bound, "after \(hours) h")
            #expect(abs(point.asksUpdate - configured) < bound, "after \(hours) h")
            #expect(abs(point.configured - started * configured) < bound, "after \(hours) h")
            #expect(point.loaded == (hours < 0.5 ? 0 : point.started))
            #expect(abs(point.allows - (1 - (1 - started) * (1 - configured))) < bound, "after \(hours) h")
            // Nobody asked for anything, so no cache stands in the way.
            #expect(point.blocks == point.configured && point.hearsUpdate == point.asksUpdate)
        }
    }

    /// One device that was switched on with the clock fetches prefilters at 0, 32 min, 64 min ... and its
    /// configuration about every hour. The second edition comes after 150 minutes.
    private func oneDevice() -> World {
        var world = World()
        world.start = .cold
        world.duration = .hours(4)
        world.device.prefilterFetchInterval = 32 * 60_000_000_000
        world.behaviour.configurationRefetch = .hours(1)
        world.prefilter.republishInterval = .minutes(150)
        world.prefilter.changesConfiguration = true
        return world
    }

    private func load(_ minute: Double, _ number: Int) -> World.Load {
        .init(at: .minutes(minute), url: "https://listed\(number).example/")
    }

    /// Share at each point against a step at a minute of the run.
    private func expectStep(
        _ series: FreshnessSeries, at minute: Double, _ value: (FreshnessSeries.Point) -> Double,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        for (index, point) in series.points.enumerated() {
            let now = 150 + Double(index) * series.step.seconds / 60
            #expect(value(point) == (now > minute ? 1 : 0), "minute \(now)", sourceLocation: sourceLocation)
        }
    }

    @Test func oneDeviceTakesEachStepAtItsMinute() throws {
        var world = oneDevice()
        world.loads = [load(10, 0)]
        world.prefilter.appRestart = .constant(30 * 60)
        world.prefilter.reloadDelay = .minutes(5)
        let series = try #require(try world.run().urlFilter.freshness)
        expectStep(series, at: 160) { $0.fetched }
        expectStep(series, at: 190) { $0.started }
        expectStep(series, at: 190) { $0.loaded }
        // Refetched after 1, 2 and 3 hours, each a little later than the one before.
        expectStep(series, at: 180.01) { $0.asksUpdate }
        expectStep(series, at: 190) { $0.configured }
        expectStep(series, at: 180.01) { $0.allows }
    }

    @Test func aNewEntryIsBlockedWhenPrefilterAndDatabaseKnowItAndNoCacheDeniesIt() throws {
        var world = oneDevice()
        world.prefilter.newEntryShare = 1
        world.loads = [
            // Not published; published, but not in the prefilter; in the prefilter, but not in the old database.
            load(140, 0), load(155, 0), load(165, 0),
            // The database has it now. The cache says otherwise; it knows nothing of the second entry.
            load(200, 0), load(201, 1),
        ]
        let record = try world.run()
        #expect(record.urls.listed == 4)
        #expect(record.urls.stale == 3 && record.urls.leaked == 3 && record.urls.staleBlocks == 0)
        #expect(record.urls.allowedByServer == 2 && record.urls.blockedByServer == 1)
        #expect(record.urlFilter.lookups.disagreements == 0)
        let series = try #require(record.urlFilter.freshness)
        // One of the two entries that were met is denied by the cache, to the end.
        let last = try #require(series.points.last)
        #expect(last.configured == 1 && last.blocks == 0.5)
        #expect(series.points.allSatisfy { $0.blocks <= 0.5 })
    }

    @Test func aRemovedEntryIsAllowedWhenTheDatabaseForgetsItUnlessACacheRemembers() throws {
        var world = oneDevice()
        world.prefilter.removedEntryShare = 1
        // No further prefilter: only the database tells.
        world.device.prefilterFetchInterval = 1_000_000 * World.hour
        world.loads = [load(100, 0), load(155, 0), load(156, 1), load(200, 2), load(201, 0)]
        let record = try world.run()
        #expect(record.urls.listed == 1)
        // From the cache, from the old database, and from the cache again.
        #expect(record.urls.falselyBlocked == 3 && record.brokenPages == 3)
        #expect(record.urls.staleBlocks == 3 && record.urls.stale == 0)
        #expect(record.urls.allowedByServer == 1 && record.urls.leaked == 0)
        let last = try #require(record.urlFilter.freshness?.points.last)
        // Entries 0 and 1 of the three that were met are still in the cache.
        #expect(
            last.asksUpdate == 1 && abs(last.hearsUpdate - 1.0 / 3) < 1e-12 && last.allows == last.hearsUpdate
        )
        // A prefilter without the entries ends all that.
        world.device.prefilterFetchInterval = 32 * 60_000_000_000
        let fetched = try world.run()
        #expect(fetched.urls.falselyBlocked == 2 && fetched.urlFilter.freshness?.points.last?.allows == 1)
    }

    /// A new configuration every ten minutes, and a device that fetches one an hour.
    @Test(arguments: [1, 2, 4, 100])
    func aConfigurationThatIsNoLongerKeptIsGone(kept: Int) throws {
        var world = oneDevice()
        world.duration = .minutes(120)
        world.prefilter.republishInterval = .minutes(10)
        world.prefilter.keptConfigurations = kept
        world.device.prefilterFetchInterval = 1_000_000 * World.hour
        // In the middle of each ten minutes.
        world.loads = (0..<12).map { load(Double($0) * 10 + 5, $0) }
        let record = try world.run()
        // The configurations of minutes 0 and 60 are kept for so many intervals of ten minutes.
        let gone = 2 * max(0, 6 - kept)
        #expect(record.urlFilter.lookups.failed == (gone > 0 ? [.configurationGone: gone] : [:]))
        #expect(record.urlFilter.lookups.answered == 12 - gone)
        #expect(record.urls.leaked == gone)
    }

    @Test func nothingIsWatchedWhenNothingIsPublished() throws {
        var world = World()
        world.loads = [load(0.5, 0)]
        #expect(try world.run().urlFilter.freshness == nil)
        world.prefilter.republishInterval = .hours(1)
        #expect(try world.run().urlFilter.freshness == nil)
        world.duration = .hours(3)
        world.warmUp = .minutes(90)
        #expect(try world.run().urlFilter.freshness?.edition == PrefilterConfiguration.startingEdition + 2)
    }

    @Test func theTimeToAShareIsReadBetweenTwoPoints() throws {
        let series = try fleet()
        let half = try #require(series.seconds(untilShare: 0.5) { $0.fetched })
        #expect(abs(half - 12 * 3_600) < 24 * 3_600 * 0.04)
        #expect(series.seconds(untilShare: 0) { $0.fetched } == 0)
        #expect(series.seconds(untilShare: 1.1) { $0.fetched } == nil)
        #expect(abs(series.watchedSeconds - 30 * 3_600) < 1)
    }
}
