import EventSimulation
import FleetModel
import Foundation
import RandomStreams
import Testing
import URLFilter
import Workload

/// What an outage costs: pages that break, and the time until the fleet is well again.
struct OutageTests {
    /// One URL per second by one device, every other one a false hit.
    private func mixed(_ count: Int) -> [World.Load] {
        (0..<count).map {
            .init(
                at: .seconds(Double($0) + 0.5), client: $0,
                url: $0.isMultiple(of: 2) ? "https://listed\($0).example/" : "https://decoy.example/")
        }
    }

    @Test(
        "a page breaks when it is blocked for nothing or kept waiting",
        arguments: [
            // Refused at once: fail open loads everything, fail closed blocks the five false hits.
            (FailurePolicy.failOpen, false, 0), (.failClosed, false, 5),
            // Kept waiting for three seconds: all ten, whatever the policy then says.
            (.failOpen, true, 10), (.failClosed, true, 10),
        ])
    func brokenPages(policy: FailurePolicy, silent: Bool, broken: Int) throws {
        var world = World()
        world.policy = policy
        world.loads = mixed(60)
        world.faults = [Fault(kind: .outage(.pir, silent: silent), begin: .seconds(20), length: .seconds(10))]
        let record = try world.run()
        #expect(record.brokenPages == broken)
        #expect(record.urls.falselyBlocked == (policy == .failClosed ? 5 : 0))
        #expect(record.urls.leaked == (policy == .failOpen ? 5 : 0))
    }

    @Test func aPageThatBreaksInManyPlacesIsBrokenOnce() throws {
        var world = World()
        world.start = .cold
        world.policy = .failClosed
        world.duration = .hours(6)
        world.faults = [
            Fault(kind: .outage(.prefilterOrigin, silent: false), begin: .zero, length: .hours(6))
        ]
        let habits = try BrowsingHabits(try #require(BrowsingProfile.preset(named: "adult")))
        let web = try SyntheticWeb(WebParameters(), seed: 1)
        let groups = [
            DeviceGroup(
                name: "all", count: 40, workload: .synthetic(web, habits), access: world.access,
                rules: .documented)
        ]
        let record = try world.run(world.calibrated(groups: groups), groups: groups)
        // Without a prefilter every URL of every page is blocked.
        #expect(record.pageLoads > 20)
        #expect(record.urls.falselyBlocked == record.urls.checked)
        #expect(record.brokenPages == record.pageLoads)
        world.policy = .failOpen
        #expect(try world.run(world.calibrated(groups: groups), groups: groups).brokenPages == 0)
    }

    @Test func whatIsBrokenDuringWarmUpIsNotCounted() throws {
        var world = World()
        world.policy = .failClosed
        world.loads = mixed(60)
        world.warmUp = .seconds(25)
        world.faults = [Fault(kind: .outage(.pir, silent: false), begin: .seconds(20), length: .seconds(10))]
        #expect(try world.run().brokenPages == 3)
    }

    /// One lookup per minute, and a PIR server that forgets the device's key until the next configuration.
    private func restart(refetch: SimulatedDuration) -> World {
        var world = World()
        world.duration = .hours(3)
        world.behaviour.configurationRefetch = refetch
        world.health = HealthRule(window: .minutes(10), failureShare: 0.05)
        world.loads = (0..<180).map {
            .init(at: .seconds(Double($0) * 60 + 30), client: 0, url: "https://listed\($0).example/")
        }
        world.faults = [Fault(kind: .restart(.pir), begin: .hours(1), length: .zero)]
        return world
    }

    @Test func aFleetIsHealthyWhenTheLastLookupHasFailed() throws {
        let record = try restart(refetch: .hours(1)).run()
        let failed = record.urlFilter.lookups.failed[.keyMissing, default: 0]
        #expect(failed > 0)
        // One failure in each of so many minutes, and steps of a minute.
        #expect(record.recoveries == [FaultRecovery(seconds: Double(failed) * 60, isCensored: false)])
    }

    @Test func aFleetThatIsNotSeenHealthyHasALowerBound() throws {
        let record = try restart(refetch: .hours(1_000_000)).run()
        #expect(record.urlFilter.lookups.failed == [.keyMissing: 120])
        // The last window that fits begins after 170 minutes, and its first minute fails.
        #expect(record.recoveries == [FaultRecovery(seconds: 111 * 60, isCensored: true)])
    }

    @Test func theNextFaultEndsTheWatch() throws {
        var world = restart(refetch: .hours(1))
        world.faults = [
            Fault(kind: .outage(.pir, silent: false), begin: .minutes(30), length: .minutes(10)),
            Fault(kind: .outage(.pir, silent: false), begin: .minutes(60), length: .minutes(10)),
            Fault(kind: .outage(.pir, silent: false), begin: .minutes(75), length: .minutes(10)),
            Fault(kind: .outage(.pir, silent: false), begin: .minutes(90), length: .hours(9)),
        ]
        let record = try world.run()
        #expect(
            record.recoveries == [
                FaultRecovery(seconds: 0, isCensored: false),
                // Five minutes are too short for a window of ten; nothing was seen.
                FaultRecovery(seconds: 0, isCensored: true), FaultRecovery(seconds: 0, isCensored: true),
                FaultRecovery(seconds: 0, isCensored: true),
            ])
    }

