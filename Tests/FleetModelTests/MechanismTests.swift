import EventSimulation
import FleetModel
import Foundation
import RandomStreams
import Statistics
import Testing
import URLFilter
import Workload

/// Devices that hold the list, by hand and against the law of their fetches.
@Suite struct WholeListTests {
    static func run(_ world: World) throws -> ReplicationRecord {
        let catalog = try World.catalog(world.entries)
        let groups = try world.groups()
        let record = try #require(
            try runReplication(
                world.configuration(groups: groups), catalogs: groups.map { _ in catalog },
                .mechanism(.wholeList(world.policy)), replication: 0))
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
        world.prefilter.byteCount = 1_000 * 8
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

extension MechanismConfiguration {
    static func wholeList(_ policy: FailurePolicy) -> Self {
        Self(keeper: .device, policy: policy, path: .none, costs: MechanismCosts())
    }

    /// At a server of the operator, which sees hosts and blocks those of all entries.
    static func hostLevel(_ hosts: [String], _ policy: FailurePolicy, path: FilterPath = .none) -> Self {
        var mechanism = Self(
            keeper: .server(reload: .zero), policy: policy, path: path, costs: MechanismCosts())
        mechanism.server = Part("proxy")
        mechanism.urlShare = 0
        mechanism.hosts = ListedStrings(hosts.map { Array($0.utf8) })
        return mechanism
    }
}

extension FilterPath {
    /// In nobody's way.
    static let none = through(RoundTrips(direct: 3), request: RoundTrips(direct: 1))

    /// 3 ms to the server and 20 ms to sites, one way.
    static func through(
        _ newHost: RoundTrips, request: RoundTrips, setUp: RoundTrips = RoundTrips(),
        perFlow: SimulatedDuration = .zero
    ) -> Self {
        var path = Self(
            newHost: RoundTrips(direct: 3), request: RoundTrips(direct: 1), siteDelay: .constant(0.020),
            page: PageShape(requests: 70, bytes: 2_600_000, hosts: 15, chain: 3.4, chainHosts: 2))
        (path.newHost, path.request) = (newHost, request)
        (path.perFlow, path.setUp) = (perFlow, setUp)
        path.serverDelay = .constant(0.003)
        return path
    }
}

/// Other mechanisms in the way, by hand: the table of round trips, what is blocked with a host, and gaps.
@Suite struct MechanismTests {
    func run(
        _ world: World, _ mechanism: MechanismConfiguration, named: [String] = []
    ) throws -> ReplicationRecord {
        var filter = World.filter
        for string in named { filter.insert(KeyDigest(string, murmurSeed: 1)) }
        let catalog = URLCatalog(
            filter: filter, list: BlockListIndex(world.entries), rules: .documented,
            strayHits: try GeometricSkip(probability: 0))
        let groups = try world.groups()
        let configuration = world.configuration(groups: groups)
        let made = try runReplication(
            configuration, catalogs: groups.map { _ in catalog }, .mechanism(mechanism), replication: 0)
        let record = try #require(made)
        #expect(record.resourceChecks.allSatisfy { $0.check.holds })
        let urls = record.urls
        let decided = urls.allowedByPrefilter + urls.blockedByServer + (urls.blockedByDevice ?? 0)
        let others = urls.allowedByPolicy + urls.blockedByPolicy + urls.allowedByServer + urls.unfinished
        #expect(urls.checked == decided + others + (urls.notAsked?.count ?? 0))
        return record
    }

    /// A row of the article's table of round trips, and what it adds to a page by hand.
    struct Row: Sendable {
        var newHost: RoundTrips
        var request = RoundTrips(server: 1, site: 1)
        var milliseconds: Double
    }

