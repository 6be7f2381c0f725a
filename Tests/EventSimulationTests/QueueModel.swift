import EventSimulation
import Foundation
import RandomStreams

/// Poisson arrivals at a station with exponential service.
struct QueueModel: SimulationModel {
    enum Event { case arrival, done(Int32) }

    let arrivalRate: Double
    let serviceRate: Double
    var arrivals: RandomStream
    var services: RandomStream
    var station: ServiceStation<Int32>
    var arrivedAt: [SimulatedTime] = []
    var totalTimeInSystem = SimulatedDuration.zero
    var histogram = LatencyHistogram()

    init(arrivalRate: Double, serviceRate: Double, servers: Int, places: Int?, replication: UInt32) {
        self.arrivalRate = arrivalRate
        self.serviceRate = serviceRate
        arrivals = RandomStream(
            seed: 1, replication: replication, entity: 0, purpose: StreamPurpose("arrivals"))
        services = RandomStream(
            seed: 1, replication: replication, entity: 0, purpose: StreamPurpose("services"))
        station = ServiceStation(servers: servers, queueCapacity: places)
    }

    mutating func start(_ agenda: inout Agenda<Event>) { scheduleArrival(&agenda) }

    mutating func handle(_ event: Event, at now: SimulatedTime, _ agenda: inout Agenda<Event>) {
        switch event {
        case .arrival:
            let job = Int32(arrivedAt.count)
            arrivedAt.append(now)
            if station.arrive(job, at: now) == .starts { scheduleEnd(of: job, &agenda) }
            scheduleArrival(&agenda)
        case .done(let job):
            let timeInSystem = now - arrivedAt[Int(job)]
            totalTimeInSystem += timeInSystem
            histogram.record(timeInSystem)
            if let next = station.finish(at: now) { scheduleEnd(of: next, &agenda) }
        }
    }

    private mutating func scheduleArrival(_ agenda: inout Agenda<Event>) {
        agenda.schedule(.arrival, after: .seconds(arrivals.exponential(mean: 1 / arrivalRate)))
    }

    private mutating func scheduleEnd(of job: Int32, _ agenda: inout Agenda<Event>) {
        agenda.schedule(.done(job), after: .seconds(services.exponential(mean: 1 / serviceRate)))
    }
}

/// Stationary measures of M/M/c/K by summing its state probabilities.
struct QueueTheory {
    let utilization: Double
    let meanTimeInSystem: Double
    let meanQueueLength: Double
    let rejectionShare: Double

    init(arrivalRate: Double, serviceRate: Double, servers: Int, places: Int?) {
        // Without a limit, so many places that the rest cannot matter.
        let last = servers + (places ?? 2000)
        var weights = [1.0]
        for state in 1...last {
            weights.append(weights[state - 1] * arrivalRate / (serviceRate * Double(min(state, servers))))
        }
        let total = weights.reduce(0, +)
        func mean(_ value: (Int) -> Int) -> Double {
            weights.indices.reduce(0) { $0 + Double(value($1)) * weights[$1] } / total
        }
        rejectionShare = places == nil ? 0 : weights[last] / total
        utilization = mean { min($0, servers) } / Double(servers)
        meanQueueLength = mean { max(0, $0 - servers) }
        meanTimeInSystem = mean { $0 } / (arrivalRate * (1 - rejectionShare))
    }
}

/// Mean and half width of the 99.9 % Student interval of 20 independent numbers.
func interval(of samples: [Double]) -> (mean: Double, halfWidth: Double) {
    precondition(samples.count == 20, "the quantile below belongs to 19 degrees of freedom")
    let mean = samples.reduce(0, +) / 20
    let variance = samples.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / 19
    return (mean, 3.8834 * (variance / 20).squareRoot())
}
