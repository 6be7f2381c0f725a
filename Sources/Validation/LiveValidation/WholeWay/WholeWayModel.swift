package import EventSimulation
package import FleetModel
import LiveStack
import Parties
import RandomStreams
import Timing
import URLFilter

/// The calibrated fleet model on the page loads of a run, with its faults.
package struct WholeWayModel: Sendable {
    private let plan: WholeWayPlan
    private let catalog: URLCatalog
    private let urls: [String]

    /// - Parameter urls: By number, as the trace names them.
    package init(_ plan: WholeWayPlan, catalog: URLCatalog, urls: [String]) {
        self.plan = plan
        self.catalog = catalog
        self.urls = urls
    }

    /// Runs the plan's simulations.
    ///
    /// - Parameters:
    ///   - instants: Those at which the devices went on of their own accord; `nil` draws them anew for each simulation.
    ///   - isStopped: Asked between two of them.
    package func callAsFunction(
        _ trace: LookupTrace, _ calibration: WholeWayCalibration, _ balancing: Balancing,
        instants: DeviceInstants? = nil, isStopped: () -> Bool = { false }
    ) throws -> [WholeWayTally] {
        let profile = CostProfile(calibration)
        var tallies: [WholeWayTally] = []
        for number in 0..<UInt32(plan.world.replications) where !isStopped() {
            var configuration = configuration(trace, calibration, balancing, replication: number)
            configuration.instants = instants
            let calibrated = try CalibratedWork(
                profile: profile, deviceCount: configuration.deviceCount, tokensPerUserPerDay: nil,
                servers: configuration.services.keyServers(profile), seed: plan.world.seed,
                replication: number)
            let work = NotedWork(calibrated)
            let log = RowLog()
            let record = try runReplication(
                configuration, catalogs: [catalog], .urlFilter(work), replication: number,
                watchedBy: Onlooker(log: log))
            if let broken = record?.resourceChecks.first(where: { !$0.check.holds }) {
                throw LiveValidationError.wrongModel("\(broken)")
            }
            tallies.append(
                WholeWayTally(
                    plan, rows: log.rows, keyUploads: work.begun[.key] ?? [],
                    tokens: work.begun[.issue] ?? []))
        }
        return tallies
    }

    private func configuration(
        _ trace: LookupTrace, _ calibration: WholeWayCalibration, _ balancing: Balancing, replication: UInt32
    ) -> FleetConfiguration {
        var configuration = FleetConfiguration(
            of: calibration.stack, trace, urls: urls, rules: catalog.rules, seed: plan.world.seed,
            end: plan.seconds, device: LiveWorld.constants, generation: plan.generation)
        configuration.behaviour.configurationRefetch = .seconds(plan.refetch)
        configuration.behaviour.retryPause = .seconds(plan.retryPause)
        configuration.behaviour.retryCeiling = .seconds(plan.refetch)
        configuration.services.change(.pir) {
            $0.instances = WholeWayPlan.instances
            $0.balancing = balancing
            $0.keyStore = balancing == .stickyByUser ? .memory : .copied
        }
        configuration.faults = faults(calibration, replication: replication)
        return configuration
    }

    /// A killed server is away for the time of its phase, then until it serves again, then until the gateway tries it:
    /// once per pause, and all of them at the same time, because one request finds out that they are away.
    private func faults(_ calibration: WholeWayCalibration, replication: UInt32) -> [Fault] {
        var random = RandomStream(
            seed: plan.world.seed, replication: replication, entity: 0,
            purpose: StreamPurpose("whole way faults"))
        func faults(_ phase: WholeWayPlan.Phase, starts: [Double]) -> [Fault] {
            let bounds = plan.bounds(of: phase)
            let pause = BalancedInstances.pause.seconds
            let first = random.uniform() * pause
            return starts.map { start in
                let seen = first + max(0, ((start - first) / pause).rounded(.up)) * pause
                return Fault(
                    kind: .instanceLoss(.pir, instances: 1), begin: .seconds(bounds.lowerBound),
                    length: .seconds(bounds.upperBound - bounds.lowerBound + seen))
            }
        }
        func draw<Value>(_ values: [Value]) -> Value? {
            values.isEmpty ? nil : values[random.index(below: values.count)]
        }
        let (alone, together) = (draw(calibration.startsAlone), draw(calibration.startsTogether))
        return faults(.restart, starts: [alone ?? 0]) + faults(.outage, starts: together ?? [])
    }
}

/// Outcomes of the lookups of a simulation.
private final class RowLog: FleetLog {
    private(set) var rows: [WholeWayRow] = []

    func add(_ url: LoggedURL) {
        if let row = WholeWayRow(url) { rows.append(row) }
    }

    func add(_: LoggedLookup) {}
    func add(_: LoggedStation) {}
}

/// Notes the second in which each exchange begins; everything else is as in the work that it wraps.
private final class NotedWork: ProtocolWork {
    private let work: CalibratedWork
    /// Whole seconds since the start.
    private(set) var begun: [Endpoint: [Double]] = [:]

    init(_ work: CalibratedWork) { self.work = work }

    func deviceBegins(_ exchange: Int, request: ExchangeRequest) -> StageWork {
        begun[request.endpoint, default: []].append(Double(request.second))
        return work.deviceBegins(exchange, request: request)
    }

    func serviceAnswers(_ exchange: Int, at server: ServerPlace) -> StageWork {
        work.serviceAnswers(exchange, at: server)
    }

    func gatewayOpens(_ exchange: Int) -> StageWork { work.gatewayOpens(exchange) }
    func withdrawConfiguration(of exchange: Int) { work.withdrawConfiguration(of: exchange) }
    func gatewaySeals(_ exchange: Int) -> StageWork { work.gatewaySeals(exchange) }
    func deviceEnds(_ exchange: Int) -> (cpu: Int64, outcome: ExchangeOutcome) { work.deviceEnds(exchange) }
    func abandon(_ exchange: Int) { work.abandon(exchange) }
    func startSteadily(device: Int, tokens: Int, at server: ServerPlace) {
        work.startSteadily(device: device, tokens: tokens, at: server)
    }
    func discardTokens(device: Int, oldest count: Int) {
        work.discardTokens(device: device, oldest: count)
    }
    func receivePublicConfiguration(device: Int) { work.receivePublicConfiguration(device: device) }
    func forgetTokenKey(device: Int) { work.forgetTokenKey(device: device) }
    func restart(_ part: Part, region: Int, instances: Range<Int>?) {
        work.restart(part, region: region, instances: instances)
    }
    var serverMemory: ServerMemory? { work.serverMemory }
}