    /// D is 2 (5 + 3) = 16 ms, P 40 and R 50, so that D + P - R = 6. Of the chain 2 hosts are new and 1.4 requests follow.
    static let rows: [Row] = {
        let further: Double = 1.4 * 6
        return [
            Row(newHost: RoundTrips(direct: 3), request: RoundTrips(direct: 1), milliseconds: 0),
            // A gateway that opens TLS, and a tunnel that is up: 3 D + 3 P in place of 3 R.
            Row(newHost: RoundTrips(server: 3, site: 3), milliseconds: 2 * 18 + further),
            // CONNECT: 4 D + 3 P; with TLS to the proxy, or SOCKS: 5 D + 3 P.
            Row(newHost: RoundTrips(server: 4, site: 3), milliseconds: 2 * (18 + 16) + further),
            Row(newHost: RoundTrips(server: 5, site: 3), milliseconds: 2 * (18 + 32) + further),
            // A resolver that is 6 ms there and back beyond the network's own, for half of the names.
            Row(
                newHost: RoundTrips(direct: 3) + RoundTrips(detour: 0.5), request: RoundTrips(direct: 1),
                milliseconds: 2 * 0.5 * 6),
        ]
    }()

    @Test(arguments: rows)
    func pagesTakeLongerByTheTableOfRoundTrips(_ row: Row) throws {
        var world = World()
        world.loads = [.init(at: .seconds(1), url: "https://harmless.example/")]
        let path = FilterPath.through(row.newHost, request: row.request)
        let record = try run(world, .hostLevel([], .failOpen, path: path))
        let expected = Int64((row.milliseconds * 1e6).rounded())
        for rank in [0.5, 0.99] {
            let added = try #require(record.pageTimes.quantile(rank))
            // The histogram is exact to one part in a thousand.
            #expect(abs(added.nanoseconds - expected) <= expected / 1_000 + 1)
        }
        let mean = try #require(record.pageTimes.mean)
        #expect(abs(mean.nanoseconds - expected) <= 1)
    }

    /// An answer of the page is 31 packets. What is lost comes again after D + P in place of R through a tunnel, 6 ms more,
    /// and after D from a proxy, which keeps a copy: 34 ms less.
    @Test(arguments: [
        (RoundTrips(server: 1, site: 1), 0.006), (RoundTrips(server: 1), -0.034),
        (RoundTrips(direct: 1), 0.0),
    ])
    func lostPacketsComeAgainFromWhoKeepsThem(_ resending: RoundTrips, _ difference: Double) throws {
        func mean(_ loss: Double) throws -> Double {
            var world = World()
            world.loads = [.init(at: .seconds(1), url: "https://harmless.example/")]
            world.access.loss = loss
            var path = FilterPath.through(
                RoundTrips(server: 5, site: 3), request: RoundTrips(server: 1, site: 1))
            path.resending = resending
            let record = try run(world, .hostLevel([], .failOpen, path: path))
            return try #require(record.pageTimes.mean).seconds
        }
        // Packet by packet: a round trip for each round in which one is lost, and another if the last is among them.
        var stream = RandomStream(seed: 7, replication: 0, entity: 0, purpose: StreamPurpose("loss by hand"))
        var trips = 0.0
        for _ in 0..<100_000 {
            var packets = 31
            while packets > 0 {
                let lost = (0..<packets).filter { _ in stream.uniform() < 0.011 }
                guard let last = lost.last else { break }
                trips += (last == packets - 1 ? 2 : 1) / 100_000
                packets = lost.count
            }
        }
        let expected = 3.4 * trips * difference
        // The standard error of the mean of 2 000 pages is 2.5 % of it.
        #expect(abs(try mean(0.011) - mean(0) - expected) <= 0.1 * abs(expected) + 1e-6)
    }

    /// 15 hosts begin in two parts of 7.5; one of the chain is the 4.25th of its part in the mean.
    @Test func aFlowOfTheChainWaitsBehindThoseOfThePage() throws {
        var world = World()
        world.loads = [.init(at: .seconds(1), url: "https://harmless.example/")]
        var mechanism = MechanismConfiguration.wholeList(.failOpen)
        mechanism.path.perFlow = .microseconds(300)
        #expect(try run(world, mechanism).pageTimes.mean == .microseconds(2 * 4.25 * 300))
        mechanism.path.page = PageShape(requests: 70, bytes: 2_600_000, hosts: 1, chain: 3.4, chainHosts: 2)
        #expect(try run(world, mechanism).pageTimes.mean == .microseconds(600))
    }

