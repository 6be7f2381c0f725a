import EventSimulation
import FleetModel
import Testing
import URLFilter

/// Devices of iOS 27 and 27.3 in a world with constant delays.
struct GenerationTests {
    private func world(_ os: OSGeneration) -> World {
        var world = World()
        world.generation = os.rules
        world.generation.tokens.refillSpread = 0
        world.generation.tokens.background?.spread = 0
        return world
    }

    private func lookups(_ times: [SimulatedDuration]) -> [World.Load] {
        times.enumerated().map { .init(at: $0.element, url: "https://listed\($0.offset).example/") }
    }

    /// Ten at first, of which configuration and key take two; four lookups leave four, so ten more at once; one every
    /// six hours.
    @Test func aDayOfiOS27() throws {
        var world = world(.iOS27)
        world.start = .cold
        world.duration = .hours(25)
        world.loads = lookups((0..<4).map { .hours(1 + 0.01 * Double($0)) })
        let record = try world.run()
        #expect(record.urlFilter.endpoints[.issue]?.succeeded == 10 + 10 + 4)
        #expect(record.urlFilter.endpoints[.tokenKey]?.requests == 1)
        #expect(record.urlFilter.lookups.answered == 4)
        // With iOS 26: four, and eight a few seconds later; four lookups leave six, which is enough.
        var older = world
        older.generation = OSGeneration.iOS26.rules
        older.generation.tokens.life = 1_000_000 * World.hour
        #expect(try older.run().urlFilter.endpoints[.issue]?.succeeded == 4 + 8)
    }

    /// Tokens are as good as new after six days, and gone after eight.
    @Test(arguments: [(6.0, 0), (8.0, 10)]) func tokensLiveAWeek(days: Double, discarded: Int) throws {
        var world = world(.iOS27)
        world.start = .cold
        world.duration = .hours(24 * 9)
        world.generation.tokens.background = nil
        world.generation.tokens.refillBelow = 0
        world.loads = lookups([.hours(24 * days)])
        let work = ScriptedWork { _, _ in 0 }
        let record = try world.run(work)
        // Scripted services have the key already, so that nine of ten are left.
        #expect(work.discardedTokens == (discarded == 0 ? 0 : 9))
        #expect(record.urlFilter.endpoints[.issue]?.requests == 10 + discarded)
    }

    /// One lookup a minute with nothing that refills: the 1st, 11th and 21st after the stock wait for a token.
    @Test func everyTenthLookupOfADeviceThatOutrunsItsStockWaitsForAToken() throws {
        var world = world(.iOS27)
        world.generation.tokens.refillBelow = 0
        world.generation.tokens.background = nil
        world.duration = .hours(1)
        world.loads = lookups((0..<31).map { .minutes(1 + Double($0)) })
        let record = try world.run()
        #expect(record.urlFilter.lookups.answered == 31)
        #expect(record.urlFilter.endpoints[.issue]?.succeeded == 30)
        let waits = try #require(record.urlFilter.stages[.token])
        // One exchange with the issuer: constant work and delays, 700 bytes up and 600 down.
        let exchange = SimulatedDuration.nanoseconds(11_700_061 + 25_000_000 + 700_000 + 300_000)
        #expect(waits.count == 31 && waits.max == exchange && waits.min == .zero)
        #expect(abs((waits.mean?.nanoseconds ?? 0) - 3 * exchange.nanoseconds / 31) <= 1)
    }

    /// The issuer gets a new key at noon of the first day; the stock of old tokens is used once a day.
    @Test(arguments: [(7.0, 7), (2.0, 2), (0.0, 0)])
    func tokensOfAnOldKeyAreGoodWhileItIsKept(days: Double, answered: Int) throws {
        var world = world(.iOS27)
        world.generation.tokens.background = nil
        world.generation.tokens.refillBelow = 0
        world.generation.tokens.life = 100 * 24 * World.hour
        world.services.tokenKeysKept = .hours(24 * days)
        world.duration = .hours(24 * 9.5)
        world.faults = [Fault(kind: .restart(.issuer), begin: .hours(12), length: .zero)]
        // One before the restart, and eight after it: 12, 36, 60, ... h later.
        world.loads = lookups((0..<9).map { .hours(24 * Double($0) + ($0 == 0 ? 11.99 : 0)) })
        let record = try world.run()
        #expect(record.urlFilter.lookups.answered == 1 + answered)
        #expect(record.urlFilter.lookups.failed == [.tokenRefused: 8 - answered])
    }

