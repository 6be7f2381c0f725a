import EventSimulation
import FleetModel
import RandomStreams
import Testing
import URLFilter
import Workload

/// Which harms faults have a hand in, against counting by hand and against a world whose fault does nothing.
@Suite struct FaultHarmTests {
    private static let outage = SimulatedDuration.seconds(20)..<SimulatedDuration.seconds(30)

    private func run(
        _ world: World, _ mechanism: MechanismConfiguration, groups: [DeviceGroup]? = nil
    ) throws -> ReplicationRecord {
        let catalog = try World.catalog(world.entries)
        let groups = try groups ?? world.groups()
        return try #require(
            try runReplication(
                world.configuration(groups: groups), catalogs: groups.map { _ in catalog },
                .mechanism(mechanism), replication: 0))
    }

    @Test func withoutFaultsNothingIsSaid() throws {
        var world = World()
        world.loads = [.init(at: .seconds(1))]
        #expect(try world.run().faultHarms == nil)
    }

    /// A proxy that knows two of the hosts, and is out of reach for ten seconds. Every third URL is on no list.
    @Test(arguments: [FailurePolicy.failOpen, .failClosed])
    func loadsInAnOutageAreCountedByHand(_ policy: FailurePolicy) throws {
        var world = World()
        // Steps of a second, so that a minute shows that nobody feels the outage any longer.
        world.health = HealthRule(window: .seconds(10), failureShare: 0.05)
        let times = (0..<60).map { SimulatedDuration.seconds(Double($0) + 0.25) }
        world.loads = times.enumerated().map { number, time in
            .init(
                at: time, client: number % 4,
                url: number % 3 == 0
                    ? "https://decoy.example/" : "https://listed\(number % 2 == 0 ? 0 : 5).example/")
        }
        world.faults = [
            Fault(
                kind: .outage(Part("proxy"), silent: false), begin: Self.outage.lowerBound,
                length: Self.outage.upperBound - Self.outage.lowerBound)
        ]
        let record = try run(world, .hostLevel(["listed0.example"], policy))
        var (hand, all) = (FaultHarms(), FaultHarms())
        for (number, time) in times.enumerated() {
            let isIn = Self.outage.contains(time)
            let isListed = number % 3 != 0
            let isBlocked = isIn ? policy == .failClosed : isListed && number % 2 == 0
            var one = FaultHarms()
            if isListed { one.listed = 1 }
            if isListed, !isBlocked { one.leaked = 1 }
            if !isListed, isBlocked { (one.falselyBlocked, one.brokenPages) = (1, 1) }
            if isIn { hand = Self.sum(hand, one) }
            all = Self.sum(all, one)
        }
        #expect(record.faultHarms == hand && hand.listed > 0)
        #expect(record.urls.listed == all.listed && record.urls.leaked == all.leaked)
        #expect(record.urls.falselyBlocked == all.falselyBlocked && record.brokenPages == all.brokenPages)
        // Both kinds of time have leaks of their own where the policy lets through.
        #expect(policy == .failClosed || hand.leaked > 0 && all.leaked > hand.leaked)
    }

    /// A PIR server that forgets keys is a fault of an instant, but felt until the devices have sent new ones.
    @Test func aFaultIsFeltUntilTheFleetIsHealthy() throws {
        var world = World()
        world.duration = .hours(3)
        world.behaviour.configurationRefetch = .hours(1)
        world.health = HealthRule(window: .minutes(10), failureShare: 0.05)
        world.loads = (0..<180).map {
            .init(at: .seconds(Double($0) * 60 + 30), client: 0, url: "https://listed\($0).example/")
        }
        world.faults = [Fault(kind: .restart(.pir), begin: .hours(1), length: .zero)]
        let record = try world.run()
        let failed = record.urlFilter.lookups.failed[.keyMissing, default: 0]
        // Every lookup is of a listed URL that fails open, once a minute.
        #expect(failed > 0 && record.urls.leaked == failed)
        #expect(record.faultHarms?.leaked == failed && record.faultHarms?.listed == failed)
    }

    /// The run ends before the fleet is healthy again, so that all that is left of it is the fault's.
    @Test func aFaultWhoseEndNobodySawLastsToTheEnd() throws {
        var world = World()
        world.duration = .hours(2)
        world.behaviour.configurationRefetch = .hours(24)
        world.health = HealthRule(window: .minutes(10), failureShare: 0.05)
        world.loads = (0..<120).map {
            .init(at: .seconds(Double($0) * 60 + 30), client: 0, url: "https://listed\($0).example/")
        }
        world.faults = [Fault(kind: .restart(.pir), begin: .hours(1), length: .zero)]
        let record = try world.run()
        #expect(record.recoveries.first?.isCensored == true)
        // The 60 lookups after it, answered or not.
        #expect(record.faultHarms?.listed == 60 && record.urls.leaked == 60)
        #expect(record.faultHarms?.leaked == record.urls.leaked)
    }

    /// A question that is asked before the fault and lost in it, and one that is asked in it and given up after it.
    @Test func whatIsUnderWayIsMet() throws {
        var world = World()
        world.health = HealthRule(window: .seconds(10), failureShare: 0.05)
        world.loads = [19.99, 29.5, 45].enumerated().map { number, second in
            .init(at: .seconds(second), client: number, url: "https://listed\(number).example/")
        }
        world.faults = [Fault(kind: .outage(.pir, silent: true), begin: .seconds(20), length: .seconds(10))]
        let record = try world.run()
        #expect(record.urls.leaked == 2 && record.urls.listed == 3)
        #expect(record.faultHarms?.leaked == 2 && record.faultHarms?.listed == 2)
    }

    /// Slower by nothing is no fault at all: outside of the outage everything is as there.
    @Test func theRestIsWhatItIsWithoutTheFault() throws {
        var world = World()
        world.duration = .hours(2)
        world.prefilter.republishInterval = .minutes(20)
        world.prefilter.newEntryShare = 0.5
        var draw = RandomStream(seed: 7, replication: 0, entity: 0, purpose: StreamPurpose("loads of a test"))
        world.loads = (0..<4_000).map { number in
            .init(
                at: .hours(2 * (Double(number) + draw.uniform()) / 4_000), client: number % 20,
                url: "https://listed\(Int(draw.uniform() * 1_000)).example/")
        }
        var mechanism = MechanismConfiguration(
            keeper: .server(reload: .minutes(5)), policy: .failOpen, path: .none, costs: MechanismCosts())
        mechanism.server = Part("proxy")
        func record(_ kind: Fault.Kind) throws -> ReplicationRecord {
            world.faults = [Fault(kind: kind, begin: .minutes(50), length: .minutes(15))]
            return try run(world, mechanism)
        }
        let faulty = try record(.outage(Part("proxy"), silent: false))
        let sound = try record(.slowDown(Part("proxy"), factor: 1))
        let (inFault, inSound) = (try #require(faulty.faultHarms), try #require(sound.faultHarms))
        #expect(faulty.recoveries.first?.seconds == 0)
        #expect(faulty.urls.leaked - inFault.leaked == sound.urls.leaked - inSound.leaked)
        #expect(faulty.urls.listed - inFault.listed == sound.urls.listed - inSound.listed)
        // Everything that is listed leaks in the outage; old lists leak always.
        #expect(inFault.leaked == inFault.listed && inFault.listed > 300)
        #expect(sound.urls.leaked - inSound.leaked > 50 && inSound.leaked < inFault.leaked)
    }

    private static func sum(_ one: FaultHarms, _ other: FaultHarms) -> FaultHarms {
        var sum = FaultHarms()
        sum.listed = one.listed + other.listed
        sum.leaked = one.leaked + other.leaked
        sum.falselyBlocked = one.falselyBlocked + other.falselyBlocked
        sum.brokenPages = one.brokenPages + other.brokenPages
        return sum
    }
}
