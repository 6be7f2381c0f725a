import EventSimulation
import FleetModel
import Foundation
import RandomStreams
import Testing

/// Delays of which those of one device are alike, and packets that get lost.
struct DelayMemoryTests {
    private static let lte = Distribution.lognormal(median: 0.0225, p95: 0.055)

    private func lookups(
        _ memory: DelayMemory, delay: Distribution = lte, loss: Double = 0, devices: Int = 2_000,
        at times: [Double] = [1]
    ) throws -> [[LoggedLookup]] {
        var world = World()
        world.access = AccessNetwork(oneWayDelay: delay, uplink: 1e15, downlink: 1e15)
        world.access.memory = memory
        world.access.loss = loss
        world.services.relay.oneWayDelay = .constant(0)
        world.services.backendDelay = .constant(0)
        world.duration = .seconds((times.max() ?? 0) + 30)
        world.loads = times.enumerated().flatMap { place, time in
            (0..<devices).map {
                World.Load(at: .seconds(time), client: $0, url: "https://listed\(place).example/")
            }
        }
        let log = LookupLog()
        let groups = try world.groups()
        _ = try #require(
            try runReplication(
                world.configuration(groups: groups), catalogs: [try World.catalog()],
                .urlFilter(try world.calibrated(groups: groups)), replication: 0,
                watchedBy: Onlooker(log: log)))
        return times.indices.map { place in
            log.lookups.filter { $0.number == log.lookups.map(\.number).min().map { $0 + UInt32(place) } }
                .sorted { $0.device < $1.device }
        }
    }

    /// The two delays of each device's lookups.
    private func delays(
        _ memory: DelayMemory, delay: Distribution = lte, at times: [Double] = [1]
    ) throws -> [[Double]] {
        try lookups(memory, delay: delay, at: times).map {
            $0.map { $0.stages[.propagation]?.seconds ?? .nan }
        }
    }

    private func quantile(_ values: [Double], _ share: Double) -> Double {
        values.sorted()[Int(share * Double(values.count))]
    }

    /// The distribution of the sum of two delays, by an independent computation: four million draws of NumPy.
    @Test(arguments: [(0.0, 0.0481, 0.0926), (0.5, 0.0466, 0.1015), (1.0, 0.0450, 0.1101)])
    func sharesMoveTheSumAndNotTheDelay(_ share: Double, _ median: Double, _ p95: Double) throws {
        let memory = DelayMemory(deviceShare: share, stateShare: 0, stateTime: .seconds(60))
        let values = try delays(memory)[0]
        // Of 2 000 devices: three standard errors of these quantiles are below 6 %.
        #expect(abs(quantile(values, 0.5) / median - 1) < 0.06)
        #expect(abs(quantile(values, 0.95) / p95 - 1) < 0.08)
    }

    /// Of a score, not of what it is the score of: each delay keeps its distribution.
    @Test(arguments: [
        lte, .exponential(mean: 0.02), .uniform(lower: 0.01, upper: 0.03), .weibull(shape: 0.7, scale: 0.02),
        .gamma(shape: 2, scale: 0.01), .truncated(.exponential(mean: 1), lower: 0.1, upper: 2),
    ])
    func scoresGiveTheDistribution(_ law: Distribution) throws {
        for score in stride(from: -3.0, through: 3.0, by: 0.5) {
            let share = law.cumulative(law.value(atScore: score))
            #expect(abs(share - StandardNormal.cumulative(score)) < 1e-9)
        }
    }

    /// Two lookups of a device agree as its share says, and as device and state together while the state lasts.
    @Test func aDeviceIsSlowTwice() throws {
        let memory = DelayMemory(deviceShare: 0.4, stateShare: 0.4, stateTime: .hours(1))
        let values = try delays(memory, at: [1, 8, 4 * 3_600]).map { $0.map { log($0) } }
        func correlation(_ left: [Double], _ right: [Double]) -> Double {
            let count = Double(left.count)
            let (meanLeft, meanRight) = (left.reduce(0, +) / count, right.reduce(0, +) / count)
            func moment(_ a: [Double], _ meanA: Double, _ b: [Double], _ meanB: Double) -> Double {
                zip(a, b).reduce(0) { $0 + ($1.0 - meanA) * ($1.1 - meanB) }
            }
            return moment(left, meanLeft, right, meanRight)
                / (moment(left, meanLeft, left, meanLeft) * moment(right, meanRight, right, meanRight))
                .squareRoot()
        }
        let (soon, late) = (correlation(values[0], values[1]), correlation(values[0], values[2]))
        // The sum of two packets: 0.8 / (0.8 + 0.1) and 0.4 / (0.8 + 0.1), but for the curve of the logarithm.
        #expect(abs(soon - 0.89) < 0.04 && abs(late - 0.44) < 0.07, "\(soon) \(late)")
    }

    @Test func withoutSharesNothingIsAlike() throws {
        let values = try delays(.none, at: [1, 8])
        let product = zip(values[0], values[1]).reduce(0.0) { $0 + (log($1.0) + 3) * (log($1.1) + 3) }
        #expect(abs(product / 2_000) < 0.02)
    }

    /// Of 25 packets at 1.1 %, 24.2 % of messages lose one; of those 0.42 lose more than one packet or the last.
    @Test func lossMeansRoundTrips() {
        var stream = RandomStream(seed: 1, replication: 0, entity: 0, purpose: StreamPurpose("loss test"))
        let rounds = (0..<200_000).map { _ in
            PacketLoss.roundTrips(bytes: 29_000, rate: 0.011, using: &stream)
        }
        let none = Double(rounds.count { $0 == 0 }) / 200_000
        #expect(abs(none - pow(0.989, 25)) < 0.004)
        // By simulation of single packets, an independent way.
        var other = RandomStream(seed: 2, replication: 0, entity: 0, purpose: StreamPurpose("loss test"))
        var total = 0
        for _ in 0..<200_000 {
            var packets = 25
            while packets > 0 {
                let lost = (0..<packets).filter { _ in other.uniform() < 0.011 }
                guard let last = lost.last else { break }
                total += last == packets - 1 ? 2 : 1
                packets = lost.count
            }
        }
        let (mean, brute) = (Double(rounds.reduce(0, +)) / 200_000, Double(total) / 200_000)
        #expect(abs(mean - brute) < 0.006, "\(mean) \(brute)")
        #expect(PacketLoss.roundTrips(bytes: 29_000, rate: 0, using: &stream) == 0)
    }

    /// Whole round trips of 10 ms, by those messages that lose something.
    @Test func lookupsWaitForWhatIsLost() throws {
        func waits(_ loss: Double) throws -> [Double] {
            try lookups(.none, delay: .constant(0.005), loss: loss, devices: 400)[0].map {
                ($0.stages[.transmission]?.seconds ?? .nan) / 0.01
            }
        }
        #expect(try waits(0).allSatisfy { $0 < 1e-6 })
        let late = try waits(0.02)
        #expect(late.allSatisfy { abs($0 - $0.rounded()) < 1e-6 })
        #expect(late.contains { $0 > 0.5 } && late.contains { $0 < 0.5 })
    }
}

private final class LookupLog: FleetLog {
    private(set) var lookups: [LoggedLookup] = []

    func add(_ url: LoggedURL) {}
    func add(_ lookup: LoggedLookup) { lookups.append(lookup) }
    func add(_ station: LoggedStation) {}
}
