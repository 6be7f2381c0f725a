import Foundation
import HomomorphicEncryption
import Synchronization

/// Answers the bodies of `/config`, `/key` and `/queries`, without knowing anything of HTTP but status codes.
///
/// Behaves like Apple's example server (PIR protocol fact sheet, section 13), except that a wrong `shard_index`
/// is answered with 400, and that a key is checked when it is uploaded. Any number of threads may call it; work
/// is done on the caller's thread and on what a pool of cores has idle, and no lock is held meanwhile.
package final class PIRService: Sendable {
    package enum Endpoint: String, CaseIterable, Sendable {
        case config, key, queries

        /// Path of the request.
        package var path: String { "/" + rawValue }
    }

    /// Status code and body of the HTTP response. The body is a message for 200, else a sentence.
    package typealias Reply = (status: Int, body: [UInt8])

    private struct State {
        /// Versions of each usecase, the newest first.
        var usecases: [String: [PIRUsecase]] = [:]
        var keys = EvaluationKeyStore()
    }

    /// Versions of a usecase that stay available after newer ones were installed.
    package let versionCount: Int
    private let state: Mutex<State>
    private let pool: WorkPool

    package init(
        usecases: [PIRUsecase] = [], versionCount: Int = 2, pool: WorkPool = .callersThread
    ) {
        precondition(versionCount > 0, "a service must keep at least one version, got \(versionCount)")
        self.versionCount = versionCount
        self.pool = pool
        state = Mutex(State())
        for usecase in usecases { install(usecase) }
    }

    /// Offers a new version of a usecase. A version with the same configuration is replaced; the oldest ones
    /// beyond `versionCount` are dropped, and clients that still ask for them get status 410.
    package func install(_ usecase: PIRUsecase) {
        state.withLock { state in
            var versions = state.usecases[usecase.name, default: []]
            versions.removeAll { $0.configurationID == usecase.configurationID }
            state.usecases[usecase.name] = Array(([usecase] + versions).prefix(versionCount))
        }
    }

    /// Forgets all evaluation keys, which is what a restart of the server does.
    package func forgetEvaluationKeys() { state.withLock { $0.keys.removeAll() } }

    /// Stored evaluation keys, and the memory they take in bytes.
    package var evaluationKeyUsage: (count: Int, byteCount: Int) {
        state.withLock { ($0.keys.count, $0.keys.byteCount) }
    }

    /// Answers one request.
    ///
    /// - Parameters:
    ///   - userIdentifier: The header of that name; any string.
    ///   - body: Whatever came in. Every byte sequence gets an answer.
    package func handle(_ endpoint: Endpoint, userIdentifier: String, body: [UInt8]) -> Reply {
        do {
            guard body.count <= WireCoding.maximumBodyByteCount else {
                throw PIRServiceError.bodyTooLarge(body.count)
            }
            switch endpoint {
            case .config:
                let request = try WireCoding.message(WireConfigRequest.self, from: body)
                return (200, WireCoding.bytes(of: try configuration(request, user: userIdentifier)))
            case .key:
                try storeKeys(WireCoding.message(WireEvaluationKeys.self, from: body), user: userIdentifier)
                return (200, [])
            case .queries:
                let requests = try WireCoding.message(WireRequests.self, from: body)
                return (200, WireCoding.bytes(of: try responses(to: requests, user: userIdentifier)))
            }
        } catch let error as PIRServiceError {
            return (error.status, Array("\(error)".utf8))
        } catch {
            return (400, Array("\(error)".utf8))
        }
    }

    // Configurations

    private func configuration(_ request: WireConfigRequest, user: String) throws -> WireConfigResponse {
        let usecases = state.withLock { $0.usecases }
        let names = request.usecases.isEmpty ? usecases.keys.sorted() : request.usecases
        let existing = request.existingConfigIds
        guard existing.isEmpty || existing.count == names.count else {
            throw PIRServiceError.configurationIDCount(existing.count, usecaseCount: names.count)
        }
        var response = WireConfigResponse()
        for (index, name) in names.enumerated() {
            guard let usecase = usecases[name]?.first else { throw PIRServiceError.noSuchUsecase(name) }
            var config = WireConfig()
            if !existing.isEmpty, existing[index] == Data(usecase.configurationID) {
                config.reuseExistingConfig = true
            } else {
                config.pirConfig = usecase.wireConfiguration
                config.configID = Data(usecase.configurationID)
            }
            response.configs[name] = config
            let keyName = EvaluationKeyStore.Name(
                user: user, identifier: usecase.configuration.evaluationKeyIdentifier)
            var status = WireKeyStatus()
            status.timestamp = state.withLock { $0.keys[keyName]?.timestamp ?? 0 }
            status.keyConfig = usecase.keyConfiguration.wire
            response.keyInfo.append(status)
        }
        return response
    }

    // Keys

    private func storeKeys(_ message: WireEvaluationKeys, user: String) throws {
        let versions = state.withLock { $0.usecases.values.joined() }
        var ready: [(EvaluationKeyStore.Name, EvaluationKeyStore.StoredKey)] = []
        for wire in message.keys {
            guard wire.hasMetadata else { throw WireError.missing("metadata") }
            guard wire.hasEvaluationKey else { throw WireError.missing("evaluation_key") }
            let identifier = Array(wire.metadata.identifier)
            guard
                let usecase = versions.first(where: {
                    $0.configuration.evaluationKeyIdentifier == identifier
                })
            else { throw PIRServiceError.unknownKeyConfiguration }
            let key = try usecase.evaluationKey(wire.evaluationKey)
            ready.append(
                (
                    .init(user: user, identifier: identifier),
                    .init(timestamp: wire.metadata.timestamp, key: key)
                ))
        }
        state.withLock { state in
            for (name, key) in ready { state.keys.store(key, as: name) }
        }
    }

    // Queries

    /// What a request asks of which shard.
    private struct Question {
        let usecase: PIRUsecase
        let shardIndex: Int
        let query: WireEncryptedIndices
        let key: EvaluationKey

        func isForShard(of other: Question) -> Bool {
            usecase.configurationID == other.usecase.configurationID && usecase.name == other.usecase.name
                && shardIndex == other.shardIndex
        }
    }

    /// Questions to one shard share passes over its database.
    private func responses(to message: WireRequests, user: String) throws -> WireResponses {
        let questions = try message.requests.map { try question($0, user: user) }
        var responses = questions.map { _ in WireResponse() }
        var open = Array(questions.indices)
        while let first = open.first {
            let group = open.filter { questions[$0].isForShard(of: questions[first]) }
            open.removeAll(where: group.contains)
            let shard = questions[first].usecase.shards[questions[first].shardIndex]
            let results = try shard.respond(
                to: group.map { (questions[$0].query, questions[$0].key) }, pool: pool)
            for (number, result) in zip(group, results) { responses[number].pirResponse = try result.get() }
        }
        var answer = WireResponses()
        answer.responses = responses
        return answer
    }

    private func question(_ request: WireRequest, user: String) throws -> Question {
        let query: WirePIRRequest
        switch request.request {
        case .pirRequest(let message): query = message
        case .oprfRequest: throw PIRServiceError.notImplemented("oprf_request")
        case nil: throw WireError.missing("pir_request")
        }
        guard !query.hasShardID else { throw PIRServiceError.notImplemented("shard_id") }
        let name = EvaluationKeyStore.Name(
            user: user, identifier: Array(query.evaluationKeyMetadata.identifier))
        let (stored, versions) = state.withLock { ($0.keys[name]?.key, $0.usecases[request.usecase]) }
        guard stored != nil || query.hasEvaluationKey else { throw PIRServiceError.evaluationKeyNotFound }
        guard let versions else { throw PIRServiceError.unknownUsecase(request.usecase) }
        guard let usecase = versions.first(where: { Data($0.configurationID) == query.configurationHash })
        else {
            throw PIRServiceError.configurationGone(request.usecase)
        }
        guard let shardIndex = Int(exactly: query.shardIndex), shardIndex < usecase.shards.count else {
            throw PIRError.shardIndex(Int(clamping: query.shardIndex), shardCount: usecase.shards.count)
        }
        let key: EvaluationKey
        if query.hasEvaluationKey {
            key = try usecase.evaluationKey(query.evaluationKey.evaluationKey)
        } else {
            guard let stored, name.identifier == usecase.configuration.evaluationKeyIdentifier else {
                throw PIRServiceError.evaluationKeyOfOtherConfiguration
            }
            key = stored
        }
        return Question(usecase: usecase, shardIndex: shardIndex, query: query.query, key: key)
    }
}

