import EventSimulation
import FleetModel
import Foundation
import RandomStreams
import Statistics
import Testing
import URLFilter

/// The PIR servers as the queue of textbooks: every lookup is the first of its own device, so nothing but
/// Poisson arrivals reaches the station.
struct QueueingTests {
    private struct Means {
        var wait: [Double] = []
        var utilization: [Double] = []
        var queue: [Double] = []
        /// Of each instance, over all replications.
        var arrivals: [Int] = []
    }

    /// - Parameter service: CPU seconds of one lookup.
    private func replications(
        rate: Double, cores: Int, service: Distribution, count: UInt32 = 20, instances: Int = 1,
        balancing: Balancing = .pooled, speed: SpeedProcess? = nil
    ) throws -> Means {
        var means = Means()
        for replication in 0..<count {
            var world = World()
            world.duration = .seconds(120)
            world.warmUp = .seconds(10)
            world.services.pir = World.station(cores: cores)
            world.services.pir.instances = instances
            world.services.pir.balancing = balancing
            world.services.pir.speed = speed
            var arrivals = RandomStream(
                seed: 11, replication: replication, entity: 0, purpose: StreamPurpose("test arrivals"))
            var time = 0.0
            while true {
                time += arrivals.exponential(mean: 1 / rate)
                guard time < 120 else { break }
                world.loads.append(.init(at: .seconds(time), client: world.loads.count))
            }
            var services = RandomStream(
                seed: 11, replication: replication, entity: 0, purpose: StreamPurpose("test services"))
            let work = ScriptedWork { endpoint, stage in
                guard endpoint == .queries, stage == .serviceAnswers else { return 0 }
                return Int64(service.sample(using: &services) * 1e9)
            }
            let record = try world.run(work, replication: replication)
            #expect(work.orderIsKept && work.openCount == 0)
            #expect(record.urlFilter.lookups.answered == record.urls.checked)
            let station = try #require(record.stations[.pir])
            means.wait.append(try #require(record.urlFilter.stages[.pirWaiting]?.mean).seconds)
            means.utilization.append(station.utilization)
            means.queue.append(station.meanQueue)
            if means.arrivals.isEmpty { means.arrivals = station.instances.map { _ in 0 } }
            for (number, instance) in station.instances.enumerated() {
                means.arrivals[number] += instance.arrivals
            }
            #expect(station.instances.reduce(0) { $0 + $1.arrivals } == station.arrivals)
            let busy = station.instances.reduce(0) { $0 + $1.utilization } / Double(station.instances.count)
            #expect(abs(busy - station.utilization) < 1e-12)
        }
        return means
    }

    private func expect(_ samples: [Double], contain truth: Double, _ what: String) throws {
        let estimate = try #require(MeanEstimate(replicationMeans: samples, confidence: 0.999))
        #expect(
            estimate.bounds.contains(truth),
            "\(what): \(estimate.mean) ± \(estimate.halfWidth), theory \(truth)")
        #expect(estimate.halfWidth < 0.15 * truth, "\(what): the interval is too wide to say anything")
    }

