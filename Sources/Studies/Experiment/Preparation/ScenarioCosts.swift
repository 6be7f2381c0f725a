import Decoding
import EventSimulation
import FleetModel
import Measurement
import Parties
import PrivateInformationRetrieval
import Scenarios
import Timing
import URLFilter

/// The source of what cryptography costs: the real thing, a cost profile that was measured, or none where a mechanism
/// filters instead of the URL filter.
struct ScenarioCosts: Sendable {
    enum Source: Sendable {
        case mechanism(MechanismConfiguration)
        /// The PIR database, whose every answer is computed.
        case real(PIRUsecase)
        case calibrated(CostProfile)
    }

    let source: Source
    /// Processed database of all shards, bytes.
    let databaseBytes: Int
    /// Parts of the PIR database; `nil` for an architecture without one.
    let shardCount: Int?
    let summary: RunResult.ProfileSummary?
    /// Files that the costs come from.
    let paths: [String]

    /// Profile that the costs are drawn from; absent in `real` fidelity.
    var profile: CostProfile? { if case .calibrated(let profile) = source { profile } else { nil } }

    /// - Parameter progress: Told in words what is being done.
    /// - Throws: ``PreparationError/memoryTooSmall(_:database:key:)`` among others.
    init(
        _ inputs: ScenarioInputs, options: Preparation.Options, progress: @Sendable (String) -> Void
    ) throws {
        let (scenario, list) = (inputs.scenario, inputs.list.list)
        if let mechanism = inputs.prefilter.named.mechanism {
            source = .mechanism(mechanism)
            (databaseBytes, shardCount, summary, paths) = (0, nil, nil, [])
            return
        }
        switch scenario.fidelity {
        case .real:
            progress("processing the PIR database of \(list.count) entries")
            let usecase = try PIRDatabase.usecase(
                named: PIRDatabase.usecaseName, entries: list, rlweParameters: scenario.pir.rlweParameters,
                shardCount: scenario.pir.shards, seed: scenario.seed)
            source = .real(usecase)
            databaseBytes = usecase.shards.reduce(0) { $0 + $1.databaseByteCount }
            (summary, paths) = (nil, [])
        case .calibrated:
            let (measured, path) = try ProfileCache.profile(
                scenario, list: list, options: options, progress: progress)
            let profile = try scenario.pir.server.costs(measured, path: path)
            summary = try RunResult.ProfileSummary(profile, scenario.services)
            try Self.checkMemory(scenario.services, profile)
            source = .calibrated(profile)
            databaseBytes = profile.subject.allBytes
            paths = [path]
        }
        shardCount = try PIRDatabase.sharding(shardCount: scenario.pir.shards)
            .shardCount(rowCount: list.count)
    }

    private static func checkMemory(
        _ services: FleetModel.ServiceConfiguration, _ profile: CostProfile
    ) throws {
        for memory in services.byRegion(.pir).compactMap(\.memory)
        where memory - profile.subject.allBytes < profile.evaluationKeyBytes {
            throw PreparationError.memoryTooSmall(
                memory, database: profile.subject.allBytes, key: profile.evaluationKeyBytes)
        }
    }
}

extension RunResult.ProfileSummary {
    fileprivate init(_ profile: CostProfile, _ services: FleetModel.ServiceConfiguration) throws {
        guard let queries = profile[.queries] else {
            throw CostProfileError.missingEndpoint(Endpoint.queries.rawValue)
        }
        self.init(
            machine: profile.machine.processor, rlweParameters: profile.subject.rlweParameters,
            shards: profile.subject.shards, entriesPerShard: profile.subject.entries,
            responseSeconds: Double(nanoseconds: queries.serviceAnswers.median),
            requestBytes: queries.requestBytes,
            responseBytes: queries.responseBytes, evaluationKeyBytes: profile.evaluationKeyBytes,
            databaseBytes: profile.subject.allBytes,
            server: profile.server
                ?? ServerIdentity(name: ServerIdentity.workbench, version: "version not named"),
            speed: services.byRegion(.pir).contains { $0.speed == nil } ? SpeedSummary(profile) : nil)
    }
}

extension Preparation {
    /// The architecture of one replication, with the parties' work: real protocol code, or charges from the cost
    /// profile.
    func architecture(_ replication: UInt32) throws -> Architecture {
        let devices = configuration.deviceCount
        let services = configuration.services
        switch costs.source {
        case .mechanism(let mechanism): return .mechanism(mechanism)
        case .real(let usecase):
            return .urlFilter(
                try RealWork(
                    usecase: usecase, deviceCount: devices,
                    tokensPerUserPerDay: services.tokensPerUserPerDay,
                    secondsTokenKeysKept: Int64(services.tokenKeysKept.seconds), seed: scenario.seed,
                    replication: replication, keys: scenario.pir.server.keys,
                    keyword: { [catalogs = inputs.prefilter.catalogs] key in
                        catalogs.lazy.compactMap { $0.keyword(for: key) }.first
                    }))
        case .calibrated(let profile):
            // What a noisy measurement leaves open belongs into the intervals.
            let isResampled = scenario.replicated.contains(.costs) || profile.isNoisy
            return .urlFilter(
                try CalibratedWork(
                    profile: isResampled
                        ? profile.resampled(seed: scenario.seed, replication: replication) : profile,
                    deviceCount: devices, tokensPerUserPerDay: services.tokensPerUserPerDay,
                    tokenKeysKept: services.tokenKeysKept, servers: services.keyServers(profile),
                    seed: scenario.seed, replication: replication))
        }
    }
}
