import Decoding
import EventSimulation
package import FleetModel
import LiveStack
import Parties
import RandomStreams
import Timing
package import URLFilter

/// The calibrated fleet model on the trace of a load.
package struct ModelRun: Sendable {
    /// Result of one simulation for the measured period.
    package struct Replication: Hashable, Sendable {
        /// Seconds, by ``LiveQuantity/probabilities``.
        package var quantiles: [Double]
        /// Lookups per second that the PIR server answered.
        package var answeredPerSecond: Double
        package var utilization: Double

        package init(quantiles: [Double], answeredPerSecond: Double, utilization: Double) {
            self.quantiles = quantiles
            self.answeredPerSecond = answeredPerSecond
            self.utilization = utilization
        }
    }

    /// Subject of a simulation: the same page loads as in the live run.
    package struct Subject: Sendable {
        package var trace: LookupTrace
        /// Tokens of each device at the start.
        package var stock: Int
        /// Measured, after the plan's warm-up.
        package var seconds: Double
        package var seed: UInt64

        package init(trace: LookupTrace, stock: Int, seconds: Double, seed: UInt64) {
            self.trace = trace
            self.stock = stock
            self.seconds = seconds
            self.seed = seed
        }
    }

    private let plan: LiveValidationPlan
    private let catalog: URLCatalog
    private let urls: [String]
    private let device: DeviceConstants
    private let generation: GenerationRules

    /// - Parameter device: As the live devices have them, as is `generation`.
    package init(
        _ plan: LiveValidationPlan, catalog: URLCatalog, urls: [String], device: DeviceConstants,
        generation: GenerationRules
    ) {
        self.plan = plan
        self.catalog = catalog
        self.urls = urls
        self.device = device
        self.generation = generation
    }

    /// - Parameter services: Seconds of the PIR core for one lookup after the other; nil draws from the calibration.
    package func callAsFunction(
        _ subject: Subject, _ calibration: StackCalibration, services: [Double]? = nil, replications: Int
    ) throws -> [Replication] {
        let configuration = configuration(subject, calibration)
        let profile = CostProfile(calibration)
        return try (0..<UInt32(replications)).compactMap { number in
            let work = try CalibratedWork(
                profile: profile, deviceCount: configuration.deviceCount, tokensPerUserPerDay: nil,
                seed: subject.seed, replication: number)
            let record = try runReplication(
                configuration, catalogs: [catalog],
                .urlFilter(services.map { ReplayedServices(work, services: $0) } ?? work), replication: number
            )
            return try record.map(replication)
        }
    }

    private func replication(_ record: ReplicationRecord) throws -> Replication {
        if let broken = record.resourceChecks.first(where: { !$0.check.holds }) {
            throw LiveValidationError.wrongModel("\(broken)")
        }
        guard let station = record.stations[.pir] else {
            throw LiveValidationError.wrongModel("the PIR station has no record")
        }
        return Replication(
            quantiles: LiveQuantity.probabilities.map { record.verdictLatency.quantile($0)?.seconds ?? 0 },
            answeredPerSecond: Double(station.completions) / record.observedSeconds,
            utilization: station.utilization)
    }

    private func configuration(
        _ subject: Subject, _ calibration: StackCalibration
    ) -> FleetConfiguration {
        var generation = generation
        generation.tokens.stock = subject.stock
        var configuration = FleetConfiguration(
            of: calibration, subject.trace, urls: urls, rules: catalog.rules, seed: subject.seed,
            end: plan.warmUp + subject.seconds, device: device, generation: generation)
        configuration.warmUp = .seconds(plan.warmUp)
        return configuration
    }
}

extension CostProfile {
    /// Costs of a lookup in the live stack, and of nothing else: no other exchange happens while a load lasts.
    fileprivate init(_ calibration: StackCalibration) {
        let none = StageCost(samples: [0])
        let nothing = EndpointCost(
            deviceBegins: none, gatewayOpens: none, serviceAnswers: none, gatewaySeals: none,
            deviceEnds: none, requestBytes: 0, responseBytes: 0)
        var endpoints = Dictionary(uniqueKeysWithValues: Endpoint.allCases.map { ($0.rawValue, nothing) })
        endpoints[Endpoint.queries.rawValue] = EndpointCost(lookup: calibration)
        self.init(calibrated: endpoints)
    }

    /// Profile of running servers: no bytes, no database and no further keywords.
    init(calibrated endpoints: [String: EndpointCost]) {
        self.init(
            machine: .current,
            subject: Subject(
                rlweParameters: "", entries: 0, shards: 1, dimensions: [], databaseBytes: 0),
            endpoints: endpoints,
            extraKeyword: ExtraKeyword(
                deviceBegins: 0, gatewayOpens: 0, serviceAnswers: 0, gatewaySeals: 0, deviceEnds: 0,
                requestBytes: 0, responseBytes: 0),
            evaluationKeyBytes: 0)
    }
}

extension EndpointCost {
    /// Everything but the PIR server's work is the gateway's, half of it on the way there and half on the way back.
    init(lookup calibration: StackCalibration) {
        let front = StageCost(seconds: [calibration.frontCPU / 2])
        self.init(
            deviceBegins: StageCost(seconds: calibration.waysTo), gatewayOpens: front,
            serviceAnswers: StageCost(seconds: calibration.services), gatewaySeals: front,
            deviceEnds: StageCost(seconds: calibration.waysBack), requestBytes: 0, responseBytes: 0)
    }
}

extension StageCost {
    init(seconds: [Double]) { self.init(samples: seconds.map { max(0, .seconds($0)) }) }
}