    /// Entries `a.example/x` and `b.example`; a filter that sees hosts blocks all of `a.example`, or nothing of it.
    @Test func aHostIsBlockedForOnePathOrNotAtAll() throws {
        var world = World()
        world.entries = BlockList(["a.example/x", "b.example"])
        let urls = [
            "a.example/x", "a.example/y", "a.example/", "b.example/z", "c.a.example/x", "d.example/x",
        ]
        world.loads = urls.enumerated().map { number, url in
            World.Load(at: .seconds(Double(number) + 1), url: "https://\(url)")
        }
        let names = ["a.example/x", "a.example", "b.example"]
        let hosts = try run(world, .hostLevel(["a.example", "b.example"], .failOpen), named: names).urls
        // c.a.example is a part of a.example.
        #expect(hosts.blockedByServer == 5 && hosts.listed == 3 && hosts.leaked == 0)
        #expect(hosts.falselyBlocked == 2 && hosts.blockedByGrain == 2 && hosts.leakedByGrain == 0)
        let ignored = try run(world, .hostLevel(["b.example"], .failOpen), named: names).urls
        #expect(ignored.blockedByServer == 1 && ignored.falselyBlocked == 0)
        #expect(ignored.leaked == 2 && ignored.leakedByGrain == 2)
    }

    /// The server is down for 10 of 60 s; one listed and one other URL each second.
    @Test(arguments: [FailurePolicy.failOpen, .failClosed])
    func whileItsServerIsDownThePolicyDecides(_ policy: FailurePolicy) throws {
        var world = World()
        world.loads = (0..<60).flatMap { second in
            ["listed", "harmless"].map {
                .init(at: .seconds(Double(second) + 0.5), url: "https://\($0).example/")
            }
        }
        world.faults = [
            Fault(kind: .outage(Part("proxy"), silent: false), begin: .seconds(20), length: .seconds(10))
        ]
        let record = try run(world, .hostLevel(["listed.example"], policy))
        let urls = record.urls
        #expect(urls.policyCauses == [.unavailable: 20])
        #expect(urls.listed == 60 && urls.leaked == (policy == .failOpen ? 10 : 0))
        #expect(urls.falselyBlocked == (policy == .failOpen ? 0 : 10))
        #expect(record.brokenPages == (policy == .failOpen ? 0 : 10))
        #expect(urls.leakedByGrain == 0 && urls.blockedByGrain == 0)
    }

    /// The same with a proxy file that ends in DIRECT: the device goes around the proxy from 20.5 s on for a quarter of a
    /// minute, and asks again at 35.5 s, though the server is back at 30 s.
    @Test(arguments: [FailurePolicy.failOpen, .failClosed])
    func aDevicePassesByAServerThatItFoundOutOfReach(_ policy: FailurePolicy) throws {
        var world = World()
        world.loads = (0..<60).flatMap { second in
            ["listed", "harmless"].map {
                .init(at: .seconds(Double(second) + 0.5), url: "https://\($0).example/")
            }
        }
        world.faults = [
            Fault(kind: .outage(Part("proxy"), silent: false), begin: .seconds(20), length: .seconds(10))
        ]
        var mechanism = MechanismConfiguration.hostLevel(["listed.example"], policy)
        mechanism.passesBy = .seconds(15)
        let record = try run(world, mechanism)
        #expect(record.urls.policyCauses == [.unavailable: 30])
        #expect(record.urls.leaked == 15 && record.urls.falselyBlocked == 0 && record.brokenPages == 0)
        // Twice as long, and the outage is over before the device has asked again.
        mechanism.passesBy = .seconds(30)
        #expect(try run(world, mechanism).urls.leaked == 30)
    }

