import EventSimulation
import FleetModel
import RandomStreams
import Testing
import URLFilter

/// What a lookup costs on a cold connection, by hand. A round trip of the access network takes 10 ms, a lookup sends
/// 29 kB at 10 MB/s and receives 30 kB at 20 MB/s.
struct ConnectionTests {
    /// Two rounds each way: 12 kB take 1.2 of the 10 ms of a round up, and 0.6 ms down.
    private static let slowStart = 8_800_000 + 9_400_000

    private static let rules = ConnectionRules(
        transport: .http3, idleTimeout: .seconds(30), uncachedNameShare: 0, earlyDataShare: 0,
        initialWindow: 12_000, windowIdle: .seconds(1))

    private func world(_ rules: ConnectionRules?, at seconds: [Double]) -> World {
        var world = World()
        world.access = AccessNetwork(oneWayDelay: .constant(0.005), uplink: 10e6, downlink: 20e6)
        world.connections = rules
        world.loads = seconds.enumerated().map { number, second in
            .init(at: .seconds(second), url: "https://listed\(number).example/")
        }
        return world
    }

    /// Nanoseconds of a stage: least, most and sum over all lookups, the sum to the microsecond: a mean is rounded.
    private func stage(_ stage: Stage, _ record: ReplicationRecord) throws -> [Int64] {
        let times = try #require(record.urlFilter.stages[stage])
        let (least, most) = (try #require(times.min), try #require(times.max))
        return [
            least.nanoseconds, most.nanoseconds,
            Int64((try #require(times.mean).seconds * Double(times.count) * 1e6).rounded()) * 1_000,
        ]
    }

    @Test(
        "a cold connection costs its round trips, to the nanosecond",
        arguments: [
            (ConnectionRules.Transport.http3, 0.0, 0.0, 1), (.http2, 0, 0, 2), (.http3, 1, 0, 2),
            (.http3, 0, 1, 0), (.http2, 1, 1, 2),
        ])
    func setUp(
        transport: ConnectionRules.Transport, uncached: Double, early: Double, roundTrips: Int64
    ) throws {
        let warm = try #require(try world(nil, at: [1]).run().verdictLatency.max).nanoseconds
        var rules = Self.rules
        (rules.transport, rules.uncachedNameShare, rules.earlyDataShare) = (transport, uncached, early)
        let record = try world(rules, at: [1]).run()
        let connection = roundTrips * 10_000_000
        #expect(record.verdictLatency.max?.nanoseconds == warm + connection + Int64(Self.slowStart))
        #expect(record.urlFilter.stages[.connection]?.max?.nanoseconds == connection)
        #expect(record.urlFilter.stages[.slowStart]?.max?.nanoseconds == Int64(Self.slowStart))
        let stages = Stage.allCases.compactMap { record.urlFilter.stages[$0]?.max?.nanoseconds }
        #expect(stages.reduce(0, +) == record.verdictLatency.max?.nanoseconds)
    }

    @Test func anIdleConnectionIsClosedAndItsWindowLapsesEarlier() throws {
        // Cold; half a second later with windows that have doubled once, then twice; after ten seconds with the first
        // window on the same connection; after the idle time-out cold again.
        let record = try world(Self.rules, at: [1, 1.5, 2, 12, 50]).run()
        #expect(record.urlFilter.lookups.answered == 5)
        #expect(try stage(.connection, record) == [0, 10_000_000, 20_000_000])
        // 24 kB take 2.4 ms up and 1.2 ms down, and 48 kB hold it all.
        let second: Int64 = 7_600_000 + 8_800_000
        #expect(
            try stage(.slowStart, record) == [0, Int64(Self.slowStart), 3 * Int64(Self.slowStart) + second])
    }

    @Test func aServerThatWorksForLongAnswersThroughTheFirstWindow() throws {
        var world = world(Self.rules, at: [1, 3.5])
        world.services.pir.cpuFactor = 400
        // The second comes half a second after the answer to the first, and is answered two seconds later.
        #expect(
            try stage(.slowStart, world.run()) == [
                7_600_000 + 9_400_000, Int64(Self.slowStart), Int64(Self.slowStart) + 17_000_000,
            ])
    }

    @Test func messagesWaitForTheSetUpThatAnotherOneBegan() throws {
        let record = try world(Self.rules, at: [1, 1.002]).run()
        #expect(record.urlFilter.lookups.answered == 2)
        #expect(try stage(.connection, record) == [8_000_000, 10_000_000, 18_000_000])
    }

    @Test func theShareOfUncachedNamesIsDrawn() throws {
        var rules = Self.rules
        rules.uncachedNameShare = 0.3
        var world = world(rules, at: [])
        world.loads = (0..<2_000).map { .init(at: .seconds(1 + Double($0) * 0.02), client: $0) }
        let times = try #require(try world.run().urlFilter.stages[.connection])
        #expect(times.min == .milliseconds(10) && times.max == .milliseconds(20))
        // 600 of 2 000 expected, standard deviation 20.5.
        let uncached = (try #require(times.mean).seconds / 0.01 - 1) * 2_000
        #expect(abs(uncached - 600) < 4 * 20.5)
    }

    /// A key of 400 kB: windows of 12, 24, 48, 96 and 192 kB, and 28 kB at the end.
    @Test func slowStartIsTheSumOfItsRounds() {
        let roundTrip = SimulatedDuration.milliseconds(10)
        let cost = SlowStart.cost(bytes: 400_000, window: 12_000, rate: 10e6, roundTrip: roundTrip)
        let rounds = [12.0, 24, 48, 96, 192].map { max(10, $0 / 10) } + [28.0 / 10]
        #expect(cost.rounds == 5)
        #expect((cost.pauses + .milliseconds(40)).seconds == rounds.reduce(0, +) / 1_000)
        #expect(SlowStart.cost(bytes: 12_000, window: 12_000, rate: 1e6, roundTrip: roundTrip) == (.zero, 0))
        // A line that is busy with each window for longer than a round trip never pauses.
        #expect(SlowStart.cost(bytes: 99_000, window: 12_000, rate: 1e6, roundTrip: roundTrip) == (.zero, 3))
    }

    @Test func aRadioThatSleepsWakesUpFirst() throws {
        var world = world(nil, at: [1, 6, 20])
        let awake = try #require(try world.run().verdictLatency.max)
        world.access.radio = RadioSleep(wakeUp: .constant(0.26), idle: .seconds(11.6))
        let record = try world.run()
        #expect(try stage(.radio, record) == [0, 260_000_000, 520_000_000])
        #expect(record.verdictLatency.max == awake + .milliseconds(260))
        #expect(record.verdictLatency.min == awake)
        #expect(record.urlFilter.stages[.slowStart]?.max == nil)
    }
}