    @Test func aStockMayHoldMoreThanAByteCounts() throws {
        var world = World()
        world.start = .cold
        world.generation.tokens.stock = 600
        world.duration = .seconds(100)
        #expect(try world.run().urlFilter.endpoints[.issue]?.succeeded == 4 + 598)
    }

    @Test func iOS27_3AsksTheOperatorForLess() throws {
        var world = world(.iOS27_3)
        world.start = .cold
        world.behaviour.configurationRefetch = .hours(6)
        world.duration = .hours(25)
        world.generation.queryKeyShare = 1
        world.loads = lookups([.hours(1)])
        let record = try world.run()
        #expect(
            record.urlFilter.endpoints[.config]?.requests == 0
                && record.urlFilter.endpoints[.tokenKey]?.requests == 0)
        #expect(
            record.urlFilter.endpoints[.key]?.requests == 1
                && record.urlFilter.endpoints[.directory]?.requests == 1)
        #expect(record.urlFilter.endpoints[.issue]?.succeeded == 10 + 4)
        #expect(record.urlFilter.endpoints[.queries]?.largestRequest == 29_000 + 400_000)
        #expect(record.urlFilter.lookups.answered == 1)
    }

    /// The servers lose the key at 30 s: one lookup fails, and the device uploads a new one.
    @Test func iOS27_3MendsALostKey() throws {
        func record(_ os: OSGeneration) throws -> ReplicationRecord {
            var world = world(os)
            world.generation.queryKeyShare = world.generation.queryKeyShare.map { _ in 0 }
            world.faults = [Fault(kind: .restart(.pir), begin: .seconds(30), length: .zero)]
            world.loads = lookups([.seconds(10), .seconds(40), .seconds(50), .seconds(55)])
            return try world.run()
        }
        let healed = try record(.iOS27_3)
        #expect(healed.urlFilter.lookups.failed == [.keyMissing: 1] && healed.urlFilter.lookups.answered == 3)
        #expect(healed.urlFilter.endpoints[.key]?.succeeded == 1)
        #expect(try record(.iOS27).urlFilter.lookups.failed == [.keyMissing: 3])
    }

    /// A new configuration at 2 h; the cache's copies are of 0, 1.5 and 3 h, and devices ask every 30 min. The old
    /// database is gone at once.
    @Test(arguments: [(1.5, 1), (0.0, 0)]) func theCacheDelaysAConfiguration(hours: Double, failed: Int)
        throws
    {
        var world = world(.iOS27_3)
        world.start = .cold
        world.duration = .hours(3.5)
        world.behaviour.configurationRefetch = .minutes(30)
        world.generation.configurationCacheDelay = Nanoseconds(hours * Double(World.hour))
        world.prefilter = PrefilterConfiguration(
            byteCount: 1_000, unchangedByteCount: 100, originBandwidth: nil, republishInterval: .hours(2),
            changesConfiguration: true, keptConfigurations: 1)
        world.loads = lookups([.minutes(110), .minutes(130), .minutes(190)])
        let record = try world.run()
        #expect(record.urlFilter.lookups.failed == (failed == 0 ? [:] : [.configurationGone: failed]))
        #expect(record.urlFilter.lookups.answered == 3 - failed)
    }

    @Test func theConfigurationIsNotThereWhileTheRelayIsDown() throws {
        var world = world(.iOS27_3)
        world.start = .cold
        world.duration = .minutes(10)
        world.faults = [
            Fault(
                kind: .outage(.relay, silent: false), begin: .zero, length: .minutes(3))
        ]
        world.loads = lookups([.minutes(1), .minutes(9)])
        let record = try world.run()
        #expect(record.urls.policyCauses == [.notReady: 1] && record.urlFilter.lookups.answered == 1)
    }

    /// Eight clients, of which three and five devices have systems of their own: each client is replayed once.
    @Test func theSystemsOfAGroupShareItsTrace() throws {
        var world = World()
        world.loads = (0..<8).map { .init(at: .seconds(1 + Double($0)), client: $0) }
        world.deviceCount = 8
        let whole = try #require(try world.groups().first)
        guard case .trace(let replay) = whole.workload else { return }
        let parts = [0..<3, 3..<8].map { devices in
            var part = replay
            part.part = (devices, of: 8)
            return DeviceGroup(
                name: whole.name, count: devices.count, workload: .trace(part), access: whole.access,
                rules: whole.rules,
                generation: devices.lowerBound == 0
                    ? OSGeneration.iOS27.rules : OSGeneration.iOS27_3.rules)
        }
        let record = try world.run(world.calibrated(groups: parts), groups: parts)
        #expect(record.urls.checked == 8 && record.urlFilter.lookups.answered == 8)
    }
}