    /// A filter on the device that hangs takes the network with it, whatever the policy.
    @Test func aProviderThatHangsLetsNothingThrough() throws {
        var world = World()
        world.loads = [10, 20, 30].flatMap { second in
            ["listed", "harmless"].map { .init(at: .seconds(second), url: "https://\($0).example/") }
        }
        world.faults = [
            Fault(kind: .outage(Part("provider"), silent: false), begin: .seconds(15), length: .seconds(10))
        ]
        var mechanism = MechanismConfiguration.wholeList(.failOpen)
        mechanism.provider = Part("provider")
        mechanism.requestShare = 0.5
        let record = try run(world, mechanism)
        #expect(record.urls.blockedByPolicy == 2 && record.urls.falselyBlocked == 1)
        #expect(record.urls.leaked == 0 && record.brokenPages == 1)
        #expect(record.operations.blockedPages == 2 && record.operations.accessRequests == 1)
    }

    /// Before somebody logs in, no server can be reached; a device decides by itself all the same.
    @Test func aCaptivePortalKeepsServersOutOfReach() throws {
        var world = World()
        world.loads = [10, 20, 30].map { .init(at: .seconds($0)) }
        world.faults = [Fault(kind: .captivePortal(group: "all"), begin: .seconds(15), length: .seconds(10))]
        let proxy = try run(world, .hostLevel(["listed.example"], .failOpen)).urls
        #expect(proxy.policyCauses == [.unavailable: 1] && proxy.leaked == 1 && proxy.blockedByServer == 2)
        #expect(try run(world, .wholeList(.failOpen)).urls.blockedByDevice == 3)
    }

    /// A device is handed over 1 440 times a day, so once a minute; setting up takes a round trip of 16 ms. Listed URLs
    /// at every millisecond of an hour would hit 16 of 60 000 each minute.
    @Test(arguments: [FailurePolicy.failOpen, .failClosed])
    func theTunnelIsMissingAfterAHandOver(_ whileMoving: FailurePolicy) throws {
        var world = World()
        world.duration = .minutes(20)
        world.usage.handOversPerDay = 1_440
        world.loads = (0..<1_200_000).filter { $0 % 4 == 0 }.map {
            .init(at: .milliseconds(Double($0)), url: "https://listed.example/")
        }
        var mechanism = MechanismConfiguration.hostLevel(
            ["listed.example"], .failClosed,
            path: .through(
                RoundTrips(server: 3, site: 3), request: RoundTrips(server: 1, site: 1),
                setUp: RoundTrips(server: 1)))
        mechanism.whileMoving = whileMoving
        let record = try run(world, mechanism)
        #expect(record.urls.policyCauses == [.network: 20 * 4])
        #expect(record.urls.leaked == (whileMoving == .failOpen ? 80 : 0))
        #expect(record.handOverTimes.mean == .milliseconds(16))
    }

    @Test func outsideItsHoursAFilterOfASiteSeesNothing() throws {
        var world = World()
        world.duration = .hours(24)
        world.usage.coveredHours = 8..<15
        world.loads = (0..<24).map { .init(at: .hours(Double($0)) + .minutes(30)) }
        let urls = try run(world, .hostLevel(["listed.example"], .failClosed)).urls
        #expect(urls.blockedByServer == 7 && urls.listed == 24 && urls.leaked == 17)
        #expect(urls.notAsked?.listed == 17)
    }

