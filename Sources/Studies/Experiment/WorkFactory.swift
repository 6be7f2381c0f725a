import FleetModel
import Measurement
import Parties
import PrivateInformationRetrieval
import Scenarios
import Timing
import URLFilter
import Workload

/// Makes the parties' work of each replication: real protocol code, or charges from a cost profile.
struct WorkFactory: Sendable {
    let summary: RunResult.ProfileSummary?
    /// Profile that the costs are drawn from; absent in `real` fidelity.
    let costProfile: CostProfile?
    /// Processed database of all shards, bytes.
    let databaseBytes: Int
    /// Files that the costs come from.
    let inputs: [String]
    let make: @Sendable (UInt32) throws -> Architecture

    init(
        _ scenario: Scenario, list: BlockList, mechanism: MechanismConfiguration?, catalogs: [URLCatalog],
        configuration: FleetConfiguration, options: Preparation.Options, progress: @Sendable (String) -> Void
    ) throws {
        let devices = configuration.deviceCount
        let tokensPerDay = configuration.services.tokensPerUserPerDay
        let tokenKeysKept = configuration.services.tokenKeysKept
        if let mechanism {
            (summary, costProfile, databaseBytes, inputs) = (nil, nil, 0, [])
            make = { _ in .mechanism(mechanism) }
            return
        }
        switch scenario.fidelity {
        case .real:
            progress("processing the PIR database of \(list.count) entries")
            let usecase = try PIRDatabase.usecase(
                named: PIRDatabase.usecaseName, entries: list, rlweParameters: scenario.pir.rlweParameters,
                shardCount: scenario.pir.shards, seed: scenario.seed)
            let keys = scenario.pir.server.keys
            summary = nil
            databaseBytes = usecase.shards.reduce(0) { $0 + $1.databaseByteCount }
            costProfile = nil
            inputs = []
            make = { replication in
                .urlFilter(
                    try RealWork(
                        usecase: usecase, deviceCount: devices, tokensPerUserPerDay: tokensPerDay,
                        seed: scenario.seed, replication: replication, keys: keys,
                        keyword: { key in catalogs.lazy.compactMap { $0.keyword(for: key) }.first }))
            }
        case .calibrated:
            let (measured, path) = try ProfileCache.profile(
                scenario, list: list, options: options, progress: progress)
            let profile = try scenario.pir.server.costs(measured, path: path)
            guard let queries = profile[.queries] else {
                throw CostProfileError.missingEndpoint(Endpoint.queries.rawValue)
            }
            costProfile = profile
            databaseBytes = profile.subject.allBytes
            try Self.checkMemory(configuration.services, profile)
            let servers = configuration.services.keyServers(profile)
            inputs = [path]
            summary = RunResult.ProfileSummary(
                machine: profile.machine.processor, rlweParameters: profile.subject.rlweParameters,
                shards: profile.subject.shards, entriesPerShard: profile.subject.entries,
                responseSeconds: Double(queries.serviceAnswers.median) * 1e-9,
                requestBytes: queries.requestBytes,
                responseBytes: queries.responseBytes, evaluationKeyBytes: profile.evaluationKeyBytes,
                databaseBytes: profile.subject.allBytes,
                server: profile.server
                    ?? ServerIdentity(name: ServerIdentity.workbench, version: "version not named"),
                speed: configuration.services.byRegion(.pir).contains { $0.speed == nil }
                    ? SpeedSummary(profile) : nil)
            // What a noisy measurement leaves open belongs into the intervals.
            let isResampled = scenario.replicated.contains(.costs) || profile.isNoisy
            make = { replication in
                .urlFilter(
                    try CalibratedWork(
                        profile: isResampled
                            ? ReplicationParts.resampled(
                                profile, seed: scenario.seed, replication: replication)
                            : profile, deviceCount: devices, tokensPerUserPerDay: tokensPerDay,
                        tokenKeysKept: tokenKeysKept, servers: servers, seed: scenario.seed,
                        replication: replication))
            }
        }
    }

    private static func checkMemory(_ services: FleetModel.ServiceConfiguration, _ profile: CostProfile)
        throws
    {
        for memory in services.byRegion(.pir).compactMap(\.memory)
        where memory - profile.subject.allBytes < profile.evaluationKeyBytes {
            throw PreparationError.memoryTooSmall(
                memory, database: profile.subject.allBytes, key: profile.evaluationKeyBytes)
        }
    }
}
