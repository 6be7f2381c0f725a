import EventSimulation
import RandomStreams

/// A request on its way: network, relay, network, gateway, network, PIR server, and three hops back.
///
/// 10 000 requests a second, ten timed events each, about 9 700 of them under way.
struct PipeModel: SimulationModel {
    enum Event { case arrival, hop(UInt32), served(UInt32) }

    static let stations: [(servers: Int, meanService: Double)] = [(8, 0.0005), (16, 0.001), (64, 0.005)]
    static let meanGap = 1.0 / 10_000
    static let meanHop = 0.16
    /// Six hops and three services.
    static let meanSojourn = 6 * meanHop + 0.0065

    var gaps = Self.draws(meanGap, StreamPurpose("gaps"))
    var hops = Self.draws(meanHop, StreamPurpose("hops"))
    /// Service times with a mean of 1, for all stations.
    var services = Self.draws(1, StreamPurpose("services"))
    var stations = Self.stations.map { ServiceStation<UInt32>(servers: $0.servers) }
    var meanServices = Self.stations.map(\.meanService)
    var requests = SlotTable()
    /// Stations passed by the request in each slot, and after them hops back.
    var stages: [UInt8] = []
    var timeInSystem = LatencyHistogram()

    private static func draws(_ mean: Double, _ purpose: StreamPurpose) -> SampleBuffer {
        SampleBuffer(
            .exponential(mean: mean), from: RandomStream(seed: 1, replication: 0, entity: 0, purpose: purpose)
        )
    }

    mutating func start(_ agenda: inout Agenda<Event>) { scheduleArrival(&agenda) }

    mutating func handle(_ event: Event, at now: SimulatedTime, _ agenda: inout Agenda<Event>) {
        switch event {
        case .arrival:
            let request = requests.take(at: now)
            if Int(request) == stages.count { stages.append(0) }
            stages[Int(request)] = 0
            scheduleHop(of: request, &agenda)
            scheduleArrival(&agenda)
        case .hop(let request):
            let stage = Int(stages[Int(request)])
            if stage < 3 {
                if stations[stage].arrive(request, at: now) == .starts {
                    scheduleEnd(of: request, stage, &agenda)
                }
            } else if stage < 5 {
                stages[Int(request)] += 1
                scheduleHop(of: request, &agenda)
            } else {
                timeInSystem.record(now - requests.release(request))
            }
        case .served(let request):
            let stage = Int(stages[Int(request)])
            if let next = stations[stage].finish(at: now) { scheduleEnd(of: next, stage, &agenda) }
            stages[Int(request)] += 1
            scheduleHop(of: request, &agenda)
        }
    }

    private mutating func scheduleArrival(_ agenda: inout Agenda<Event>) {
        agenda.schedule(.arrival, after: .seconds(gaps.next()))
    }

    private mutating func scheduleHop(of request: UInt32, _ agenda: inout Agenda<Event>) {
        agenda.schedule(.hop(request), after: .seconds(hops.next()))
    }

    private mutating func scheduleEnd(of request: UInt32, _ stage: Int, _ agenda: inout Agenda<Event>) {
        agenda.schedule(.served(request), after: .seconds(meanServices[stage] * services.next()))
    }
}
