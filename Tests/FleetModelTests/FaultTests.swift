import EventSimulation
import FleetModel
import RandomStreams
import Testing
import URLFilter

/// Scheduled failures: who notices, for how long, and what comes back.
struct FaultTests {
    private static let unloaded: Int64 = 80_700_061

    /// One lookup per second by one device, each of another entry.
    private func everySecond(_ count: Int) -> [World.Load] {
        (0..<count).map {
            .init(at: .seconds(Double($0) + 0.5), client: $0 / 5, url: "https://listed\($0).example/")
        }
    }

    @Test(
        "an outage that refuses fails exactly the lookups that meet it",
        arguments: [Part.relay, .gateway, .pir])
    func outage(part: Part) throws {
        var world = World()
        world.loads = everySecond(60)
        world.faults = [Fault(kind: .outage(part, silent: false), begin: .seconds(20), length: .seconds(10))]
        let record = try world.run()
        #expect(record.urlFilter.lookups.failed == [.unavailable: 10])
        #expect(record.urls.policyCauses == [.unavailable: 10])
        #expect(record.urls.leaked == 10)
        #expect(record.urlFilter.lookups.answered == 50)
        // The error comes back sooner than an answer would have.
        #expect(record.verdictLatency.quantile(0.1)! < .milliseconds(80))
    }

    /// What field reports have as 504 with `proxy-status`: as an outage of the gateway for the device, and nothing arrives there.
    @Test func aRelayThatReachesNoGatewayAnswersAtOnce() throws {
        var world = World()
        world.loads = everySecond(60)
        world.faults = [Fault(kind: .relayWithoutGateway, begin: .seconds(20), length: .seconds(10))]
        let record = try world.run()
        #expect(record.urlFilter.lookups.failed == [.unavailable: 10])
        #expect(record.urlFilter.lookups.answered == 50)
        world.faults[0].kind = .outage(.relay, silent: false)
        let refused = try world.run()
        #expect(record.verdictLatency.quantile(0.1) == refused.verdictLatency.quantile(0.1))
        world.faults[0].kind = .outage(.gateway, silent: false)
        #expect(record.verdictLatency.quantile(0.1)! < (try world.run()).verdictLatency.quantile(0.1)!)
    }

    /// Sixty lookups, one a second; the relay works for nobody until the twentieth second, then for all.
    @Test(arguments: [FailurePolicy.failOpen, .failClosed])
    func aRelayThatDoesNotWorkYetRefusesNearTheDevice(policy: FailurePolicy) throws {
        var world = World()
        world.policy = policy
        world.loads = everySecond(60)
        world.services.relay.provisioning = RelayProvisioning(
            from: 0, to: 1, after: .seconds(20), over: .zero)
        let record = try world.run()
        #expect(record.urlFilter.lookups.failed == [.network: 20])
        #expect(record.urlFilter.lookups.answered == 40)
        #expect(record.urls.leaked == (policy == .failOpen ? 20 : 0))
        #expect(record.urls.blockedByPolicy == (policy == .failOpen ? 0 : 20))
        // Nothing arrives at the operator.
        #expect(record.stations[.pir]?.arrivals == 40)
        // And the device hears it before an answer could have come.
        #expect(record.verdictLatency.quantile(0.1)! < .milliseconds(40))
    }

    /// 400 devices look up once each, one every 0.1 s, while the share grows from 25 to 75 % in 40 s: the mean share is one
    /// half, so 200 lookups are answered, with a standard deviation of at most 10 (400 draws with chances that average one
    /// half). Five of them are enough for any seed.
    @Test func aShareOfDevicesThatGrowsIsServed() throws {
        var world = World()
        world.duration = .seconds(60)
        world.loads = (0..<400).map {
            .init(at: .seconds(0.1 * Double($0)), client: $0, url: "https://listed\($0).example/")
        }
        world.services.relay.provisioning = RelayProvisioning(
            from: 0.25, to: 0.75, after: .zero, over: .seconds(40))
        let record = try world.run()
        #expect(abs(record.urlFilter.lookups.answered - 200) < 50)
        #expect(record.urlFilter.lookups.failed == [.network: 400 - record.urlFilter.lookups.answered])
        world.services.relay.provisioning = RelayProvisioning(from: 1, to: 1, after: .zero, over: .zero)
        #expect(try world.run().urlFilter.lookups.answered == 400)
    }

