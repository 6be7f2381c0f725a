import CommandSupport
import DeviceFleet
import Foundation
import Parties
import PrivateInformationRetrieval
import Report
import Synchronization
import Timing
import URLFilter

/// A device's conversation with a service that runs somewhere else.
struct LiveQuery {
    /// Keywords of one request. A query has some tens of kilobytes, and a body at most 10 MiB.
    private static let batchSize = 16

    private let device: LiveDevice
    private let exchanges: ExchangeLog
    private(set) var summary: PIRQuerySummary

    /// The exchanges of one device.
    private final class ExchangeLog: Sendable {
        private let records = Mutex<[ExchangeRecord]>([])

        func append(_ record: ExchangeRecord) { records.withLock { $0.append(record) } }
        func of(_ step: Endpoint) -> [ExchangeRecord] {
            records.withLock { $0.filter { $0.step == step } }
        }
    }

    init(_ options: DeploymentOptions, service: String, deployment: Deployment, channel: any ExchangeChannel)
    {
        let exchanges = ExchangeLog()
        let identity = DeviceClient.Identity(
            userIdentifier: UUID().uuidString.lowercased(), userToken: options.userToken ?? "workbench")
        device = LiveDevice(
            identity, usecase: options.usecase, services: deployment.services, channel: channel,
            observer: { exchanges.append($0) })
        self.exchanges = exchanges
        summary = PIRQuerySummary(configuration: service, shardCount: 0)
    }

    /// Directory, tokens, configuration, evaluation key.
    mutating func connect() async throws {
        let started = ContinuousClock.now
        try await device.prepare(tokens: 1)
        summary.seconds.load = (ContinuousClock.now - started).seconds
        summary.shardCount = await device.configuration?.shards.count ?? 0
    }

    mutating func ask(_ keywords: [String], progress: ProgressLine) async throws {
        for start in stride(from: 0, to: keywords.count, by: Self.batchSize) {
            let batch = keywords[start..<min(start + Self.batchSize, keywords.count)]
            let present = try await device.lookUp(batch.map { Array($0.utf8) })
            for (keyword, listed) in zip(batch, present) {
                let shard = await device.shard(of: Array(keyword.utf8)) ?? 0
                summary.answers.append(.init(keyword: keyword, shard: shard, listed: listed))
            }
            progress.show("\(min(start + Self.batchSize, keywords.count))/\(keywords.count) keywords")
        }
        let queries = exchanges.of(.queries)
        summary.bytes.config = exchanges.of(.config).map(\.receivedBytes).reduce(0, +)
        summary.bytes.key = exchanges.of(.key).map(\.sentBytes).reduce(0, +)
        summary.bytes.queries = queries.map(\.sentBytes).reduce(0, +)
        summary.bytes.responses = queries.map(\.receivedBytes).reduce(0, +)
        summary.seconds.storeKey = exchanges.of(.key).map(\.duration.seconds).reduce(0, +)
        summary.seconds.answer = queries.map(\.duration.seconds).reduce(0, +)
    }
}
