import EventSimulation
import FleetModel
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

    @Test func devicesThatNeverFetchKnowNothingNew() throws {
        let record = try world().run()
        expectListed(record)
        // 20, 40 and 60 % of 500 entries.
        #expect(abs(record.urls.stale - 600) < 120, "\(record.urls.stale)")
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
}
