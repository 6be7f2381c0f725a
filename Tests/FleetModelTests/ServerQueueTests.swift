import EventSimulation
import FleetModel
import Foundation
import RandomStreams
import Statistics
import Testing
import URLFilter

/// Waits at a mechanism's servers: against the closed form of M/M/c, and against a queue that is simulated job by job.
@Suite struct ServerQueueTests {
    private static let seconds = 300.0

    /// A queue with one interval of this load.
    private static func queue(
        load: Double, cores: Int, service: Double, variability: Double = 1
    ) -> ServerQueue {
        let work = load * Double(cores) * seconds
        return ServerQueue(
            work: [work], visits: [work / service], seconds: seconds, cores: cores,
            serviceVariability: variability, patience: 60)
    }

    private static func waits(_ queue: ServerQueue, _ count: Int) throws -> [Double] {
        var stream = RandomStream(seed: 5, replication: 0, entity: 0, purpose: StreamPurpose("test waits"))
        return try (0..<count).map { _ in
            let interval = queue.intervals[0]
            let backlog = queue.backlog(at: stream.uniform(), in: interval)
            return try #require(queue.wait(in: interval, backlog: backlog, using: &stream))
        }.sorted()
    }

    @Test(
        "visits wait as in M/M/c",
        arguments: [
            (load: 0.5, cores: 1), (load: 0.6, cores: 4), (load: 0.8, cores: 2), (load: 0.95, cores: 8),
        ], [1.0, 0.0])
    func closedForm(size: (load: Double, cores: Int), variability: Double) throws {
        let service = 0.02
        let theory = try #require(
            try QueueingTheory.MMc(
                arrivalRate: size.load * Double(size.cores) / service, serviceRate: 1 / service,
                servers: size.cores))
        let count = 200_000
        let waits = try Self.waits(
            Self.queue(load: size.load, cores: size.cores, service: service, variability: variability), count)
        let waiting = Double(waits.count { $0 > 0 }) / Double(count)
        let spread = 5 * (theory.waitProbability * (1 - theory.waitProbability) / Double(count)).squareRoot()
        #expect(abs(waiting - theory.waitProbability) < spread)
        // Constant service: half the wait of exponential service (Allen and Cunneen).
        let factor = (1 + variability) / 2
        let mean = waits.reduce(0, +) / Double(count)
        #expect(abs(mean / (factor * theory.meanWait) - 1) < 0.03)
        let approximation = try #require(
            try QueueingTheory.allenCunneenMeanWait(
                arrivalRate: theory.arrivalRate, meanService: service, servers: size.cores,
                arrivalVariability: 1, serviceVariability: variability))
        #expect(abs(mean / approximation - 1) < 0.03)
        for rank in [0.9, 0.99] {
            // Who waits does so exponentially, with the services to spare as its rate.
            let spare = Double(size.cores) / service * (1 - size.load)
            let quantile = factor * max(0, log(theory.waitProbability / (1 - rank)) / spare)
            let drawn = waits[Int((rank * Double(count)).rounded(.up)) - 1]
            #expect(abs(drawn - quantile) < 0.03 * quantile + 1e-4 * service, "p\(100 * rank)")
        }
    }

    @Test(arguments: [0, 1e-9, 1e-3]) func nobodyWaitsWithoutLoad(_ load: Double) throws {
        let waits = try Self.waits(Self.queue(load: load, cores: 4, service: 0.02), 10_000)
        #expect(waits.last == 0)
    }

    /// A minute at half load, one at 130 %, one at half load again: means of each over sixty simulations, in which
    /// the backlog grows to 18 s and is gone after 36 s.
    @Test func aBacklogIsThatOfASimulatedQueue() throws {
        let (cores, service, length) = (4, 0.05, 60.0)
        let loads = [0.5, 1.3, 0.5]
        let work = loads.map { $0 * Double(cores) * length }
        let queue = ServerQueue(
            work: work, visits: work.map { $0 / service }, seconds: length, cores: cores,
            serviceVariability: 1, patience: 600)
        #expect(queue.intervals.map(\.load).elementsEqual(loads) { abs($0 - $1) < 1e-12 })
        var simulated = Array(repeating: [Double](), count: loads.count)
        for replication in 0..<60 {
            var kernel = Kernel(
                model: BacklogModel(
                    rates: loads.map { $0 * Double(cores) / service }, length: length, service: service,
                    cores: cores, replication: UInt32(replication)))
            kernel.run(until: .start.advanced(by: .seconds(600)))
            for (number, waits) in kernel.model.waits.enumerated() { simulated[number] += waits }
        }
        var stream = RandomStream(seed: 6, replication: 0, entity: 0, purpose: StreamPurpose("test waits"))
        for (number, interval) in queue.intervals.enumerated() {
            let count = 50_000
            var sum = 0.0
            for _ in 0..<count {
                let backlog = queue.backlog(at: stream.uniform(), in: interval)
                sum += try #require(queue.wait(in: interval, backlog: backlog, using: &stream))
            }
            let drawn = sum / Double(count)
            let truth = simulated[number].reduce(0, +) / Double(simulated[number].count)
            #expect(abs(drawn - truth) < 0.06 * truth + 2e-4, "interval \(number): \(drawn), \(truth)")
        }
    }

    /// At twice what the servers can do, half of those are served who come when the wait has reached the limit.
    @Test func whoWouldWaitLongerThanAnybodyIsNotServed() throws {
        let queue = ServerQueue(
            work: [400], visits: [4_000], seconds: 100, cores: 2, serviceVariability: 1, patience: 5)
        let interval = try #require(queue.intervals.first)
        #expect(interval.load == 2 && queue.backlog(at: 0.03, in: interval) == 3)
        #expect(queue.backlog(at: 0.5, in: interval) == 5)
        var stream = RandomStream(seed: 7, replication: 0, entity: 0, purpose: StreamPurpose("test waits"))
        let waits = (0..<20_000).map { _ in queue.wait(in: interval, backlog: 5, using: &stream) }
        let served = waits.compactMap(\.self)
        #expect(served.allSatisfy { $0 == 5 })
        #expect(abs(Double(served.count) - 10_000) < 5 * 5_000.0.squareRoot())
        #expect(queue.wait(in: interval, backlog: 3, using: &stream) == 3)
    }

    @Test func defaultServersAreThoseThatAreBought() {
        // 4.8 busy cores of 60 % are 8, which two servers of 4 have, and one to spare.
        #expect(MechanismServers.instances(for: 4.8, cores: 4, target: 0.6, spare: 1) == 3)
        #expect(MechanismServers.instances(for: 4.81, cores: 4, target: 0.6, spare: 1) == 4)
        #expect(MechanismServers.instances(for: 0, cores: 4, target: 0.6, spare: 0) == 1)
    }
}

