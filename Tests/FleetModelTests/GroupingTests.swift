import EventSimulation
import FleetModel
import Testing
import URLFilter

/// Lookups that wait together are answered together. Delays add up to 25 ms for the way there and back.
struct GroupingTests {
    private static let way = 2 * (0.005 + 0.007 + 0.0005)

    /// Lookups of as many devices at one instant, each 10 ms of the PIR server alone.
    private func record(
        lookups: Int, cores: Int = 1, grouping: LookupGrouping?
    ) throws -> ReplicationRecord {
        var world = World()
        world.services.pir = World.station(cores: cores)
        world.services.pir.grouping = grouping
        world.loads = (0..<lookups).map { .init(at: .seconds(10), client: $0) }
        return try world.run(
            ScriptedWork { endpoint, stage in
                endpoint == .queries && stage == .serviceAnswers ? 10_000_000 : 0
            })
    }

    /// Milliseconds at the PIR server and how many lookups took so long.
    private func times(_ record: ReplicationRecord) -> [Double: Int] {
        var times: [Double: Int] = [:]
        for bucket in record.verdictLatency.nonEmptyBuckets {
            times[((bucket.lowest.seconds - Self.way) * 1_000).rounded()] = bucket.count
        }
        return times
    }

    @Test func withoutGroupsLookupsAreAnsweredOneByOne() throws {
        let record = try record(lookups: 5, grouping: nil)
        #expect(times(record) == [10: 1, 20: 1, 30: 1, 40: 1, 50: 1])
    }

    /// The first goes alone; the other four end together, after 10 + 3 · 5 ms.
    @Test func whatWaitsIsAnsweredInOneGo() throws {
        let record = try record(lookups: 5, grouping: LookupGrouping(limit: 4, followerShare: 0.5))
        #expect(times(record) == [10: 1, 35: 4])
        let station = try #require(record.stations[.pir])
        #expect(station.completions == 5 && station.arrivals == 5)
        #expect(abs(station.busySeconds - 0.035) < 1e-9)
        #expect(abs(station.presentSeconds - (0.010 + 4 * 0.035)) < 1e-9)
    }

    @Test func aGroupHasALimit() throws {
        let record = try record(lookups: 6, grouping: LookupGrouping(limit: 2, followerShare: 1))
        #expect(times(record) == [10: 1, 30: 2, 50: 2, 60: 1])
    }

    /// Two start; of the four that wait, the core that is free first takes half of the line, then the other takes
    /// half of the rest.
    @Test func coresShareTheLine() throws {
        let record = try record(
            lookups: 6, cores: 2, grouping: LookupGrouping(limit: 4, followerShare: 0.5))
        #expect(times(record) == [10: 2, 20: 1, 25: 2, 30: 1])
    }

    @Test func lookupsThatDoNotWaitDoNotNoticeGroups() throws {
        let record = try record(
            lookups: 3, cores: 3, grouping: LookupGrouping(limit: 4, followerShare: 0.5))
        #expect(times(record) == [10: 3])
    }
}
