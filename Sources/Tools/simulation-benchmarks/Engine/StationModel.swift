import EventSimulation
import RandomStreams

/// Poisson arrivals at servers with exponential service (M/M/c), in seconds.
///
/// As a model of this project is written: random streams by purpose, a station
/// with its integrals, a histogram of times in the system, slots that are used again.
struct StationModel: SimulationModel {
    enum Event { case arrival, done(UInt32) }

    var gaps: SampleBuffer
    var services: SampleBuffer
    var station: ServiceStation<UInt32>
    var customers = SlotTable()
    var timeInSystem = LatencyHistogram()

    init(load: Double, servers: Int, seed: UInt64) {
        func draws(_ mean: Double, _ purpose: StreamPurpose) -> SampleBuffer {
            SampleBuffer(
                .exponential(mean: mean),
                from: RandomStream(seed: seed, replication: 0, entity: 0, purpose: purpose))
        }
        gaps = draws(1 / (load * Double(servers)), StreamPurpose("gaps"))
        services = draws(1, StreamPurpose("services"))
        station = ServiceStation(servers: servers)
    }

    mutating func start(_ agenda: inout Agenda<Event>) { scheduleArrival(&agenda) }

    mutating func handle(_ event: Event, at now: SimulatedTime, _ agenda: inout Agenda<Event>) {
        switch event {
        case .arrival:
            let customer = customers.take(at: now)
            if station.arrive(customer, at: now) == .starts { scheduleEnd(of: customer, &agenda) }
            scheduleArrival(&agenda)
        case .done(let customer):
            timeInSystem.record(now - customers.release(customer))
            if let next = station.finish(at: now) { scheduleEnd(of: next, &agenda) }
        }
    }

    private mutating func scheduleArrival(_ agenda: inout Agenda<Event>) {
        agenda.schedule(.arrival, after: .seconds(gaps.next()))
    }

    private mutating func scheduleEnd(of customer: UInt32, _ agenda: inout Agenda<Event>) {
        agenda.schedule(.done(customer), after: .seconds(services.next()))
    }
}

/// Arrivals of the customers present.
struct SlotTable {
    /// Nanosecond of each arrival; for a free slot, the slot that became free before it.
    private var places: [Int] = []
    private var lastFree = -1

    mutating func take(at now: SimulatedTime) -> UInt32 {
        let slot = lastFree
        guard slot >= 0 else {
            places.append(Int(now.nanoseconds))
            return UInt32(places.count - 1)
        }
        lastFree = places[slot]
        places[slot] = Int(now.nanoseconds)
        return UInt32(truncatingIfNeeded: slot)
    }

    /// - Returns: When the customer arrived.
    mutating func release(_ slot: UInt32) -> SimulatedTime {
        let arrival = places[Int(slot)]
        places[Int(slot)] = lastFree
        lastFree = Int(slot)
        return SimulatedTime(nanoseconds: Int64(arrival))
    }
}