    @Test func twoOutagesThatOverlapLastUntilTheLaterEnds() throws {
        var world = World()
        world.loads = everySecond(60)
        world.faults = [
            Fault(kind: .outage(.pir, silent: false), begin: .seconds(10), length: .seconds(10)),
            Fault(kind: .outage(.pir, silent: false), begin: .seconds(15), length: .seconds(15)),
            Fault(kind: .outage(.pir, silent: true), begin: .seconds(25), length: .seconds(2)),
        ]
        let record = try world.run()
        #expect(record.urlFilter.lookups.failed == [.unavailable: 18, .network: 2])
        #expect(record.urls.policyCauses == [.unavailable: 18, .timeout: 2])
    }

    @Test func aSilentOutageAnswersNobodyWhoWaitsInTheQueue() throws {
        var world = World()
        world.services.pir = World.station(cores: 1)
        world.loads = (0..<4).map { .init(at: .seconds(1), client: $0) }
        // All four are at the station by then: one in service, three in the queue.
        world.faults = [
            Fault(kind: .outage(.pir, silent: true), begin: .seconds(1.048), length: .seconds(1))
        ]
        let record = try world.run()
        #expect(record.urlFilter.lookups.answered == 1)
        #expect(record.urlFilter.lookups.failed == [.network: 3])
        #expect(record.urls.policyCauses == [.timeout: 3])
        world.faults[0].kind = .outage(.pir, silent: false)
        #expect(try world.run().urlFilter.lookups.failed == [.unavailable: 3])
    }

    @Test func slowDownsMultiplyEachOtherAndLeaveNothingBehind() throws {
        var world = World()
        world.loads = [0.5, 10.5, 20.5, 30.5].enumerated().map {
            .init(at: .seconds($0.element), client: $0.offset)
        }
        world.faults = [
            Fault(kind: .slowDown(.pir, factor: 3), begin: .seconds(10), length: .seconds(20)),
            Fault(kind: .slowDown(.pir, factor: 7), begin: .seconds(20), length: .seconds(10)),
        ]
        let record = try world.run()
        let working = try #require(record.urlFilter.stages[.pirWorking])
        #expect(working.count == 4)
        #expect(working.min == .nanoseconds(5_000_011))
        #expect(working.max == .nanoseconds(21 * 5_000_011))
        #expect(working.mean == .nanoseconds((1 + 3 + 21 + 1) * 5_000_011 / 4))
    }

    @Test func aSlowRelayDelaysBothWays() throws {
        var world = World()
        world.loads = [.init(at: .seconds(1)), .init(at: .seconds(20), client: 1)]
        world.faults = [Fault(kind: .slowDown(.relay, factor: 10), begin: .seconds(10), length: .seconds(20))]
        let record = try world.run()
        #expect(record.verdictLatency.min == .nanoseconds(Self.unloaded))
        #expect(record.verdictLatency.max == .nanoseconds(Self.unloaded + 2 * 63_000_000))
    }

    @Test func anEnormousSlowDownIsNoError() throws {
        var world = World()
        world.loads = [.init(at: .seconds(1))]
        world.faults = (0..<5).map { _ in
            Fault(kind: .slowDown(.pir, factor: 10_000), begin: .zero, length: .seconds(50))
        }
        let record = try world.run()
        #expect(record.urls.policyCauses == [.timeout: 1])
        #expect(record.urlFilter.lookups.failed == [.network: 1])
    }

    @Test func afterARestartOfPIRLookupsFailUntilTheNextConfiguration() throws {
        var world = World()
        world.duration = .hours(3)
        world.behaviour.configurationRefetch = .hours(1)
        world.loads = (0..<180).map {
            .init(at: .seconds(Double($0) * 60 + 30), client: 0, url: "https://listed\($0).example/")
        }
        world.faults = [Fault(kind: .restart(.pir), begin: .hours(1), length: .zero)]
        let record = try world.run()
        let failed = record.urlFilter.lookups.failed[.keyMissing, default: 0]
        #expect(record.urlFilter.lookups.failed == [.keyMissing: failed])
        #expect((1...60).contains(failed))
        #expect(record.urlFilter.lookups.answered == 180 - failed)
        #expect(record.urls.leaked == failed)
        #expect(record.urlFilter.endpoints[.key]?.requests == 1)
        // The failures are the lookups from the restart on, without a gap: minute 60 to the refetch.
        let failures = record.series.points.map(\.failures)
        #expect(failures[60..<(60 + failed)].allSatisfy { $0 == 1 })
        #expect(failures.reduce(0, +) == failed)
    }

