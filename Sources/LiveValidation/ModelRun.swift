import EventSimulation
package import FleetModel
import LiveStack
import Parties
import RandomStreams
import Timing
package import URLFilter

/// The calibrated fleet model on the trace of a load.
package struct ModelRun: Sendable {
    /// What one simulation says about the measured period.
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

    private let plan: LiveValidationPlan
    private let catalog: URLCatalog
    private let urls: [String]
    private let profile: CostProfile
    private let device: DeviceConstants
    private let generation: GenerationRules

    /// - Parameters:
    ///   - profile: Of this machine and database; its costs of a lookup are replaced by the calibration.
    ///   - device: As the live devices have them, as is `generation`.
    package init(
        _ plan: LiveValidationPlan, catalog: URLCatalog, urls: [String], profile: CostProfile,
        device: DeviceConstants, generation: GenerationRules
    ) {
        self.plan = plan
        self.catalog = catalog
        self.urls = urls
        self.profile = profile
        self.device = device
        self.generation = generation
    }

    /// - Parameters:
    ///   - services: Seconds of the PIR core for one lookup after the other; nil draws from the calibration.
    ///   - stock: Tokens of each device at the start.
    package func callAsFunction(
        _ trace: LookupTrace, _ calibration: StackCalibration, services: [Double]? = nil, stock: Int,
        replications: Int
    ) throws -> [Replication] {
        let configuration = configuration(trace, calibration, stock: stock)
        let profile = profile.calibrated(by: calibration)
        return try (0..<UInt32(replications)).compactMap { number in
            let work = try CalibratedWork(
                profile: profile, deviceCount: configuration.deviceCount, tokensPerUserPerDay: nil,
                seed: plan.seed, replication: number)
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
        _ trace: LookupTrace, _ calibration: StackCalibration, stock: Int
    ) -> FleetConfiguration {
        let replay = trace.replay(urls: urls)
        var generation = generation
        generation.tokens.stock = stock
        // Every time of a lookup outside the PIR server is in the ways that were measured.
        let free = StationConfiguration(instances: 1, cores: 1_000, queueCapacity: nil, cpuFactor: 1)
        var pir = StationConfiguration(
            instances: 1, cores: 1, queueCapacity: LiveBench.queueLimit, cpuFactor: 1)
        pir.queueTime = .nanoseconds(PIRParty.queueTime.nanoseconds)
        pir.grouping = LookupGrouping(
            limit: AnsweredGroup.limit, followerShare: calibration.followerShare)
        let end = SimulatedDuration.seconds(plan.warmUp + plan.seconds)
        return FleetConfiguration(
            seed: plan.seed, duration: end, warmUp: .seconds(plan.warmUp), drain: .seconds(60),
            seriesInterval: .seconds(1), start: .steady,
            groups: [
                DeviceGroup(
                    name: "devices", count: replay.clientCount, workload: .trace(replay.trace),
                    access: AccessNetwork(oneWayDelay: .constant(0), uplink: 1e15, downlink: 1e15),
                    rules: catalog.rules, generation: generation)
            ],
            behaviour: DeviceBehaviour(
                configurationRefetch: .hours(1_000_000), exchangeTimeout: .seconds(60),
                retryPause: .seconds(30), retryCeiling: .minutes(15), cpuFactor: 1),
            services: ServiceConfiguration(
                relay: RelayConfiguration(
                    oneWayDelay: .constant(0), maximumRequestBody: nil, maximumResponseBody: nil),
                gateway: free, issuer: free, pir: pir, backendDelay: .constant(0), tokensPerUserPerDay: nil),
            urlFilter: URLFilterConfiguration(
                device: device, policy: .failOpen,
                prefilter: PrefilterConfiguration(
                    byteCount: 1, unchangedByteCount: 1, originBandwidth: nil, republishInterval: nil)),
            faults: [], freshURLs: .tested)
    }
}

extension CostProfile {
    /// The calibration knows what a lookup costs in the live stack.
    fileprivate func calibrated(by calibration: StackCalibration) -> CostProfile {
        func cost(_ seconds: [Double]) -> StageCost {
            StageCost(samples: seconds.map { max(0, Int64($0 * 1e9)) })
        }
        var profile = self
        let none = StageCost(samples: [0])
        profile.endpoints[Endpoint.queries.rawValue] = EndpointCost(
            deviceBegins: cost(calibration.waysTo), gatewayOpens: none,
            serviceAnswers: cost(calibration.services), gatewaySeals: none,
            deviceEnds: cost(calibration.waysBack), requestBytes: self[.queries]?.requestBytes ?? 0,
            responseBytes: self[.queries]?.responseBytes ?? 0)
        return profile
    }
}
