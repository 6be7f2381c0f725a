import EventSimulation
import FleetModel
import RandomStreams
import Testing
import URLFilter

struct KeyStoreTests {
    /// Against a list in the order of uploads: where keys are nowhere else, uses move nobody.
    @Test(arguments: [1, 2, 7, 40])
    func whoUploadedFirstMakesRoom(capacity: Int) {
        var memory = KeyMemory(of: .memory, capacity: capacity)
        var model: [Int] = []
        var stream = RandomStream(seed: 1, replication: 0, entity: 0, purpose: StreamPurpose("keys"))
        for step in 0..<5_000 {
            if step.isMultiple(of: 1_000) {
                memory.removeAll()
                model = []
            }
            let device = stream.index(below: 30)
            let isThere = memory.use(device)
            #expect(isThere == model.contains(device))
            guard stream.index(below: 2) == 0 else { continue }
            model.removeAll { $0 == device }
            model.append(device)
            let gone = model.count > capacity ? [Int32(model.removeFirst())] : []
            let dropped = memory.insert(device)
            #expect(dropped == gone)
        }
        #expect(memory.peak == min(capacity, 30))
        #expect((memory.evictions > 0) == (capacity < 30))
    }

    /// Of one device: four lookups of different URLs, before which the servers stand as in a long run.
    private static func world(
        _ store: KeyStoreKind, _ balancing: Balancing, instances: Int = 2
    ) -> World {
        var world = World()
        world.services.pir = StationConfiguration(
            instances: instances, cores: 64, queueCapacity: nil, cpuFactor: 1, balancing: balancing,
            keyStore: store)
        world.loads = (0..<4).map {
            .init(at: .seconds(10 + 10 * Double($0)), url: "https://listed\($0).example/")
        }
        return world
    }

    @Test(arguments: [
        (KeyStoreKind.memory, Balancing.roundRobin, 2), (.sqlite, .roundRobin, 2), (.shared, .roundRobin, 0),
        (.memory, .stickyByUser, 0), (.sqlite, .stickyByUser, 0), (.memory, .pooled, 0),
        (.copied, .roundRobin, 0), (.copied, .stickyByUser, 0),
    ])
    func aKeyIsWhereItWasUploaded(store: KeyStoreKind, balancing: Balancing, failures: Int) throws {
        let record = try Self.world(store, balancing).run()
        #expect(record.urlFilter.lookups.failed[.keyMissing, default: 0] == failures)
        #expect(record.urlFilter.lookups.answered == 4 - failures)
    }

    /// The last instance is away from 15 to 25 s: of the lookups at 10, 20, 30 and 40 s the one that comes to it
    /// afterwards finds no key. In turn, one of the last two does.
    @Test func anInstanceThatWasAwayLacksTheCopies() throws {
        var world = Self.world(.copied, .roundRobin)
        world.faults = [
            Fault(kind: .instanceLoss(.pir, instances: 1), begin: .seconds(15), length: .seconds(10))
        ]
        let lookups = try world.run().urlFilter.lookups
        #expect(lookups.failed == [.keyMissing: 1] && lookups.answered == 3)
    }

    @Test(arguments: [(KeyStoreKind.memory, 2), (.copied, 2), (.sqlite, 0), (.shared, 0)])
    func aRestartLosesWhatIsInMemoryOnly(store: KeyStoreKind, failures: Int) throws {
        var world = Self.world(store, .stickyByUser)
        world.faults = [Fault(kind: .restart(.pir), begin: .seconds(25), length: .zero)]
        #expect(try world.run().urlFilter.lookups.failed[.keyMissing, default: 0] == failures)
    }

    @Test(arguments: [(KeyStoreKind.memory, 2), (.sqlite, 0)])
    func aSuccessorBeginsWithAnEmptyMemory(store: KeyStoreKind, failures: Int) throws {
        var world = Self.world(store, .stickyByUser, instances: 1)
        let deployment = Fault.Deployment(batch: 1, drain: .seconds(1), start: .seconds(1))
        world.faults = [
            Fault(kind: .deployment(.pir, deployment), begin: .seconds(22), length: .seconds(2))
        ]
        #expect(try world.run().urlFilter.lookups.failed[.keyMissing, default: 0] == failures)
    }

    /// Room for two keys of three devices: in the order 0, 1, 2 nobody finds his own.
    @Test(arguments: [KeyStoreKind.shared, .memory])
    func aFullMemoryReadsKeysOrLosesThem(store: KeyStoreKind) throws {
        var world = World()
        world.services.pir = StationConfiguration(
            instances: 1, cores: 64, queueCapacity: nil, cpuFactor: 1, memory: 1 + 2 * 400_000 + 399_999,
            keyStore: store)
        world.loads = (0..<6).map {
            .init(
                at: .seconds(5 + 5 * Double($0)), client: $0 % 3, url: "https://listed\($0).example/")
        }
        let record = try world.run()
        let memory = try #require(record.urlFilter.memory)
        #expect(memory.peakBytes == 800_001)
        guard store == .shared else {
            // Device 0 made room when device 2 came; the keys of 1 and 2 stay, because nothing else is used.
            #expect(record.urlFilter.lookups.failed == [.keyMissing: 2])
            return #expect(memory.evictions == 1)
        }
        #expect(record.urlFilter.lookups.answered == 6)
        #expect(record.urlFilter.lookups.keyReads == 6)
        #expect(memory.evictions == 7)
        // Reading a key is the work of an upload.
        #expect(record.urlFilter.stages[.pirWorking]?.min == .nanoseconds(2 * 5_000_011))
    }

    @Test func withoutABoundMemoryIsNotLookedAt() throws {
        let record = try Self.world(.shared, .roundRobin).run()
        #expect(record.urlFilter.memory == nil && record.urlFilter.lookups.keyReads == 0)
    }

    @Test func anInstanceLoadsTheDatabaseBeforeItTakesRequests() {
        func rule(_ startDelay: SimulatedDuration?, loadRate: Double?) -> ScalingRule {
            var rule = ScalingRule(
                target: 0.5, minimum: 1, maximum: 2, period: .seconds(60), coolDown: .zero,
                startDelay: startDelay, boot: .seconds(60), loadRate: loadRate)
            rule.databaseBytes = 1_250_000_000
            return rule
        }
        #expect(rule(nil, loadRate: 125e6).startDelay == .seconds(70))
        #expect(rule(nil, loadRate: nil).startDelay == .seconds(60))
        #expect(rule(.seconds(5), loadRate: 125e6).startDelay == .seconds(5))
    }
}