    @Test("lookups wait as in M/M/c", arguments: [(rate: 70.0, cores: 1), (rate: 210.0, cores: 3)])
    func exponentialService(rate: Double, cores: Int) throws {
        let theory = try #require(
            try QueueingTheory.MMc(arrivalRate: rate, serviceRate: 100, servers: cores))
        let means = try replications(rate: rate, cores: cores, service: .exponential(mean: 0.01))
        try expect(means.wait, contain: theory.meanWait, "mean wait")
        try expect(means.utilization, contain: theory.utilization, "utilization")
        try expect(means.queue, contain: theory.meanQueueLength, "queue length")
    }

    @Test func instancesAtRandomAreQueuesOfTheirOwn() throws {
        let theory = try #require(try QueueingTheory.MMc(arrivalRate: 70, serviceRate: 100))
        let means = try replications(
            rate: 210, cores: 1, service: .exponential(mean: 0.01), instances: 3, balancing: .random)
        try expect(means.wait, contain: theory.meanWait, "mean wait")
        try expect(means.queue, contain: 3 * theory.meanQueueLength, "queue length")
        // About 462 000 arrivals, a third at each.
        for arrivals in means.arrivals { #expect(abs(Double(arrivals) * 3 / 462_000 - 1) < 0.01) }
    }

    @Test func instancesInTurnGetMoreRegularArrivals() throws {
        let theory = try #require(
            try QueueingTheory.InTurn(arrivalRate: 210, serviceRate: 100, queues: 3))
        let means = try replications(
            rate: 210, cores: 1, service: .exponential(mean: 0.01), instances: 3, balancing: .roundRobin)
        try expect(means.wait, contain: theory.meanWait, "mean wait")
        // Each replication starts anywhere in the turn.
        let arrivals = means.arrivals
        #expect((arrivals.max() ?? 0) - (arrivals.min() ?? 0) <= 20)
    }

    @Test func lookupsWithConstantServiceWaitAsInMD1() throws {
        let theory = try #require(
            try QueueingTheory.MG1(arrivalRate: 75, meanService: 0.01, serviceVariability: 0))
        let means = try replications(rate: 75, cores: 1, service: .constant(0.01))
        try expect(means.wait, contain: theory.meanWait, "mean wait")
        try expect(means.utilization, contain: theory.utilization, "utilization")
    }

    /// A phase that is over before the next lookup makes service times independent and log-normal.
    @Test func phasesThatLastNoTimeAreIndependentServices() throws {
        let spread = 0.5
        let theory = try #require(
            try QueueingTheory.MG1(
                arrivalRate: 70, meanService: 0.01, serviceVariability: exp(spread * spread) - 1))
        let means = try replications(
            rate: 70, cores: 1, service: .constant(0.01), speed: SpeedProcess(spread: spread, time: 1e-6))
        try expect(means.wait, contain: theory.meanWait, "mean wait")
        try expect(means.utilization, contain: theory.utilization, "utilization")
    }

    /// Phases of hours at half the load: every replication has a speed of its own, and waits as M/D/1 does at it.
    @Test func phasesThatOutlastTheRunAreAnotherSpeedEachDay() throws {
        let daily = 0.1
        let speed = SpeedProcess(spread: 0.06, time: 1e9, daily: 0.08)
        let means = try replications(
            rate: 50, cores: 1, service: .constant(0.01), count: 40, speed: speed)
        let logs = means.utilization.map { log($0 / 0.5) }
        let mean = logs.reduce(0, +) / 40
        let variance = logs.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / 39
        // 99.9 % of the chi-squared distribution with 39 degrees of freedom; arrivals add 1/6000.
        #expect((0.404...2.03).contains(variance / (daily * daily + 1.0 / 6000)))
        for (wait, utilization) in zip(means.wait, means.utilization) {
            let theory = try #require(
                try QueueingTheory.MG1(
                    arrivalRate: 50, meanService: utilization / 50, serviceVariability: 0))
            #expect(abs(wait / theory.meanWait - 1) < 0.25, "\(wait) at \(utilization)")
        }
    }

    /// One lookup of a second in each second, from 0 to 44. The looks at the utilization say: 1.00 of 1 instance, so
    /// 2 from second 15 on; 10 of 15 s, so 3 from second 25 on; 10 of 25 s, still 3; 10 of 30 s, so 2 again; then
    /// the cool-down lasts to the end.
    @Test func capacityFollowsTheLoad() throws {
        var world = World()
        world.services.pir = StationConfiguration(
            instances: 1, cores: 1, queueCapacity: nil, cpuFactor: 1,
            scaling: ScalingRule(
                target: 0.5, minimum: 1, maximum: 5, period: .seconds(10), coolDown: .seconds(20),
                startDelay: .seconds(5)))
        world.loads = (0..<45).map {
            .init(at: .seconds(Double($0)), client: $0, url: "https://listed\($0).example/")
        }
        let record = try world.run(
            ScriptedWork { endpoint, stage in
                endpoint == .queries && stage == .serviceAnswers ? 1_000_000_000 : 0
            })
        #expect(record.urlFilter.lookups.answered == 45)
        let station = try #require(record.stations[.pir])
        #expect(abs((station.instanceSeconds ?? 0) - (15 + 10 * 2 + 15 * 3 + 20 * 2)) < 1e-9)
        #expect(abs(station.busySeconds - 45) < 1e-9)
    }

    /// Age of the load, most starts, tolerance, stabilization; and seconds of all instances together.
    private static let autoscalers: [(Double, Int, Double, Double, Double)] = [
        (10, .max, 0, 0, 160), (10, 1, 0, 0, 135), (0, .max, 0.35, 0, 105), (0, .max, 0, 20, 140),
    ]

    /// The same lookups, and what an autoscaler does that learns late, starts one at a time, lets small differences be,
    /// or keeps what it wanted shortly before. By hand, from look to look:
    ///
    /// - 10 s late: nothing is known at 10 s; 1.00 of 1, so 2 from 25 s on; 1.00 again, now of 2, so 4 from 35 s on; 10 of
    ///   15 s of 4, so all 5 from 45 s on.
    /// - One at a time: 2, 3 and 4 at the same times.
    /// - A tolerance of 35 %: 10 of 15 s is near enough, and so is 10 of 20 s. At 50 s it is 5 of 20 s and the 12.5 ms
    ///   that lookups are on their way, for which 1 is a little too few: 2 stay to the end.
    /// - 20 s of stabilization: 3 were wanted at 20 and 30 s, so they stay to the end.
    @Test(arguments: Self.autoscalers)
    func autoscalersAreLateAndCareful(
        late: Double, starts: Int, tolerance: Double, kept: Double, seconds: Double
    ) throws {
        var rule = ScalingRule(
            target: 0.5, minimum: 1, maximum: 5, period: .seconds(10),
            coolDown: .seconds(kept > 0 ? 0 : 20), startDelay: .seconds(5))
        rule.metricDelay = .seconds(late)
        rule.mostStarts = starts
        rule.tolerance = tolerance
        rule.stabilization = .seconds(kept)
        var world = World()
        world.services.pir = StationConfiguration(
            instances: 1, cores: 1, queueCapacity: nil, cpuFactor: 1, scaling: rule)
        world.loads = (0..<45).map {
            .init(at: .seconds(Double($0)), client: $0, url: "https://listed\($0).example/")
        }
        let record = try world.run(
            ScriptedWork { endpoint, stage in
                endpoint == .queries && stage == .serviceAnswers ? 1_000_000_000 : 0
            })
        let station = try #require(record.stations[.pir])
        #expect(abs((station.instanceSeconds ?? 0) - seconds) < 1e-9, "\(station.instanceSeconds ?? 0)")
    }

    /// Two of four instances live for 50 s in the mean and are gone for 50 s: each is there half the time, so of four cores
    /// three are there in the mean.
    @Test func spotInstancesComeAndGo() throws {
        var hours: [Double] = []
        for replication in UInt32(0)..<10 {
            var world = World()
            world.duration = .seconds(4_000)
            world.services.pir = StationConfiguration(
                instances: 4, cores: 1, queueCapacity: nil, cpuFactor: 1, balancing: .roundRobin)
            world.services.pir.spot = SpotRule(share: 0.5, meanLife: .seconds(50), replacement: .seconds(50))
            world.loads = [.init(at: .seconds(1))]
            let record = try world.run(ScriptedWork { _, _ in 0 }, replication: replication)
            hours.append((try #require(record.stations[.pir])).availableSeconds / 4_000)
        }
        try expect(hours, contain: 3, "instances")
    }

    /// Erlang's formula for M/G/2/2 holds whatever the service time.
    @Test func aStationWithoutWaitingRoomLosesWhatErlangSays() throws {
        var lost: [Double] = []
        for replication in UInt32(0)..<20 {
            var world = World()
            world.duration = .seconds(61)
            world.services.pir = World.station(cores: 2, queueCapacity: 0)
            var arrivals = RandomStream(
                seed: 12, replication: replication, entity: 0, purpose: StreamPurpose("test arrivals"))
            var time = 0.0
            while time < 60 {
                world.loads.append(.init(at: .seconds(time), client: world.loads.count))
                time += arrivals.exponential(mean: 1 / 150)
            }
            let record = try world.run(
                ScriptedWork { endpoint, stage in
                    endpoint == .queries && stage == .serviceAnswers ? 10_000_000 : 0
                }, replication: replication)
            let station = try #require(record.stations[.pir])
            #expect(station.rejections == record.urlFilter.lookups.failed[.unavailable])
            lost.append(Double(station.rejections) / Double(station.arrivals))
        }
        try expect(lost, contain: try QueueingTheory.erlangB(servers: 2, offeredLoad: 1.5), "loss")
    }

    /// Lookups of one second each at a core, where nobody may wait longer than 2.5 s.
    ///
    /// - Parameter status: Of the answer to a lookup.
    private func impatient(
        _ times: [Double], status: @escaping (Int) -> Int = { _ in 200 }, service: @escaping (Int) -> Double
    ) throws -> ReplicationRecord {
        var world = World()
        world.services.pir = World.station(cores: 1)
        world.services.pir.queueTime = .seconds(2.5)
        world.loads = times.enumerated().map {
            .init(at: .seconds($1), client: $0, url: "https://listed\($0).example/")
        }
        var (served, asked) = (0, 0)
        let work = ScriptedWork { endpoint in
            guard endpoint == .queries else { return 200 }
            defer { asked += 1 }
            return status(asked / 2)
        } cost: { endpoint, stage in
            guard endpoint == .queries, stage == .serviceAnswers else { return 0 }
            defer { served += 1 }
            return Int64(service(served) * 1e9)
        }
        return try world.run(work)
    }

    /// Eighty lookups one by one are refused after no work; six that come at once after them take 1 s each, as the first
    /// one did. Were the refusals a measure, all six would be let in.
    @Test func refusalsDoNotMakeWorkLookCheap() throws {
        let refused = 1...80
        let times = [0] + refused.map { 2 + 0.5 * Double($0) } + (0..<6).map { 50 + 0.01 * Double($0) }
        let record = try impatient(times) {
            refused.contains($0) ? 403 : 200
        } service: {
            refused.contains($0) ? 0.001 : 1
        }
        let station = try #require(record.stations[.pir])
        #expect(station.completions == 84 && station.rejections == 3 && station.dropped == 0)
    }

    /// One is served, two more are 2 s of work in line, with each further one it would be 3 s.
    @Test func whatWouldWaitTooLongIsRefusedAtOnce() throws {
        let record = try impatient([0, 0.01, 0.02, 0.03, 0.04, 0.05]) { _ in 1 }
        let station = try #require(record.stations[.pir])
        #expect(station.completions == 3 && station.rejections == 3 && station.dropped == 0)
        #expect(record.urlFilter.lookups.failed[.unavailable] == 3)
    }

    /// After a lookup of 0.1 s five are expected to take as long, but take 2 s: the second of them starts after 2 s, and
    /// when it ends the others have waited 4 s.
    @Test func whatHasWaitedTooLongIsNotServed() throws {
        let record = try impatient([0, 1, 1, 1, 1, 1]) { $0 == 0 ? 0.1 : 2 }
        let station = try #require(record.stations[.pir])
        #expect(station.completions == 3 && station.rejections == 0 && station.dropped == 3)
        #expect(abs(station.busySeconds - 4.1) < 1e-9)
    }

    /// The same law as of our server's own line (`WaitingLineTests`).
    @Test(arguments: [0.5, 1.0, 2.0, 3.0, 5.0])
    func pastSaturationTheCapacityIsAnsweredInTime(load: Double) throws {
        var world = World()
        world.duration = .seconds(60)
        world.services.pir = World.station(cores: 2)
        world.services.pir.queueTime = .seconds(1)
        world.services.pir.grouping = LookupGrouping(limit: 4, followerShare: 1)
        // Two cores of 20 lookups per second each.
        world.loads = (0..<Int(60 * 40 * load)).map {
            .init(at: .seconds(Double($0) / (40 * load)), client: $0)
        }
        let record = try world.run(
            ScriptedWork { endpoint, stage in
                endpoint == .queries && stage == .serviceAnswers ? 50_000_000 : 0
            })
        let station = try #require(record.stations[.pir])
        // What is in line at the end is served after it.
        #expect(abs(Double(station.completions) / (60 * 40 * min(load, 1)) - 1) < 0.03)
        let longest = try #require(record.urlFilter.stages[.pirWaiting]?.quantile(1)).seconds
        #expect(longest < 1.02)
        #expect(load <= 1 || record.urlFilter.lookups.failed[.unavailable] ?? 0 > 0)
    }
}
