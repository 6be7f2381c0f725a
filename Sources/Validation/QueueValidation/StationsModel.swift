package import EventSimulation
package import RandomStreams

/// Poisson arrivals of one or more classes that pass stations one after the other.
///
/// Covers M/M/c, M/G/1, M/M/c/K, queues in tandem, queues with priorities and queues behind a balancer.
package struct StationsModel: SimulationModel {
    package enum Event: BitwiseCopyable, Sendable {
        case arrival(UInt32)
        case done(customer: UInt32, station: UInt32)
    }

    /// Customers who differ in rate and urgency.
    package struct Class: Sendable {
        package let arrivalRate: Double
        package let priority: Int

        package init(arrivalRate: Double, priority: Int = 0) {
            self.arrivalRate = arrivalRate
            self.priority = priority
        }
    }

    /// One station of the way.
    package struct Stage: Sendable {
        package let servers: Int
        package let queueCapacity: Int?
        package let service: Distribution
        /// So many stations, each with the servers and the queue.
        package let instances: Int
        package let balancing: Balancing

        package init(
            servers: Int, queueCapacity: Int? = nil, service: Distribution, instances: Int = 1,
            balancing: Balancing = .pooled
        ) {
            self.servers = servers
            self.queueCapacity = queueCapacity
            self.service = service
            self.instances = instances
            self.balancing = balancing
        }
    }

    private struct Customer {
        var group: UInt32
        var start: SimulatedTime
        /// Waited at the first station.
        var wait = SimulatedDuration.zero
        /// The instance that it is at.
        var instance = 0
    }

    /// Stations by stage and instance.
    private var stations: [[ServiceStation<UInt32>]]
    private var balancers: [Balancer]
    private var choices: RandomStream
    package private(set) var tallies: [Tally]
    package private(set) var ledger = FlowLedger<Departure>()

    /// How a customer left.
    package enum Departure: Sendable { case answered, rejected }

    private let classes: [Class]
    private var gaps: [SampleBuffer]
    private var services: [SampleBuffer]
    private var customers: [Customer] = []
    private var free: [UInt32] = []

    /// - Parameter thresholds: Times in the system whose exceedance is counted.
    package init(
        classes: [Class], stages: [Stage], thresholds: [Double] = [], seed: UInt64, replication: UInt32
    ) {
        func draws(_ distribution: Distribution, _ purpose: StreamPurpose, _ entity: Int) -> SampleBuffer {
            SampleBuffer(
                distribution,
                from: RandomStream(
                    seed: seed, replication: replication, entity: UInt32(entity), purpose: purpose))
        }
        self.classes = classes
        let priorities = 1 + (classes.map(\.priority).max() ?? 0)
        stations = stages.map { stage in
            (0..<stage.instances).map { _ in
                ServiceStation(
                    servers: stage.servers, queueCapacity: stage.queueCapacity, priorities: priorities)
            }
        }
        balancers = stages.map { Balancer($0.balancing, instances: $0.instances) }
        choices = RandomStream(
            seed: seed, replication: replication, entity: 0, purpose: StreamPurpose("validation balancing"))
        gaps = classes.enumerated().map { index, group in
            draws(.exponential(mean: 1 / group.arrivalRate), StreamPurpose("validation gaps"), index)
        }
        services = stages.enumerated().map { index, stage in
            draws(stage.service, StreamPurpose("validation services"), index)
        }
        let limits = thresholds.map { SimulatedDuration.seconds($0) }
        tallies = classes.map { _ in Tally(thresholds: limits) }
    }

    package mutating func start(_ agenda: inout Agenda<Event>) {
        for group in classes.indices { scheduleArrival(UInt32(group), &agenda) }
    }

    package mutating func handle(_ event: Event, at now: SimulatedTime, _ agenda: inout Agenda<Event>) {
        switch event {
        case .arrival(let group):
            scheduleArrival(group, &agenda)
            let fresh = Customer(group: group, start: now)
            let customer = free.popLast() ?? UInt32(customers.count)
            if Int(customer) == customers.count {
                customers.append(fresh)
            } else {
                customers[Int(customer)] = fresh
            }
            tallies[Int(group)].arrivals += 1
            ledger.enter(at: now)
            arrive(customer, station: 0, at: now, &agenda)
        case .done(let customer, let station):
            let instance = customers[Int(customer)].instance
            if let next = stations[Int(station)][instance].finish(at: now) {
                begin(next, station, at: now, &agenda)
            }
            if Int(station) + 1 < stations.count {
                arrive(customer, station: station + 1, at: now, &agenda)
            } else {
                let record = customers[Int(customer)]
                tallies[Int(record.group)].record(timeInSystem: now - record.start, wait: record.wait)
                ledger.leave(.answered, enteredAt: record.start, at: now)
                free.append(customer)
            }
        }
    }

    /// Forgets what was counted so far, after the warm-up.
    package mutating func restartTallies() {
        for index in tallies.indices { tallies[index].reset() }
    }

    /// Every law of every station and of the whole.
    package func identityViolations(at now: SimulatedTime) -> [IdentityCheck] {
        let gone = Set(free)
        let inside = customers.indices.filter { !gone.contains(UInt32($0)) }.map { customers[$0].start }
        return stations.joined().flatMap { $0.identityViolations(at: now) }
            + ledger.identityChecks(at: now, stillInside: inside).filter { !$0.holds }
    }

    private mutating func arrive(
        _ customer: UInt32, station: UInt32, at now: SimulatedTime, _ agenda: inout Agenda<Event>
    ) {
        let record = customers[Int(customer)]
        let priority = classes[Int(record.group)].priority
        let instance = choose(for: customer, at: Int(station))
        customers[Int(customer)].instance = instance
        switch stations[Int(station)][instance].arrive(customer, priority: priority, at: now) {
        case .starts: begin(customer, station, at: now, &agenda)
        case .waits: break
        case .rejected: refuse(customer, at: now)
        case .displaces(let others): for other in others { refuse(other, at: now) }
        }
    }

    private mutating func refuse(_ customer: UInt32, at now: SimulatedTime) {
        let record = customers[Int(customer)]
        tallies[Int(record.group)].rejections += 1
        ledger.leave(.rejected, enteredAt: record.start, at: now)
        free.append(customer)
    }

    private mutating func choose(for customer: UInt32, at stage: Int) -> Int {
        var (balancer, choices) = (balancers[stage], choices)
        defer { (balancers[stage], self.choices) = (balancer, choices) }
        return balancer.choose(
            user: UInt64(customer),
            load: { stations[stage][$0].busyServers + stations[stage][$0].queueLength },
            draw: { choices.index(below: $0) }) ?? 0
    }

    private mutating func begin(
        _ customer: UInt32, _ station: UInt32, at now: SimulatedTime, _ agenda: inout Agenda<Event>
    ) {
        if station == 0 { customers[Int(customer)].wait = now - customers[Int(customer)].start }
        let service = SimulatedDuration.seconds(services[Int(station)].next())
        stations[Int(station)][customers[Int(customer)].instance].noteService(service)
        agenda.schedule(.done(customer: customer, station: station), after: service)
    }

    private mutating func scheduleArrival(_ group: UInt32, _ agenda: inout Agenda<Event>) {
        agenda.schedule(.arrival(group), after: .seconds(gaps[Int(group)].next()))
    }
}
