import EventSimulation
import FleetModel
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

    @Test func aListOfWhichNothingMatchesGivesNone() throws {
        var world = World()
        world.entries = BlockList((0..<5).map { "other\($0).example" })
        world.loads = [.init(at: .seconds(1))]
        var groups = try world.groups()
        groups[0].workload = .lookups(LookupTraffic(perDay: 86_400))
        #expect(try world.run(world.calibrated(groups: groups), groups: groups).urlFilter.lookups.sent == 0)
    }
}
