import CommandSupport
import Foundation
import HomomorphicEncryption
import PrivateInformationRetrieval
import Report
import Timing

/// A client's conversation with a service in the same process, byte for byte as it would travel.
struct PIRExchange {
    private static let usecaseName = "workbench.url.filtering"
    private static let user = "workbench"
    /// Keywords of one request. A query has some tens of kilobytes, and a body at most 10 MiB.
    private static let batchSize = 16

    private(set) var summary: PIRQuerySummary
    private let service: PIRService
    private var session: PIRSession
    private var generator = SystemRandomNumberGenerator()

    /// Loads the processed shards.
    init(_ file: PIR.ConfigurationFile, progress: ProgressLine) throws {
        let started = ContinuousClock.now
        let shards = try Self.loadShards(file.configuration, progress: progress)
        let usecase = try PIRInputError.naming(
            database: file.configuration.outputDatabase, parameters: file.configuration.outputPirParameters
        ) { try PIRUsecase(name: Self.usecaseName, shards: shards) }
        service = PIRService(usecases: [usecase], pool: .allCores)
        session = PIRSession(usecase: Self.usecaseName, context: shards.first?.context)
        summary = PIRQuerySummary(configuration: file.path, shardCount: shards.count)
        summary.seconds.load = (ContinuousClock.now - started).seconds
    }

    /// Fetches the configuration and uploads the evaluation key.
    mutating func connect() throws {
        let config = try send(.config, WireCoding.bytes(of: session.configRequest()))
        summary.bytes.config = config.count
        let step = try session.receive(
            WireCoding.message(WireConfigResponse.self, from: config), using: &generator)
        guard step == .uploadKey else { return }
        var key: [UInt8] = []
        let now = UInt64(max(1, Date().timeIntervalSince1970))
        summary.seconds.makeKey = try measure {
            key = WireCoding.bytes(of: try session.makeKeyUpload(timestamp: now, using: &generator))
        }
        summary.bytes.key = key.count
        summary.seconds.storeKey = try measure { _ = try send(.key, key) }
    }

    mutating func ask(_ keywords: [String], progress: ProgressLine) throws {
        for start in stride(from: 0, to: keywords.count, by: Self.batchSize) {
            let batch = keywords[start..<min(start + Self.batchSize, keywords.count)]
            try ask(batch)
            progress.show("\(min(start + Self.batchSize, keywords.count))/\(keywords.count) keywords")
        }
    }

    private mutating func ask(_ keywords: ArraySlice<String>) throws {
        var pending: [PendingQuery] = []
        var request: [UInt8] = []
        summary.seconds.makeQueries += try measure {
            let (made, message) = try session.makeRequests(keywords.map { Array($0.utf8) }, using: &generator)
            pending = made
            request = WireCoding.bytes(of: message)
        }
        var response: [UInt8] = []
        summary.seconds.answer += try measure { response = try send(.queries, request) }
        var values: [[UInt8]?] = []
        summary.seconds.decrypt += try measure {
            values = try session.readResponses(
                WireCoding.message(WireResponses.self, from: response), to: pending)
        }
        summary.bytes.queries += request.count
        summary.bytes.responses += response.count
        for (keyword, (query, value)) in zip(keywords, zip(pending, values)) {
            summary.answers.append(.init(keyword: keyword, shard: query.shard, listed: value != nil))
        }
    }

    private func send(_ endpoint: PIRService.Endpoint, _ body: [UInt8]) throws -> [UInt8] {
        let reply = service.handle(endpoint, userIdentifier: Self.user, body: body)
        guard reply.status == 200 else {
            throw ServiceRefusal(
                path: endpoint.path, status: reply.status, reason: String(decoding: reply.body, as: UTF8.self)
            )
        }
        return reply.body
    }

    /// Loads all shards. With one name per shard the files are counted, because the configuration need not say how many
    /// there are.
    private static func loadShards(
        _ configuration: ProcessConfiguration, progress: ProgressLine
    ) throws -> [PIRShardServer] {
        var shards: [PIRShardServer] = []
        repeat {
            let database = ProcessConfiguration.path(configuration.outputDatabase, shard: shards.count)
            let parameters = ProcessConfiguration.path(configuration.outputPirParameters, shard: shards.count)
            progress.show("loading \(database)")
            let shard = try PIRInputError.naming(database: database, parameters: parameters) {
                try PIRShardServer(
                    databasePath: database, parametersPath: parameters, context: shards.first?.context)
            }
            shards.append(shard)
        } while hasShard(shards.count, configuration)
        return shards
    }

    static func hasShard(_ number: Int, _ configuration: ProcessConfiguration) -> Bool {
        if case .shardCount(let count) = configuration.sharding.rule { return number < count }
        let path = ProcessConfiguration.path(configuration.outputPirParameters, shard: number)
        return configuration.namesEveryShard && FileManager.default.fileExists(atPath: path)
    }
}

/// Wall seconds of the call.
private func measure(_ body: () throws -> Void) rethrows -> Double {
    try ContinuousClock().measure(body).seconds
}

/// The service in this process refused what the client in this process sent.
private struct ServiceRefusal: Error, CustomStringConvertible {
    let path: String
    let status: Int
    let reason: String

    var description: String { "the PIR service answered \(path) with status \(status): \(reason)" }
}
