import EventSimulation
import FleetModel
import RandomStreams
import Testing
import URLFilter

/// Devices that hold the list, by hand and against the law of their fetches.
struct WholeListTests {
    private static func run(_ world: World) throws -> ReplicationRecord {
        let catalog = try World.catalog()
        let groups = try world.groups()
        let record = try #require(
            try runReplication(
                world.configuration(groups: groups), catalogs: groups.map { _ in catalog }, .wholeList,
                replication: 0))
        #expect(record.resourceChecks.allSatisfy { $0.check.holds })
        let urls = record.urls
        #expect(
            urls.checked == urls.allowedByPrefilter + (urls.blockedByDevice ?? 0) + urls.allowedByPolicy
                + urls.blockedByPolicy)
        return record
    }

    @Test func whatIsListedIsBlockedAtOnceAndNothingElse() throws {
        var world = World()
        world.loads = [
            .init(at: .seconds(1)), .init(at: .seconds(2), url: "https://decoy.example/"),
            .init(at: .seconds(3), url: "https://harmless.example/"),
            .init(at: .seconds(4), url: "https://listed.example/path?x=1"),
        ]
        // No server is there to be down.
        let record = try Self.run(world)
        #expect(record.urls.blockedByDevice == 2 && record.urls.allowedByPrefilter == 2)
        #expect(record.urls.listed == 2 && record.urls.leaked == 0 && record.urls.falselyBlocked == 0)
        #expect(record.verdictLatency.count == 0 && record.urlFilter.lookups.sent == 0)
        #expect(record.relay.requests == 0 && record.stations.isEmpty)
    }

    @Test(arguments: [FailurePolicy.failOpen, .failClosed])
    func untilItsListIsThereThePolicyDecides(_ policy: FailurePolicy) throws {
        var world = World()
        world.start = .cold
        world.policy = policy
        // 10 ms there and back, and 8 kB at 2 MB/s.
        world.prefilter.byteCount = 1_000 * WholeListModel.bytesPerEntry
        let arrival = SimulatedDuration.milliseconds(10 + 4)
        world.loads = [-1, 1].flatMap { step in
            ["listed", "harmless"].map {
                .init(at: arrival + .nanoseconds(step), url: "https://\($0).example/")
            }
        }
        let urls = try Self.run(world).urls
        #expect(urls.policyCauses == [.notReady: 2])
        #expect(urls.blockedByDevice == 1 && urls.allowedByPrefilter == 1)
        #expect(urls.leaked == (policy == .failOpen ? 1 : 0))
        #expect(urls.falselyBlocked == (policy == .failOpen ? 0 : 1))
    }

    @Test func anOriginThatIsDownLeavesTheOldList() throws {
        var world = World()
        world.start = .cold
        world.faults = [
            Fault(kind: .outage(.prefilterOrigin, silent: false), begin: .zero, length: .seconds(45))
        ]
        world.loads = [44, 59].map { .init(at: .seconds($0)) }
        // Tried again after 30 s and 60 s: still nothing.
        #expect(try Self.run(world).urls.policyCauses == [.notReady: 2])
        world.faults = [
            Fault(kind: .outage(.prefilterOrigin, silent: false), begin: .zero, length: .seconds(15))
        ]
        #expect(try Self.run(world).urls.blockedByDevice == 2)
    }

    /// Every entry is new in edition 2, which is published after an hour; devices fetch every hour at a phase of their
    /// own, so that of the visits in the hour after it half meet a device that does not know it.
    @Test func newEntriesLeakUntilTheNextFetch() throws {
        var world = World()
        world.duration = .hours(2)
        world.prefilter.republishInterval = .hours(1)
        world.prefilter.newEntryShare = 1
        world.device.prefilterFetchInterval = World.hour
        let count = 1_000
        world.loads = (0..<count).map { number in
            .init(
                at: .hours(1) + .hours((Double(number) + 0.5) / Double(count)), client: number,
                url: "https://listed\(number).example/")
        }
        let urls = try Self.run(world).urls
        #expect(urls.listed == count && urls.leaked == urls.stale)
        let spread = 5 * (0.25 / Double(count)).squareRoot()
        #expect(abs(Double(urls.leaked) / Double(count) - 0.5) < spread)
        #expect(urls.blockedByDevice == count - urls.leaked)
    }

    @Test func theSameListBlocksTheSameURLsAsTheFilter() throws {
        var world = World()
        world.loads = (0..<200).map { number in
            .init(
                at: .milliseconds(Double(number) * 250),
                url: "https://\(number.isMultiple(of: 3) ? "listed\(number)" : "other\(number)").example/")
        }
        let (filter, list) = (try world.run().urls, try Self.run(world).urls)
        #expect(filter.blockedByServer == 67 && list.blockedByDevice == 67)
        #expect(filter.listed == list.listed && filter.checked == list.checked)
    }
}
