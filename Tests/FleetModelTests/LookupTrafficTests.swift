import EventSimulation
import FleetModel
import RandomStreams
import Testing
import Workload

/// Lookups of devices of which only the lookups are known.
struct LookupTrafficTests {
    /// The prefilter has the last entry only; then it is in the cache.
    @Test func entriesOfNoUseInARowCostNoLookup() throws {
        var world = World()
        world.entries = BlockList((0..<1_500).map { "other\($0).example" } + ["listed.example"])
        world.loads = [.init(at: .seconds(1))]
        world.duration = .seconds(600)
        var groups = try world.groups()
        groups[0].workload = .lookups(LookupTraffic(perDay: 86_400))
        let record = try world.run(world.calibrated(groups: groups), groups: groups)
        #expect(record.urlFilter.lookups.sent == 1)
        #expect(record.urls.blockedByServer > 400)
    }

    /// Bursts of 100 lookups, a second apart, in a minute: with those that began before it, as many as the rate says.
    @Test func burstsThatBeganBeforeTheStartGoOn() throws {
        var world = World()
        world.loads = [.init(at: .seconds(1))]
        world.deviceCount = 400
        var groups = try world.groups()
        var traffic = LookupTraffic(perDay: 8_640)
        traffic.burstSize = 100
        traffic.burstGap = .constant(1)
        groups[0].workload = .lookups(traffic)
        let record = try world.run(world.calibrated(groups: groups), groups: groups)
        // 400 devices × 0.1/s × 60 s = 2 400; bursts of 30 on average in the minute, so a standard deviation of 400.
        #expect((1_200...3_600).contains(record.urls.checked), "\(record.urls.checked)")
    }

    @Test func aListOfWhichNothingMatchesGivesNone() throws {
        var world = World()
        world.entries = BlockList((0..<5).map { "other\($0).example" })
        world.loads = [.init(at: .seconds(1))]
        var groups = try world.groups()
        groups[0].workload = .lookups(LookupTraffic(perDay: 86_400))
        #expect(try world.run(world.calibrated(groups: groups), groups: groups).urlFilter.lookups.sent == 0)
    }
}