    @Test func aFewFailuresAreHealthy() throws {
        var world = restart(refetch: .hours(1))
        let failed = try #require(try world.run().urlFilter.lookups.failed[.keyMissing])
        // A window of ten minutes may hold five failures.
        world.health.failureShare = 0.5
        let record = try world.run()
        #expect(
            record.recoveries == [FaultRecovery(seconds: Double(max(failed - 5, 0)) * 60, isCensored: false)])
    }

    @Test func anInstanceThatIsLostLeavesItsLoadToTheOthers() throws {
        var world = World()
        world.services.pir = StationConfiguration(instances: 2, cores: 1, queueCapacity: nil, cpuFactor: 1)
        world.loads = [10.0, 30, 50].flatMap { second in
            (0..<2).map {
                World.Load(at: .seconds(second), client: $0, url: "https://listed\(Int(second)).example/")
            }
        }
        world.faults = [
            Fault(kind: .instanceLoss(.pir, instances: 1), begin: .seconds(20), length: .seconds(20))
        ]
        let record = try world.run()
        let waiting = try #require(record.urlFilter.stages[.pirWaiting])
        #expect(waiting.count == 6)
        // Only the second lookup of second 30 had to wait for the first.
        #expect(waiting.max == .nanoseconds(5_000_011))
        #expect(waiting.mean == .nanoseconds(5_000_011 / 6))
        let station = try #require(record.stations[.pir])
        #expect(abs(station.availableSeconds - 100) < 1e-9)
        #expect(abs(station.utilization - 6 * 0.005_000_011 / 100) < 1e-12)
    }

    /// Lookups come to the PIR servers after 44.5 ms, 29 of them for sending, and take 5 ms there.
    @Test func aDeploymentReplacesOneInstanceAfterTheOther() throws {
        var world = World()
        world.services.pir = StationConfiguration(
            instances: 2, cores: 1, queueCapacity: nil, cpuFactor: 1, balancing: .roundRobin)
        func add(_ count: Int, at second: Double) {
            for _ in 0..<count {
                let number = world.loads.count
                world.loads.append(
                    .init(at: .seconds(second), client: number, url: "https://listed\(number).example/"))
            }
        }
        // Three come to each instance before the first gets no more; when it stops, one of its three is in service.
        add(6, at: 10)
        // While the first is away, while the second is, and with both.
        for second in [15.0, 25, 35] { add(2, at: second) }
        let deployment = Fault.Deployment(batch: 1, drain: .milliseconds(2), start: .seconds(10))
        world.faults = [
            Fault(
                kind: .deployment(.pir, deployment), begin: .seconds(10.046),
                length: deployment.length(instances: 2))
        ]
        #expect(world.faults[0].end == .seconds(10.046 + 20.004))
        let record = try world.run()
        #expect(record.urlFilter.lookups.failed == [.unavailable: 2])
        #expect(record.urlFilter.lookups.answered == 10)
        let station = try #require(record.stations[.pir])
        #expect(station.dropped == 2 && station.instances.map(\.arrivals) == [6, 6])
        // One of each pair waits when a single instance is there for both.
        #expect(record.urlFilter.stages[.pirWaiting]?.max == .nanoseconds(2 * 5_000_011))
    }

    @Test func aDeploymentReplacesTheInstancesThatScalingLeaves() throws {
        var world = World()
        world.services.pir = StationConfiguration(
            instances: 3, cores: 1, queueCapacity: nil, cpuFactor: 1, balancing: .roundRobin,
            scaling: ScalingRule(
                target: 1, minimum: 2, maximum: 2, period: .seconds(10), coolDown: .zero, startDelay: .zero))
        world.loads = [.init(at: .seconds(50))]
        let deployment = Fault.Deployment(batch: 1, drain: .seconds(1), start: .seconds(1))
        world.faults = [
            Fault(kind: .deployment(.pir, deployment), begin: .seconds(10), length: .seconds(4))
        ]
        let record = try world.run()
        #expect(record.urlFilter.lookups.answered == 1)
        #expect(record.stations[.pir]?.instances.count == 2)
    }

    @Test func aBalancerWithoutAnyInstanceRefuses() throws {
        var world = World()
        world.services.pir.balancing = .roundRobin
        world.loads = [.init(at: .seconds(10))]
        world.faults = [
            Fault(kind: .instanceLoss(.pir, instances: 1), begin: .seconds(5), length: .seconds(20))
        ]
        let record = try world.run()
        #expect(record.urlFilter.lookups.failed == [.unavailable: 1])
        #expect(record.stations[.pir]?.arrivals == 0)
    }

    @Test func withoutAnyInstanceRequestsWaitForTheFirstToReturn() throws {
        var world = World()
        world.loads = [.init(at: .seconds(10))]
        world.faults = [
            Fault(kind: .instanceLoss(.pir, instances: 1), begin: .seconds(5), length: .seconds(20)),
            Fault(kind: .instanceLoss(.pir, instances: 7), begin: .seconds(15), length: .seconds(15)),
        ]
        let record = try world.run()
        #expect(record.urls.policyCauses == [.timeout: 1])
        #expect(record.urlFilter.lookups.answered == 1 && record.urlFilter.lookups.late == 1)
        let waiting = try #require(record.urlFilter.stages[.pirWaiting]?.max)
        #expect(waiting > .seconds(19.9) && waiting < .seconds(20))
        #expect(record.brokenPages == 1)
    }

    @Test func theBusiestIntervalMayBeTheLast() throws {
        var world = World()
        world.duration = .seconds(120)
        world.services.pir = World.station(cores: 1)
        world.loads = (0..<10).map { .init(at: .seconds(70 + Double($0)), client: $0) }
        let station = try #require(try world.run().stations[.pir])
        #expect(station.intervalUtilizations.count == 2)
        #expect(abs(station.peakUtilization - 10 * 0.005_000_011 / 60) < 1e-12)
        world.duration = .seconds(30)
        world.loads = [.init(at: .seconds(10))]
        let short = try #require(try world.run().stations[.pir])
        #expect(short.intervalUtilizations.isEmpty && short.peakUtilization == short.utilization)
    }

    /// A sweep keeps its replications in files.
    @Test func healthRecoveriesAndChecksAreTheSameAfterWritingAndReading() throws {
        var world = restart(refetch: .hours(1))
        world.prefilter.republishInterval = .hours(1)
        let record = try world.run()
        func same<Value: Codable & Equatable>(_ value: Value) throws -> Bool {
            try JSONDecoder().decode(Value.self, from: JSONEncoder().encode(value)) == value
        }
        #expect(try same(record.health) && same(record.recoveries) && same(record.resourceChecks))
        #expect(try same(#require(record.urlFilter.freshness)))
    }

    /// The series of verdicts is compared with what the lookups did.
    @Test func healthCountsEveryVerdictThatNoCacheGave() throws {
        var world = World()
        world.loads =
            mixed(60)
            + mixed(60).map { World.Load(at: $0.at + .seconds(0.2), client: $0.client, url: $0.url) }
        world.faults = [Fault(kind: .outage(.pir, silent: false), begin: .seconds(20), length: .seconds(10))]
        let record = try world.run()
        let steps = record.health.steps
        #expect(steps.reduce(0) { $0 + Int($1.failures) } == record.urls.allowedByPolicy)
        #expect(
            steps.reduce(0) { $0 + Int($1.verdicts) }
                == record.urls.hit - record.urls.answeredByCache)
    }
}
