import EventSimulation
import FleetModel
import RandomStreams
import Testing
import URLFilter

/// What is observed of the devices of one group beside what is of all.
struct GroupRecordTests {
    /// One device nearby, and two of another name, of two systems, whose network takes 20 ms longer each way. Of each,
    /// the first lookup is answered; the second one is not, as the PIR server is out, and what is listed leaks.
    private static func world() throws -> (world: World, groups: [DeviceGroup]) {
        var world = World()
        world.faults = [
            Fault(kind: .outage(.pir, silent: false), begin: .seconds(20), length: .seconds(10))
        ]
        func group(_ name: String, _ delay: Double, at second: Double) throws -> DeviceGroup {
            var own = world
            own.loads = [
                .init(at: .seconds(second), url: "https://decoy.example/"),
                .init(at: .seconds(20 + second), url: "https://listed1.example/"),
            ]
            own.access.oneWayDelay = .constant(delay)
            var group = try own.groups()[0]
            group.name = name
            return group
        }
        return (
            world,
            [try group("near", 0.005, at: 1), try group("far", 0.025, at: 2), try group("far", 0.025, at: 3)]
        )
    }

    @Test func aGroupHasItsOwnWaitsAndLeaks() throws {
        var (world, groups) = try Self.world()
        world.watchedGroups = ["near", "far"]
        let record = try world.run(world.calibrated(groups: groups), groups: groups)
        let (near, far) = (try #require(record.groups?[0]), try #require(record.groups?[1]))
        #expect(record.groups?.count == 2)
        #expect([near.name, far.name] == ["near", "far"] && [near.devices, far.devices] == [1, 2])
        // The longest is of the answered lookup: a refusal comes sooner.
        let unloaded = Int64(LookupTests.unloaded)
        #expect(near.verdictLatency.max?.nanoseconds == unloaded)
        #expect(far.verdictLatency.max?.nanoseconds == unloaded + 2 * 20_000_000)
        #expect([near.lookupsSent, far.lookupsSent] == [2, 4])
        #expect([near.lookupsAnswered, far.lookupsAnswered] == [1, 2])
        #expect([near.lookupsFailed, far.lookupsFailed] == [1, 2])
        #expect([near.listed, far.listed] == [1, 2] && [near.leaked, far.leaked] == [1, 2])
        #expect(record.urls.leaked == 3 && record.urls.listed == 3)
        #expect(record.verdictLatency.count == near.verdictLatency.count + far.verdictLatency.count)
    }

    @Test func blockedForNothingIsOfTheGroupThatItHappensTo() throws {
        var (world, groups) = try Self.world()
        world.watchedGroups = ["far"]
        world.policy = .failClosed
        world.faults = [
            Fault(kind: .outage(.pir, silent: false), begin: .zero, length: .seconds(10))
        ]
        let record = try world.run(world.calibrated(groups: groups), groups: groups)
        let far = try #require(record.groups?.first)
        #expect(record.groups?.count == 1 && record.urls.falselyBlocked == 3)
        #expect(far.falselyBlocked == 2 && far.brokenPages == 2 && far.leaked == 0)
    }

    @Test func whoLooksOnChangesNothing() throws {
        var (world, groups) = try Self.world()
        let unseen = try world.run(world.calibrated(groups: groups), groups: groups)
        world.watchedGroups = ["far"]
        let seen = try world.run(world.calibrated(groups: groups), groups: groups)
        #expect(unseen.groups == nil && seen.groups?.count == 1)
        #expect(unseen.fingerprint == seen.fingerprint && unseen.eventCount == seen.eventCount)
        #expect(unseen.urls == seen.urls && unseen.series == seen.series)
    }
}
