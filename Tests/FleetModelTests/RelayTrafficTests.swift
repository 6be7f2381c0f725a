import EventSimulation
import FleetModel
import Testing
import URLFilter

/// Peaks and sizes against counting by hand.
@Suite struct RelayTrafficTests {
    @Test func theBusiestSecondAndMinuteAreCounted() {
        var traffic = RelayTraffic()
        // Two in second 59, three in second 60: they are in different minutes.
        for second: Int64 in [0, 59, 59, 60, 60, 60, 61, 3_600] {
            traffic.count(second: second, kind: 0, device: 0)
        }
        #expect(traffic.requests == 8)
        #expect(traffic.peakPerSecond == 3)
        #expect(traffic.peakPerMinute == 4)
        #expect(RelayTraffic().peakPerSecond == 0)
    }

    /// The busiest second with what was in it: three of one device in a row, and two others.
    @Test func theBusiestSecondTellsWhatItIsMadeOf() {
        var traffic = RelayTraffic()
        let sent: [(second: Int64, kind: Int, device: Int)] = [
            (4, 2, 9), (5, 0, 1), (5, 2, 3), (5, 2, 3), (5, 2, 3), (5, 1, 2), (6, 2, 3), (6, 2, 3), (6, 2, 3),
            (6, 2, 3),
        ]
        for request in sent {
            traffic.count(second: request.second, kind: request.kind, device: request.device)
        }
        let busiest = traffic.busiestSecond
        #expect(busiest.time == 5 && busiest.requests == 5 && busiest.largestBatch == 3)
        #expect(busiest.kinds == [1, 1, 3])
        #expect(RelayTraffic().busiestSecond.requests == 0)
    }

    @Test func quantilesOfSizesAreNearestRanks() {
        var tally = SizeTally()
        #expect(tally.quantile(0.5) == nil)
        for size in [50, 10, 40, 20, 30] { tally.count(size) }
        let expected = [(0.0, 10), (0.2, 10), (0.21, 20), (0.5, 30), (0.8, 40), (0.81, 50), (1, 50)]
        for (share, size) in expected { #expect(tally.quantile(share) == size, "\(share)") }
        for _ in 0..<95 { tally.count(7) }
        #expect(tally.quantile(0.95) == 7)
        #expect(tally.quantile(0.96) == 10)
    }

    /// Five lookups in one second and two in the next, each the first of its device, of which two may pass at once.
    @Test func aboveItsQuotasTheRelayRefuses() throws {
        var world = World()
        world.loads = (0..<5).map {
            .init(at: .seconds(10), client: $0, url: "https://listed\($0).example/")
        }
        world.loads += (5..<7).map {
            .init(at: .seconds(11), client: $0, url: "https://listed\($0).example/")
        }
        func answered(_ quotas: [RelayQuota]) throws -> (answered: Int, refused: Int?) {
            world.services.relay.quotas = quotas
            var groups = try world.groups()
            groups[0].continent = .europe
            let record = try world.run(world.calibrated(groups: groups), groups: groups)
            #expect((record.urlFilter.lookups.failed[.unavailable] ?? 0) == record.relay.refused ?? 0)
            #expect(record.continents[.europe]?.refused == record.relay.refused)
            #expect(record.relay.requests == 7)
            return (record.urlFilter.lookups.answered, record.relay.refused)
        }
        #expect(try answered([]) == (7, nil))
        #expect(try answered([RelayQuota(perSecond: 2)]) == (4, 3))
        #expect(try answered([RelayQuota(perDay: 3)]) == (3, 4))
        // What one quota refuses does not use up the other; that of another continent does not count.
        let both = [RelayQuota(perSecond: 2), RelayQuota(continent: .europe, perDay: 3)]
        #expect(try answered(both) == (3, 4))
        #expect(try answered([RelayQuota(continent: .asia, perSecond: 0)]) == (7, 0))
    }
}