    @Test func afterARestartOfTheIssuerTheStockIsRefusedAndThenReplaced() throws {
        var world = World()
        world.duration = .hours(1)
        world.loads = (0..<60).map {
            .init(at: .seconds(Double($0) * 60 + 30), client: 0, url: "https://listed\($0).example/")
        }
        world.faults = [Fault(kind: .restart(.issuer), begin: .seconds(1), length: .zero)]
        let record = try world.run()
        // All ten tokens of the stock are stale, and each costs one lookup.
        #expect(record.urlFilter.lookups.failed == [.tokenRefused: 10])
        #expect(record.urlFilter.lookups.answered == 50)
        #expect(record.urlFilter.endpoints[.directory]?.requests == 1)
        #expect(record.urlFilter.endpoints[.tokenKey]?.requests == 1)
        #expect(record.urlFilter.endpoints[.issue]?.failures == 6)
    }

    @Test func aRelayThatRefusesTheKeyUploadKeepsTheFilterInactive() throws {
        var world = World()
        world.start = .cold
        world.duration = .hours(1)
        world.services.relay.maximumRequestBody = 100_000
        world.loads = (0..<60).map { .init(at: .seconds(Double($0) * 60 + 30)) }
        let record = try world.run()
        #expect(record.urls.policyCauses == [.notReady: 60])
        let key = try #require(record.urlFilter.endpoints[.key])
        #expect(key.requests > 3 && key.failures == key.requests && key.responses == 0)
        #expect(record.urlFilter.endpoints[.config]?.failures == 0)
        #expect(record.urlFilter.lookups.sent == 0)
    }

    @Test func aSizeCapForAWhileOnlyDelaysTheStart() throws {
        var world = World()
        world.start = .cold
        world.duration = .hours(1)
        world.loads = [.init(at: .seconds(60)), .init(at: .hours(0.9))]
        world.faults = [
            Fault(kind: .sizeCap(bytes: 100_000), begin: .zero, length: .minutes(10)),
            Fault(kind: .sizeCap(bytes: 500_000), begin: .minutes(5), length: .hours(1)),
        ]
        let record = try world.run()
        #expect(record.urls.policyCauses == [.notReady: 1])
        #expect(record.urls.blockedByServer == 1)
    }

    @Test func aCaptivePortalCutsOffItsGroupOnly() throws {
        var world = World()
        world.loads = everySecond(60)
        var groups = try world.groups()
        groups.append(groups[0])
        groups[0].name = "school"
        groups[1].name = "home"
        world.faults = [
            Fault(kind: .captivePortal(group: "school"), begin: .seconds(20), length: .seconds(10))
        ]
        let record = try world.run(world.calibrated(groups: groups), groups: groups)
        #expect(record.urlFilter.lookups.sent == 120)
        #expect(record.urlFilter.lookups.failed == [.network: 10])
        world.faults[0].kind = .captivePortal(group: nil)
        let all = try world.run(world.calibrated(groups: groups), groups: groups)
        #expect(all.urlFilter.lookups.failed == [.network: 20])
    }

    @Test(arguments: [FailurePolicy.failOpen, .failClosed])
    func withoutAPrefilterThePolicyDecidesForEveryURL(policy: FailurePolicy) throws {
        var world = World()
        world.start = .cold
        world.policy = policy
        world.duration = .hours(1)
        world.loads = [
            .init(at: .minutes(10)), .init(at: .minutes(10), url: "https://harmless.example/"),
            .init(at: .minutes(50)), .init(at: .minutes(50), url: "https://harmless.example/"),
        ]
        world.faults = [
            Fault(kind: .outage(.prefilterOrigin, silent: false), begin: .zero, length: .minutes(30))
        ]
        let record = try world.run()
        #expect(record.urls.policyCauses == [.notReady: 2])
        #expect(record.urls.allowedByPrefilter == 1)
        #expect(record.urls.blockedByServer == 1)
        #expect(record.urls.leaked == (policy == .failOpen ? 1 : 0))
        #expect(record.urls.falselyBlocked == (policy == .failClosed ? 1 : 0))
        #expect(record.urlFilter.prefilter.failures == 60)
        #expect(record.urlFilter.prefilter.downloads == 1)
    }

    @Test func periodsOfZeroDoNotStopTheClock() throws {
        var world = World()
        world.start = .cold
        world.duration = .seconds(1)
        world.drain = .seconds(1)
        world.behaviour.retryPause = .zero
        world.behaviour.configurationRefetch = .zero
        world.device.prefilterFetchInterval = 0
        world.access.oneWayDelay = .constant(0)
        world.loads = [.init(at: .zero)]
        world.faults = [
            Fault(kind: .outage(.prefilterOrigin, silent: false), begin: .zero, length: .seconds(0.5)),
            Fault(kind: .outage(.relay, silent: false), begin: .zero, length: .seconds(0.5)),
        ]
        #expect(try world.run().urls.checked == 1)
    }
}
