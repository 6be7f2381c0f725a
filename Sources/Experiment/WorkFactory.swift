import Crypto
import FleetModel
import Foundation
import Measurement
import PrivateInformationRetrieval
import Workload

/// Makes the parties' work of each replication: real protocol code, or charges from a cost profile.
struct WorkFactory: Sendable {
    let summary: RunResult.ProfileSummary?
    let make: @Sendable (UInt32) throws -> any ProtocolWork

    init(
        _ scenario: Scenario, list: BlockList, catalogs: [URLCatalog], configuration: FleetConfiguration,
        options: Preparation.Options, progress: @Sendable (String) -> Void
    ) throws {
        let devices = configuration.deviceCount
        let tokensPerDay = configuration.services.tokensPerUserPerDay
        switch scenario.fidelity {
        case .real:
            progress("processing the PIR database of \(list.count) entries")
            let usecase = try PIRDatabase.usecase(
                named: PIRDatabase.usecaseName, entries: list, rlweParameters: scenario.pir.rlweParameters,
                shardCount: scenario.pir.shards, seed: scenario.seed)
            summary = nil
            make = { replication in
                try RealWork(
                    usecase: usecase, deviceCount: devices, tokensPerUserPerDay: tokensPerDay,
                    seed: scenario.seed, replication: replication,
                    keyword: { key in catalogs.lazy.compactMap { $0.keyword(for: key) }.first })
            }
        case .calibrated:
            let profile = try ProfileCache.profile(scenario, list: list, options: options, progress: progress)
            guard let queries = profile[.queries] else {
                throw CostProfileError.missingEndpoint(Endpoint.queries.rawValue)
            }
            summary = RunResult.ProfileSummary(
                machine: profile.machine.processor, rlweParameters: profile.subject.rlweParameters,
                shards: profile.subject.shards, entriesPerShard: profile.subject.entries,
                responseSeconds: Double(queries.serviceAnswers.median) * 1e-9,
                requestBytes: queries.requestBytes,
                responseBytes: queries.responseBytes, evaluationKeyBytes: profile.evaluationKeyBytes)
            make = { replication in
                try CalibratedWork(
                    profile: profile, deviceCount: devices, tokensPerUserPerDay: tokensPerDay,
                    seed: scenario.seed, replication: replication)
            }
        }
    }
}

/// Where measured cost profiles are kept, so that runs of one scenario are charged alike.
enum ProfileCache {
    static func profile(
        _ scenario: Scenario, list: BlockList, options: Preparation.Options,
        progress: @Sendable (String) -> Void
    ) throws -> CostProfile {
        let shards = try PIRDatabase.sharding(shardCount: scenario.pir.shards).shardCount(
            rowCount: list.count)
        let path =
            try options.profile ?? scenario.pir.profile ?? defaultPath(scenario, list: list, shards: shards)
        if FileManager.default.fileExists(atPath: path) {
            let profile = try read(path)
            guard profile.subject.rlweParameters == scenario.pir.rlweParameters,
                profile.subject.shards == shards
            else {
                throw ProfileError.otherSubject(
                    path, found: "\(profile.subject.rlweParameters), \(profile.subject.shards) shards",
                    needed: "\(scenario.pir.rlweParameters), \(shards) shards")
            }
            return profile
        }
        progress("measuring the real cryptography on this machine")
        let profile = try CostProfiler.measure(
            entries: list, rlweParameters: scenario.pir.rlweParameters, shardCount: scenario.pir.shards)
        try write(profile, to: path)
        return profile
    }

    static func read(_ path: String) throws -> CostProfile {
        guard let data = FileManager.default.contents(atPath: path), data.count < 64 << 20 else {
            throw ProfileError.unreadable(path, "it cannot be read or is larger than 64 MiB")
        }
        do {
            let profile = try JSONDecoder().decode(CostProfile.self, from: data)
            guard profile.schema == CostProfile.schema else {
                throw ProfileError.unreadable(
                    path, "its schema is '\(profile.schema)', not '\(CostProfile.schema)'")
            }
            return profile
        } catch let error as DecodingError {
            throw ProfileError.unreadable(path, error.sentence)
        }
    }

    private static func write(_ profile: CostProfile, to path: String) throws {
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        let data = try encoder.encode(profile)
        try AtomicFile.write(to: path) { try $0.write(data) }
    }

    /// One file per machine, build of this program and database shape.
    private static func defaultPath(_ scenario: Scenario, list: BlockList, shards: Int) throws -> String {
        let environment = ProcessInfo.processInfo.environment
        let home = environment["HOME"] ?? FileManager.default.temporaryDirectory.path
        let cache = environment["XDG_CACHE_HOME"].flatMap { $0.isEmpty ? nil : $0 } ?? home + "/.cache"
        let machine = CostProfiler.machine
        let subject =
            "\(CostProfile.schema) \(machine) \(scenario.pir.rlweParameters) \(shards) \(list.count)"
        let name = SHA256.hash(data: Data(subject.utf8)).prefix(8).map { String(format: "%02x", $0) }.joined()
        return "\(cache)/urlfilter/profile-\(name).json"
    }
}

package enum ProfileError: Error, Equatable, CustomStringConvertible {
    case unreadable(String, String)
    case otherSubject(String, found: String, needed: String)

    package var description: String {
        switch self {
        case .unreadable(let path, let why): "\(path): not a cost profile: \(why); delete it to measure again"
        case .otherSubject(let path, let found, let needed):
            "\(path): the cost profile was measured for \(found); the scenario needs \(needed)"
        }
    }
}

extension DecodingError {
    /// What is wrong, and where in the document.
    var sentence: String {
        switch self {
        case .dataCorrupted(let context), .keyNotFound(_, let context), .typeMismatch(_, let context),
            .valueNotFound(_, let context):
            let path = context.codingPath.map(\.stringValue).joined(separator: ".")
            return path.isEmpty ? context.debugDescription : "\(path): \(context.debugDescription)"
        @unknown default: return "\(self)"
        }
    }
}