    /// 5 ms and 7 ms to the relay and on, there and back, 1 ms at the server; the line takes 200 and 150 us.
    @Test func hashPrefixesAskTheServerAboutWhatHits() throws {
        var world = World()
        world.loads = [
            .init(at: .seconds(1)), .init(at: .seconds(2), url: "https://decoy.example/"),
            .init(at: .seconds(3), url: "https://harmless.example/"),
        ]
        var mechanism = MechanismConfiguration.wholeList(.failOpen)
        mechanism.question = .init(requestBytes: 200, responseBytes: 300, cpu: 1_000_000)
        mechanism.readers = [.gateway: [.hashPrefix]]
        let record = try run(world, mechanism)
        #expect(record.urls.blockedByServer == 1 && record.urls.allowedByServer == 1)
        #expect(record.urls.allowedByPrefilter == 1 && record.urls.listed == 1 && record.urls.leaked == 0)
        #expect(record.verdictLatency.count == 2)
        #expect(record.verdictLatency.mean == .microseconds(24_000 + 1_000 + 200 + 150))
        // The page of a trace is its URL.
        #expect(record.pageTimes.added.count == 2 && record.pageTimes.pages == 3)
        #expect(record.operations.ingressBytes == 400 && record.operations.egressBytes == 600)
        #expect(record.operations.readings[.gateway] == [.hashPrefix: 2])
        world.faults = [
            Fault(kind: .outage(.gateway, silent: true), begin: .zero, length: .seconds(60))
        ]
        let silent = try run(world, mechanism).urls
        #expect(silent.policyCauses == [.timeout: 2] && silent.leaked == 1)
    }

    /// One page is 15 connections, 70 requests and 2.6 MB; a load of a trace is a seventieth of one.
    @Test func costsAreThoseOfTheMeanPage() throws {
        var world = World()
        world.loads = (0..<140).map {
            .init(at: .milliseconds(100 * Double($0)), url: "https://harmless.example/\($0)")
        }
        var mechanism = MechanismConfiguration.hostLevel([], .failOpen)
        mechanism.costs.cpuPerConnection = 1e-3
        mechanism.costs.cpuPerRequest = 1e-4
        mechanism.costs.cpuPerByte = 1e-9
        mechanism.costs.carriedShare = 1
        mechanism.costs.overheadPerPacket = 60
        let operations = try run(world, mechanism).operations
        #expect(abs(operations.cpuSeconds - 2 * (0.015 + 0.007 + 0.0026)) < 1e-12)
        let overhead = 2 * 2_600_000 / 1_460.0 * 60
        #expect(abs(operations.egressBytes - (5_200_000 + overhead)) < 1e-6)
        #expect(abs(operations.ingressBytes - 5_200_000) < 1e-6)
        #expect(abs(operations.deviceBytes - overhead) < 1e-6)
        // All within the first interval of a minute.
        #expect(abs(operations.peakCores - operations.cpuSeconds / 60) < 1e-12)
    }
}

/// The queue of a mechanism's servers in a whole run.
extension MechanismTests {
    /// 600 loads a minute in an hour: each minute 600 / 70 pages of 15 connections and 70 requests, all at 2 ms of CPU.
    private func run(_ servers: MechanismServers?, cost: Double = 2e-3) throws -> ReplicationRecord {
        var world = World()
        world.duration = .minutes(60)
        world.loads = (0..<36_000).map {
            .init(at: .milliseconds(100 * Double($0)), client: $0 % 10, url: "https://harmless.example/")
        }
        var mechanism = MechanismConfiguration.hostLevel(
            [], .failOpen,
            path: .through(RoundTrips(server: 3, site: 3), request: RoundTrips(server: 1, site: 1)))
        mechanism.costs.cpuPerConnection = cost
        mechanism.costs.cpuPerRequest = cost
        mechanism.costs.carriedShare = 1
        mechanism.servers = servers
        return try run(world, mechanism)
    }

    /// 600 / 70 pages a minute are 12.14 visits a second, so 0.0243 busy cores.
    private static let busy = 600.0 / 70 / 60 * 85 * 2e-3