/// Jobs come at a rate of each minute, and take exponential times.
private struct BacklogModel: SimulationModel {
    enum Event: BitwiseCopyable, Sendable { case arrival, done }

    let rates: [Double]
    let length: Double
    let service: Double
    var arrivals: RandomStream
    var services: RandomStream
    var station: ServiceStation<Int>
    var arrivedAt: [SimulatedTime] = []
    /// By the minute of the arrival, seconds.
    var waits: [[Double]]

    init(rates: [Double], length: Double, service: Double, cores: Int, replication: UInt32) {
        self.rates = rates
        self.length = length
        self.service = service
        arrivals = RandomStream(
            seed: 1, replication: replication, entity: 0, purpose: StreamPurpose("arrivals"))
        services = RandomStream(
            seed: 1, replication: replication, entity: 0, purpose: StreamPurpose("services"))
        station = ServiceStation(servers: cores)
        waits = Array(repeating: [], count: rates.count)
    }

    mutating func start(_ agenda: inout Agenda<Event>) { scheduleArrival(&agenda) }

    mutating func handle(_ event: Event, at now: SimulatedTime, _ agenda: inout Agenda<Event>) {
        switch event {
        case .arrival:
            let job = arrivedAt.count
            arrivedAt.append(now)
            if station.arrive(job, at: now) == .starts { begin(job, at: now, &agenda) }
            scheduleArrival(&agenda)
        case .done:
            if let next = station.finish(at: now) { begin(next, at: now, &agenda) }
        }
    }

    private func minute(_ time: SimulatedTime) -> Int { Int((time - .start).seconds / length) }

    private mutating func begin(_ job: Int, at now: SimulatedTime, _ agenda: inout Agenda<Event>) {
        waits[minute(arrivedAt[job])].append((now - arrivedAt[job]).seconds)
        agenda.schedule(.done, after: .seconds(services.exponential(mean: service)))
    }

    /// Thins a process at the highest rate.
    private mutating func scheduleArrival(_ agenda: inout Agenda<Event>) {
        let highest = rates.max() ?? 1
        var time = agenda.now
        while true {
            time = time.advanced(by: .seconds(arrivals.exponential(mean: 1 / highest)))
            let minute = minute(time)
            guard minute < rates.count else { return }
            if arrivals.uniform() * highest < rates[minute] { break }
        }
        agenda.schedule(.arrival, at: time)
    }
}
