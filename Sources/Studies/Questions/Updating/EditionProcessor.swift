import Decoding
import Foundation
import HomomorphicEncryption
import Parties
import PrivateInformationRetrieval
import Timing
package import Workload

/// Processes two editions of a list with our own tool, and takes the time.
///
/// Of large lists a part of the shards is processed, chosen by the hash of their keywords as always, so that each of
/// them is what it would be in the whole; times and sizes are scaled by the number of shards.
package struct EditionProcessor: Sendable {
    /// Effort of processing a list, and what came of it.
    package struct Outcome: Codable, Equatable, Sendable {
        /// Shards of the whole database, and those that were processed here.
        package var shards: Int
        package var measuredShards: Int
        /// Shards that an update wrote anew; all of them without an update. Of the whole, scaled.
        package var rewrittenShards: Int
        /// Time for the whole, scaled: on all cores of this machine, and of one core.
        package var wallSeconds: Double
        package var cpuSeconds: Double
        /// The whole database in the memory of a PIR server.
        package var memoryBytes: Double
        /// The message with which devices learn the database's parameters.
        package var configurationBytes: Int
        /// SHA-256 of it: the same means that devices need not fetch it again.
        package var configurationID: String
        /// Names the keys that devices have to upload; another one makes theirs void.
        package var evaluationKeyID: String
        /// Bytes that a device uploads if its keys are void.
        package var evaluationKeyBytes: Int
    }

    package enum Update: Sendable {
        case kept(Outcome)
        /// The tool says why.
        case refused(String)
    }

    /// Entries from which on only a part is processed: about ten seconds of CPU.
    package static let wholeUpTo = 5_000_000

    private let encryption: EncryptionParameters
    private let folder: String
    /// Shards that are processed of so many.
    private let part: (Int, of: Int)

    /// - Parameters:
    ///   - shardCount: Of the database.
    ///   - entries: Of the larger of the two lists.
    ///   - takesAll: Process all shards of any list.
    ///   - folder: Where files are written; it must exist.
    package init(
        rlweParameters: String, shardCount: Int, entries: Int, takesAll: Bool, folder: String
    ) throws {
        encryption = try EncryptionParameters(named: rlweParameters)
        self.folder = folder
        let perShard = max(1, entries / shardCount)
        let measured = takesAll || entries <= Self.wholeUpTo ? shardCount : max(1, Self.wholeUpTo / perShard)
        part = (min(measured, shardCount), of: shardCount)
    }

    /// - Parameter name: Of the files, in the folder.
    package func process(_ list: BlockList, as name: String) throws -> Outcome {
        let rows = try rows(of: list)
        let processor = try DatabaseProcessor(configuration(name))
        return try measure { try processor.run(rows) }
    }

    /// Makes the next edition of a database that ``process(_:as:)`` made, as `pir process --update` does.
    package func update(_ list: BlockList, of previous: String, as name: String) throws -> Update {
        let rows = try rows(of: list)
        let old = configuration(previous)
        let processor = try DatabaseProcessor(configuration(name))
        do {
            return .kept(
                try measure {
                    try processor.update(
                        rows,
                        previous: PreviousDatabase(
                            database: old.outputDatabase, parameters: old.outputPirParameters))
                })
        } catch let error as DatabaseUpdateError {
            guard case .parametersWouldChange = error else { throw error }
            return .refused("\(error)")
        }
    }

    private func configuration(_ name: String) -> ProcessConfiguration {
        let path = "\(folder)/\(name)-\(ProcessConfiguration.shardPlaceholder)"
        var configuration = ProcessConfiguration(
            inputDatabase: "", outputDatabase: path + ".bin", outputPirParameters: path + ".params",
            encryption: encryption)
        // A count that was checked before.
        if let sharding = try? Sharding(.shardCount(part.0)) { configuration.sharding = sharding }
        if part.0 < part.of {
            configuration.shardingFunction = .doubleMod(otherShardCount: UInt32(clamping: part.of))
        }
        return configuration
    }

    /// Rows of the shards that are processed.
    private func rows(of list: BlockList) throws -> KeywordRows {
        var rows = KeywordRows()
        for entry in list {
            let keyword = Array(entry)
            guard part.0 == part.of || KeywordHash.hash(keyword) % UInt64(part.of) < UInt64(part.0) else {
                continue
            }
            try rows.append(keyword: keyword, value: PIRDatabase.value)
        }
        return rows
    }

    private func measure(_ work: () throws -> [ShardSummary]) throws -> Outcome {
        let (started, cpu) = (ContinuousClock.now, CPUClock.processNanoseconds())
        let shards = try work()
        let wall = (ContinuousClock.now - started).seconds
        let seconds = Double(nanoseconds: CPUClock.processNanoseconds() - cpu)
        let scale = Double(part.of) / Double(part.0)
        func scaled(_ count: Int) -> Int { Int(saturating: (Double(count) * scale).rounded()) }
        let parameters = shards.map(\.parameters)
        let known = try PIRConfiguration(shards: parameters)
        let message = WireCoding.bytes(of: known.wire)
        let key = try evaluationKey(known, parameters)
        return Outcome(
            shards: part.of, measuredShards: part.0,
            rewrittenShards: scaled(shards.count { $0.origin != .unchanged }), wallSeconds: wall * scale,
            cpuSeconds: seconds * scale,
            memoryBytes: Double(parameters.reduce(0) { $0 + $1.serverByteCount }) * scale,
            configurationBytes: scaled(message.count),
            configurationID: WireCoding.sha256(known.wire).hexadecimal,
            evaluationKeyID: known.evaluationKeyIdentifier.hexadecimal, evaluationKeyBytes: key)
    }

    /// Bytes of the key that a device uploads, by making one.
    private func evaluationKey(_ known: PIRConfiguration, _ parameters: [PIRParameters]) throws -> Int {
        guard let needed = EvaluationKeyConfiguration.union(parameters.map(\.evaluationKey)) else { return 0 }
        let context = try BFVContext(parameters: encryption)
        var random = SystemRandomNumberGenerator()
        let client = try PIRClient(configuration: known, context: context, using: &random)
        let key = try client.makeEvaluationKey(for: needed, using: &random)
        return WireCoding.bytes(of: WireSerializedEvaluationKey(key, context: context)).count
    }
}