    @Test func waitsAreAddedToPagesVisitByVisit() throws {
        let one = MechanismServers(instances: 1, cores: 1)
        let cost = 2e-3 * 0.7 / Self.busy
        let record = try run(one, cost: cost)
        let servers = try #require(record.servers)
        #expect(abs(servers.load - 0.7) < 1e-9 && abs(servers.peakLoad - 0.7) < 1e-9)
        #expect(servers.instances == 1 && servers.pages == 2_000 && servers.unserved == 0)
        // Two connections and their requests, and 1.4 requests more: the last visit of each page counts for 0.4.
        #expect(servers.visits == 2_000 * 6)
        let theory = try #require(
            try QueueingTheory.MMc(arrivalRate: 0.7 / cost, serviceRate: 1 / cost))
        let wait = try #require(servers.meanWait)
        #expect(abs(wait / theory.meanWait - 1) < 0.06)
        let without = try #require(try run(nil, cost: cost).pageTimes.mean).seconds
        let with = try #require(record.pageTimes.mean).seconds
        #expect(abs((with - without) / (5.4 * theory.meanWait) - 1) < 0.06)
        #expect(abs(without - 0.0444) < 2e-9)
    }

    @Test func idleServersChangeNothing() throws {
        let (idle, none) = (
            try run(MechanismServers(instances: 1_000, cores: 64)), try run(nil)
        )
        #expect(idle.pageTimes.quantile(0.99) == none.pageTimes.quantile(0.99))
        #expect(idle.pageTimes.mean == none.pageTimes.mean && idle.fingerprint == none.fingerprint)
        #expect(idle.operations.cpuSeconds == none.operations.cpuSeconds)
        #expect(none.servers == nil && idle.servers?.waits.count == 0)
        let free = try run(MechanismServers(instances: 1, cores: 1), cost: 0)
        #expect(free.servers?.load == 0 && free.servers?.waits.count == 0)
    }

    @Test func withoutANumberTheBusiestIntervalIsAtTheTargetAtMost() throws {
        var servers = MechanismServers(cores: 1)
        servers.spareInstances = 0
        let record = try #require(try run(servers, cost: 2e-3 * 2.9 / Self.busy).servers)
        // 2.9 / 0.6 cores.
        #expect(record.instances == 5 && abs(record.peakLoad - 2.9 / 5) < 1e-9)
    }

    /// At 130 % the backlog reaches the longest wait of 6 min after 20 of the 60 minutes; from then on a page is not served
    /// as soon as one of its six visits is among the 3 of 13 that cannot be.
    @Test func overloadIsSaidAndBounded() throws {
        var servers = MechanismServers(instances: 1, cores: 1)
        servers.patience = .seconds(360)
        let record = try run(servers, cost: 2e-3 * 1.3 / Self.busy)
        let found = try #require(record.servers)
        #expect(abs(found.peakLoad - 1.3) < 1e-9)
        let unserved = 2.0 / 3 * (1 - pow(1 / 1.3, 6))
        let share = Double(found.unserved) / 2_000
        #expect(abs(share - unserved) < 5 * (unserved * (1 - unserved) / 2_000).squareRoot())
        #expect(record.brokenPages == Int((36_000 * share).rounded()))
        // Whoever comes after x of the hour waits 1 080 s times x at each visit, 360 s at most.
        let early = try #require(record.pageTimes.quantile(0.05)).seconds
        #expect(abs(early - 5.4 * 1_080 * 0.05) < 5 * 5.4 * 1_080 * (0.05 * 0.95 / 2_000).squareRoot())
        let most = try #require(found.waits.max)
        #expect(most == .seconds(360))
    }

    /// Seven of the 24 hours see all that is counted.
    @Test func theLoadOfASiteIsThatOfItsHours() throws {
        var world = World()
        world.duration = .hours(24)
        world.usage.coveredHours = 8..<15
        world.loads = (0..<1_440).map {
            .init(at: .minutes(Double($0)) + .seconds(1), url: "https://harmless.example/")
        }
        var mechanism = MechanismConfiguration.hostLevel([], .failOpen)
        mechanism.costs.cpuPerRequest = 1
        mechanism.servers = MechanismServers(instances: 1, cores: 1)
        let record = try run(world, mechanism)
        // One request a minute, of a second.
        #expect(abs(record.operations.peakCores - 1.0 / 60) < 1e-9)
        let servers = try #require(record.servers)
        #expect(abs(servers.peakLoad - 1.0 / 60) < 1e-9)
        #expect(abs(servers.load - 7.0 / 24 / 60) < 1e-9)
    }
}
