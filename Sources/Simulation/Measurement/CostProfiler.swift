package import FleetModel
import Foundation
import Parties
import PrivateInformationRetrieval
import Timing
import URLFilter

/// Measures what the real protocol code costs on this machine, by running it.
package enum CostProfiler {
    /// Measured repetitions per endpoint, after two that are not counted.
    private static let repetitions = 15
    private static let warmUps = 2

    /// Runs every endpoint against one shard of the list and takes the CPU time of each stage.
    ///
    /// Every answer is checked: a lookup that comes back wrong has no cost, it has a bug.
    ///
    /// - Parameters:
    ///   - entries: The whole list; only the entries of its largest shard are processed.
    package static func measure(
        entries: some Sequence<ArraySlice<UInt8>>, rlweParameters: String, shardCount: Int?
    ) throws -> CostProfile {
        let shard = try PIRDatabase.representativeShard(
            named: PIRDatabase.usecaseName, entries: entries, rlweParameters: rlweParameters,
            shardCount: shardCount, seed: 1)
        let asked = shard.sample
        func makeWork(_ keys: EvaluationKeyForm) throws -> RealWork {
            let work = try RealWork(
                usecase: shard.usecase, deviceCount: 1, tokensPerUserPerDay: nil, seed: 1, replication: 0,
                keys: keys,
                keyword: { key in
                    key < UInt64(asked.count) ? asked[Int(key)] : Array("absent \(key)".utf8)
                })
            try work.startSteadily(device: 0, tokens: 6 * (repetitions + warmUps))
            return work
        }
        let work = try makeWork(.ready)

        var endpoints: [String: EndpointCost] = [:]
        for endpoint in Endpoint.ofLookups {
            // A keyword of the list: what it costs does not depend on that, but finding it proves the answer.
            let keys: [UInt64] = endpoint == .queries ? [asked.isEmpty ? .max : 0] : []
            endpoints[endpoint.rawValue] = try samples(endpoint, keys: keys, listed: asked.count, work).cost
        }
        let one = try samples(.queries, keys: [.max], listed: asked.count, work)
        let two = try samples(.queries, keys: [.max, .max - 1], listed: asked.count, work)
        let shape = shard.usecase.configuration.shards[0]
        let withBytes = try makeWork(.bytes)
        var profile = CostProfile(
            machine: .current,
            subject: .init(
                rlweParameters: rlweParameters, entries: shard.entryCount, shards: shard.shardCount,
                dimensions: shape.dimensions, databaseBytes: shard.databaseBytes),
            endpoints: endpoints, extraKeyword: two.minus(one),
            evaluationKeyBytes: work.evaluationKeyBytes,
            followerShare: try followerShare(shard.usecase, asking: asked.first ?? Array("absent".utf8)))
        profile.server = ServerIdentity(name: ServerIdentity.workbench, version: Machine.programVersion)
        profile.keysAsBytes = CostProfile.KeysAsBytes(
            upload: try samples(.key, keys: [], listed: asked.count, withBytes).cost.serviceAnswers,
            lookup: try keyReading(of: shard.usecase), evaluationKeyBytes: withBytes.evaluationKeyBytes)
        return profile
    }

    /// Measures the CPU time of making a key from its bytes.
    private static func keyReading(of usecase: PIRUsecase) throws -> StageCost {
        var random = SystemRandomNumberGenerator()
        let client = try PIRClient(
            configuration: usecase.configuration, context: usecase.shards[0].context, using: &random)
        let key = try client.makeEvaluationKey(for: usecase.keyConfiguration, using: &random)
        let bytes = WireCoding.bytes(
            of: WireSerializedEvaluationKey(key, context: usecase.shards[0].context))
        let times = try (-warmUps..<repetitions).map { _ in
            try CPUClock.measure {
                let message = try WireCoding.message(WireSerializedEvaluationKey.self, from: bytes)
                _ = try message.value(context: usecase.shards[0].context)
            }.nanoseconds
        }
        return StageCost(samples: Array(times.dropFirst(warmUps)))
    }

    /// CPU nanoseconds of each stage, one number per repetition.
    private struct Samples {
        var stages: [[Int64]] = Array(repeating: [], count: 5)
        var requestBytes = 0
        var responseBytes = 0

        var cost: EndpointCost {
            EndpointCost(
                deviceBegins: StageCost(samples: stages[0]), gatewayOpens: StageCost(samples: stages[1]),
                serviceAnswers: StageCost(samples: stages[2]), gatewaySeals: StageCost(samples: stages[3]),
                deviceEnds: StageCost(samples: stages[4]), requestBytes: requestBytes,
                responseBytes: responseBytes)
        }

        /// Differences of the medians, never negative.
        func minus(_ other: Samples) -> CostProfile.ExtraKeyword {
            func difference(_ stage: Int) -> Int64 {
                max(
                    0,
                    StageCost(samples: stages[stage]).median - StageCost(samples: other.stages[stage]).median)
            }
            return CostProfile.ExtraKeyword(
                deviceBegins: difference(0), gatewayOpens: difference(1), serviceAnswers: difference(2),
                gatewaySeals: difference(3), deviceEnds: difference(4),
                requestBytes: requestBytes - other.requestBytes,
                responseBytes: responseBytes - other.responseBytes)
        }
    }

    private static func samples(
        _ endpoint: Endpoint, keys: [UInt64], listed: Int, _ work: RealWork
    ) throws -> Samples {
        var samples = Samples()
        let expected = keys.map { $0 < UInt64(listed) }
        for repetition in -warmUps..<repetitions {
            if endpoint == .tokenKey {
                // The key is checked against a directory, which the device must have.
                _ = try work.complete(
                    ExchangeRequest(device: 0, endpoint: .directory, keys: [], listed: [], second: 0))
            }
            if endpoint == .queries, repetition == -warmUps {
                try work.startSteadily(device: 0, tokens: repetitions + warmUps)
            }
            let request = ExchangeRequest(
                device: 0, endpoint: endpoint, keys: keys, listed: expected,
                second: Int64(repetition + warmUps))
            let begun = try work.deviceBegins(0, request: request)
            let opened = try work.gatewayOpens(0)
            let answered = try work.serviceAnswers(0)
            let sealed = try work.gatewaySeals(0)
            let ended = work.deviceEnds(0)
            guard case .success(let found, _) = ended.outcome, endpoint != .queries || found == expected
            else {
                throw CostProfilerError.wrongAnswer(endpoint.rawValue)
            }
            guard repetition >= 0 else { continue }
            for (stage, cpu) in [begun.cpu, opened.cpu, answered.cpu, sealed.cpu, ended.cpu].enumerated() {
                samples.stages[stage].append(cpu)
            }
            samples.requestBytes = max(samples.requestBytes, begun.bytes)
            samples.responseBytes = max(samples.responseBytes, sealed.bytes)
        }
        return samples
    }
}

package enum CostProfilerError: Error, Equatable, CustomStringConvertible {
    case wrongAnswer(String)

    package var description: String {
        switch self {
        case .wrongAnswer(let endpoint):
            "the real code answered '\(endpoint)' wrongly while it was measured; this is a bug"
        }
    }
}
