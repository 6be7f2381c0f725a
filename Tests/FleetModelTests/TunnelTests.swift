import EventSimulation
import FleetModel
import Foundation
import RandomStreams
import Testing
import URLFilter
import Workload

/// What keeps tunnels up, by hand and against counting.
@Suite struct TunnelTests {
    private static func rules(
        idle: SimulatedDuration? = nil, handOversMakeKeys: Bool = false
    ) -> TunnelRules {
        TunnelRules(
            rekeyInterval: .hours(2), cpuPerHandshake: 0.5, bytesPerHandshake: 300, idle: idle,
            connect: RoundTrips(server: 2), handOversMakeKeys: handOversMakeKeys)
    }

    /// Ten devices load 70 URLs, a page, every `pause`, for a day.
    private static func run(
        _ rules: TunnelRules, pause: SimulatedDuration = .minutes(12), handOvers: Double = 0,
        coverage: Double = 1
    ) throws -> ReplicationRecord {
        var world = World()
        world.duration = .hours(24)
        world.usage.handOversPerDay = handOvers
        world.usage.coverage = coverage
        for page in 0..<Int(.hours(24) / pause) {
            for number in 0..<700 {
                world.loads.append(
                    .init(
                        at: pause * Double(page) + .milliseconds(Double(number)), client: number % 10,
                        url: "https://harmless.example/"))
            }
        }
        var mechanism = MechanismConfiguration.hostLevel(
            [], .failOpen,
            path: .through(
                RoundTrips(server: 3, site: 3), request: RoundTrips(server: 1, site: 1),
                setUp: RoundTrips(server: 1)))
        mechanism.tunnel = rules
        return try MechanismTests().run(world, mechanism)
    }

    /// Ten tunnels for 24 hours make new keys every two hours, and pages take no longer for it.
    @Test func rekeysAreHoursOverTheInterval() throws {
        let record = try Self.run(Self.rules())
        let tunnel = try #require(record.operations.tunnel)
        #expect(abs(tunnel.connectedSeconds - 10 * 86_400) < 1e-3)
        #expect(abs(tunnel.rekeys - 10 * 24 / 2) < 1e-9 && tunnel.setUps == 0 && tunnel.handOvers == 0)
        #expect(abs(record.operations.cpuSeconds - 120 * 0.5) < 1e-9)
        #expect(abs(record.operations.peakCores - 120 * 0.5 / 86_400) < 1e-9)
        // What it carries is 0 in this mechanism.
        #expect(abs(record.operations.deviceBytes - 120 * 300) < 1e-6)
        #expect(abs(record.operations.ingressBytes - 120 * 150) < 1e-6)
        #expect(abs(record.operations.egressBytes - 120 * 150) < 1e-6)
        // 2 hosts of 3 D + 3 P in place of 3 R and 1.4 requests: 7.4 times 6 ms.
        let mean = try #require(record.pageTimes.mean)
        #expect(abs(mean.nanoseconds - 44_400_000) <= 1)
    }

    /// A hand-over without MOBIKE makes new keys.
    @Test func handOversMakeKeys() throws {
        let kept = try Self.run(Self.rules(), handOvers: 3).operations.tunnel
        #expect(kept?.handOvers == 0)
        let record = try Self.run(Self.rules(handOversMakeKeys: true), handOvers: 3)
        let tunnel = try #require(record.operations.tunnel)
        #expect(abs(tunnel.handOvers - 30) < 1e-9)
        #expect(abs(record.operations.cpuSeconds - (120 + 30) * 0.5) < 1e-9)
        // One round trip of 16 ms, whatever the keys.
        #expect(record.handOverTimes.mean == .milliseconds(16))
    }

    /// One page of a device in each 12 minutes, in a minute of its own: nothing of the other eleven.
    @Test func aTunnelThatIdlesIsSetUpForTheNextLoad() throws {
        let idle = SimulatedDuration.minutes(1)
        let record = try Self.run(Self.rules(idle: idle))
        let tunnel = try #require(record.operations.tunnel)
        // In a minute of ten pages of ten devices, a page comes after a minute without one as exp(-1) says.
        let down = exp(-1.0)
        #expect(abs(tunnel.setUps - 1_200 * down) < 1e-6)
        #expect(abs(tunnel.connectedSeconds - 120 * 10 * 60 * (1 - down)) < 1e-3)
        #expect(abs(tunnel.rekeys - tunnel.connectedSeconds / 7_200) < 1e-9)
        // Pages take 44.4 ms longer, those that wait for two round trips 32 ms more: nothing in between.
        let (fast, slow) = (SimulatedDuration.microseconds(44_400), SimulatedDuration.microseconds(76_400))
        let (least, most) = (
            try #require(record.pageTimes.added.min), try #require(record.pageTimes.added.max)
        )
        #expect(abs((least - fast).nanoseconds) <= 2 && abs((most - slow).nanoseconds) <= 2)
        let mean = try #require(record.pageTimes.mean).seconds
        let spread = 5 * (down * (1 - down) / 2_000).squareRoot()
        #expect(abs((mean - 0.0444) / 0.032 - down) < spread)
    }

    /// Loads by a Poisson process, one after the other: how often the tunnel is found down, and for how long it is up.
    @Test(arguments: [0.2, 1, 4])
    func idlingIsThatOfAPoissonProcess(_ loads: Double) {
        let idle = 180.0
        let rate = loads / idle
        var stream = RandomStream(seed: 3, replication: 0, entity: 0, purpose: StreamPurpose("test loads"))
        var (time, up, found) = (0.0, 0.0, 0)
        let count = 200_000
        for _ in 0..<count {
            let pause = stream.exponential(mean: 1 / rate)
            up += min(pause, idle)
            if pause > idle { found += 1 }
            time += pause
        }
        let rules = Self.rules(idle: .seconds(idle))
        #expect(abs(Double(found) / Double(count) - rules.downShare(rate: rate)) < 0.006)
        #expect(abs(up / time - rules.upShare(rate: rate)) < 0.006)
        #expect(rules.upShare(rate: 0) == 0 && Self.rules().upShare(rate: 0) == 1)
    }
}
