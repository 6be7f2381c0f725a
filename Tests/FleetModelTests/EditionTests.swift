import EventSimulation
import FleetModel
import Foundation
import RandomStreams
import Testing
import URLFilter

/// Entries that are new in an edition of the prefilter, and who knows them when.
struct EditionTests {
    /// Fifty clients load ten listed hosts each, in the second half of every hour. A new edition comes every hour
    /// and brings a fifth of the list.
    private func world() -> World {
        var world = World()
        world.duration = .hours(4)
        world.prefilter.republishInterval = .hours(1)
        world.prefilter.newEntryShare = 0.2
        for hour in 0..<4 {
            for client in 0..<50 {
                for number in 0..<10 {
                    world.loads.append(
                        .init(
                            at: .seconds(Double(hour * 3_600 + 1_800 + number * 150 + client)),
                            client: client,
                            url: "https://listed\(client * 10 + number).example/"))
                }
            }
        }
        return world
    }

    /// Hits of an entry before its publication are none: 40, 60, 80 and 100 % of the entries are listed.
    private func expectListed(_ record: ReplicationRecord) {
        #expect(abs(record.urls.listed - 1_400) < 150, "\(record.urls.listed)")
        #expect(record.urls.checked == 2_000)
        #expect(record.urls.leaked == record.urls.stale)
        #expect(record.urls.blockedByServer == record.urls.listed - record.urls.stale)
    }

    @Test func devicesThatFetchOftenBlockWhatIsPublished() throws {
        var world = world()
        world.device.prefilterFetchInterval = 1_200_000_000_000
        let record = try world.run()
        expectListed(record)
        #expect(record.urls.stale == 0)
    }

    /// Every entry came within the last five editions, and the devices fetch once in a hundred years.
    @Test func devicesThatNeverFetchKnowNothingNew() throws {
        let record = try world().run()
        expectListed(record)
        #expect(record.urls.stale == record.urls.listed)
    }

    @Test func anAppThatKeepsRunningKeepsItsPrefilter() throws {
        var world = world()
        world.device.prefilterFetchInterval = 1_200_000_000_000
        world.prefilter.appRestart = .constant(100 * 3_600)
        let kept = try world.run()
        expectListed(kept)
        #expect(kept.urls.stale > 400)
        world.prefilter.appRestart = .constant(60)
        let restarted = try world.run()
        #expect(restarted.urls.stale == 0)
    }

    @Test func withoutNewEntriesEverythingIsListedFromTheStart() throws {
        var world = world()
        world.prefilter.newEntryShare = 0
        let record = try world.run()
        #expect(record.urls.listed == 2_000)
        #expect(record.urls.blockedByServer == 2_000)
    }

    /// A list that brings a fifth with each edition, published daily, twelve hours before the start for the last time;
    /// devices fetch daily and their apps start after an exponential wait. Each device loads an entry at the start.
    private func staleShare(restart: Distribution?) throws -> Double {
        var world = World()
        world.deviceCount = 1_000
        world.duration = .minutes(10)
        world.device.prefilterFetchInterval = 24 * World.hour
        world.behaviour.configurationRefetch = .hours(24)
        world.prefilter.republishInterval = .hours(24)
        world.prefilter.firstUpdate = .hours(12)
        world.prefilter.newEntryShare = 0.2
        world.prefilter.appRestart = restart
        for client in 0..<1_000 {
            world.loads.append(
                .init(at: .seconds(1), client: client, url: "https://listed\(client).example/"))
        }
        let record = try world.run()
        #expect(record.urls.listed == 1_000)
        return Double(record.urls.stale) / 1_000
    }

    /// Editions of 12, 36, 60, 84 and 108 hours ago, each a fifth of the list, integrated over the fetches.
    @Test(arguments: [0.0, 4, 8])
    func steadyAppsKnowAtTheStartWhatTheyKnowLater(mean: Double) throws {
        let slices = 4_000
        var unknown = 0.0
        for age in stride(from: 12.0, to: 120, by: 24) {
            for slice in 0..<slices {
                let left = age - 24 * (Double(slice) + 0.5) / Double(slices)
                unknown += 0.2 / Double(slices) * (left <= 0 ? 1 : mean > 0 ? exp(-left / mean) : 0)
            }
        }
        let found = try staleShare(restart: mean > 0 ? .exponential(mean: mean * 3_600) : nil)
        // Five standard deviations of 1 000 devices with an entry each.
        #expect(
            abs(found - unknown) < 5 * (unknown * (1 - unknown) / 1_000).squareRoot(), "\(found) \(unknown)")
        // The walk through the fetches of any law finds what the law without memory is known to have.
        guard mean > 0 else { return }
        let walked = try staleShare(restart: .gamma(shape: 1, scale: mean * 3_600))
        #expect(
            abs(walked - unknown) < 5 * (unknown * (1 - unknown) / 1_000).squareRoot(), "\(walked) \(unknown)"
        )
    }
}