/// Why a service refuses a request.
package enum PIRServiceError: Error, Hashable {
    case bodyTooLarge(Int)
    case configurationIDCount(Int, usecaseCount: Int)
    /// Asked for by `/config`.
    case noSuchUsecase(String)
    /// Asked for by `/queries`.
    case unknownUsecase(String)
    case configurationGone(String)
    case unknownKeyConfiguration
    case evaluationKeyNotFound
    case evaluationKeyOfOtherConfiguration
    case notImplemented(String)

    /// HTTP status code.
    package var status: Int {
        switch self {
        case .bodyTooLarge: 413
        case .noSuchUsecase: 404
        case .configurationGone: 410
        case .notImplemented: 501
        case .configurationIDCount, .unknownUsecase, .unknownKeyConfiguration, .evaluationKeyNotFound,
            .evaluationKeyOfOtherConfiguration:
            400
        }
    }
}

extension PIRServiceError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .bodyTooLarge(let byteCount):
            "the body has \(byteCount) bytes; at most \(WireCoding.maximumBodyByteCount) are allowed"
        case .configurationIDCount(let count, let usecaseCount):
            "existing_config_ids has \(count) entries; it must be empty or have \(usecaseCount), one per usecase"
        case .noSuchUsecase(let name), .unknownUsecase(let name):
            "usecase '\(name.prefix(200))' is not offered here"
        case .configurationGone(let name):
            "usecase '\(name.prefix(200))' has no such configuration any more; ask for the current one"
        case .unknownKeyConfiguration:
            "metadata.identifier names no key configuration of this service; ask for the current one"
        case .evaluationKeyNotFound:
            "Evaluation key not found"
        case .evaluationKeyOfOtherConfiguration:
            "evaluation_key_metadata.identifier names a key that was made for another configuration"
        case .notImplemented(let field):
            "\(field) is set; this service does not implement it"
        }
    }
}
