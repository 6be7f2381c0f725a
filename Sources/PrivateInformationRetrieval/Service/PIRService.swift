import Foundation
import HomomorphicEncryption
import SwiftProtobuf
import Synchronization

/// Answers the bodies of `/config`, `/key` and `/queries`, without knowing anything of HTTP but status codes.
///
/// Behaves like Apple's example server (article "PIR protocol", section "Endpoints"), except that a wrong `shard_index`
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

    /// One request of a client.
    package typealias Request = (userIdentifier: String, body: [UInt8])

    /// Versions of a usecase that stay available after newer ones were installed.
    package let versionCount: Int
    /// Versions of each usecase, the newest first.
    private let usecases: Mutex<[String: [PIRUsecase]]>
    private let keys: any EvaluationKeyStore
    private let pool: WorkPool

    package init(
        usecases: [PIRUsecase] = [], versionCount: Int = 2,
        keys: any EvaluationKeyStore = InMemoryEvaluationKeyStore(), pool: WorkPool = .callersThread
    ) {
        precondition(versionCount > 0, "a service must keep at least one version, got \(versionCount)")
        self.versionCount = versionCount
        self.keys = keys
        self.pool = pool
        self.usecases = Mutex([:])
        for usecase in usecases { install(usecase) }
    }

    /// Offers a new version of a usecase. A version with the same configuration is replaced; the oldest ones
    /// beyond `versionCount` are dropped, and clients that still ask for them get status 410.
    ///
    /// - Parameter versionCount: Nil means the service's.
    package func install(_ usecase: PIRUsecase, versionCount: Int? = nil) {
        usecases.withLock { usecases in
            var versions = usecases[usecase.name, default: []]
            versions.removeAll { $0.configurationID == usecase.configurationID }
            usecases[usecase.name] = Array(([usecase] + versions).prefix(versionCount ?? self.versionCount))
        }
    }

    /// Stops offering a usecase.
    package func remove(usecase name: String) { usecases.withLock { $0[name] = nil } }

    /// Names of all usecases, sorted.
    package var usecaseNames: [String] { usecases.withLock { $0.keys.sorted() } }

    /// Forgets all evaluation keys, which is what a restart of the server does.
    package func forgetEvaluationKeys() { keys.removeAll() }

    /// Stored evaluation keys, and the memory they take in bytes.
    package var evaluationKeyUsage: (count: Int, byteCount: Int) { keys.usage }

    /// Answers one request.
    ///
    /// - Parameters:
    ///   - userIdentifier: The header of that name; any string.
    ///   - body: Whatever came in. Every byte sequence gets an answer.
    package func handle(_ endpoint: Endpoint, userIdentifier: String, body: [UInt8]) -> Reply {
        do {
            switch endpoint {
            case .config:
                let request = try message(WireConfigRequest.self, from: body)
                return (200, WireCoding.bytes(of: try configuration(request, user: userIdentifier)))
            case .key:
                try storeKeys(message(WireEvaluationKeys.self, from: body), user: userIdentifier)
                return (200, [])
            case .queries:
                return answerQueries([(userIdentifier, body)])[0]
            }
        } catch {
            return Self.refusal(error)
        }
    }

    /// Answers several clients' `/queries` at once, with fewer passes over a database than ``handle(_:userIdentifier:body:)``
    /// one by one would make.
    ///
    /// - Returns: For each request what it would get alone.
    package func answerQueries(_ requests: [Request]) -> [Reply] {
        var questions: [Question] = []
        let ranges = requests.map { request in
            Result {
                let asked = try message(WireRequests.self, from: request.body).requests.map {
                    try question($0, user: request.userIdentifier)
                }
                questions += asked
                return (questions.count - asked.count)..<questions.count
            }
        }
        let answers = answers(to: questions)
        return ranges.map { range in
            do {
                var message = WireResponses()
                message.responses = try answers[try range.get()].map { answer in
                    var response = WireResponse()
                    response.pirResponse = try answer.get()
                    return response
                }
                return (200, WireCoding.bytes(of: message))
            } catch {
                return Self.refusal(error)
            }
        }
    }

    private func message<Message: SwiftProtobuf.Message>(
        _ type: Message.Type, from body: [UInt8]
    ) throws -> Message {
        guard body.count <= WireCoding.maximumBodyByteCount else {
            throw PIRServiceError.bodyTooLarge(body.count)
        }
        return try WireCoding.message(type, from: body)
    }

    private static func refusal(_ error: any Error) -> Reply {
        ((error as? PIRServiceError)?.status ?? 400, Array("\(error)".utf8))
    }

    // Configurations

    private func configuration(_ request: WireConfigRequest, user: String) throws -> WireConfigResponse {
        let usecases = usecases.withLock { $0 }
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
            let keyName = EvaluationKeyName(
                user: user, identifier: usecase.configuration.evaluationKeyIdentifier)
            var status = WireKeyStatus()
            status.timestamp = keys.timestamp(of: keyName) ?? 0
            status.keyConfig = usecase.keyConfiguration.wire
            response.keyInfo.append(status)
        }
        return response
    }

    // Keys

    private func storeKeys(_ message: WireEvaluationKeys, user: String) throws {
        let versions = usecases.withLock { $0.values.joined() }
        var ready: [(EvaluationKeyName, StoredEvaluationKey)] = []
        for wire in message.keys {
            guard wire.hasMetadata else { throw WireError.missing("metadata") }
            guard wire.hasEvaluationKey else { throw WireError.missing("evaluation_key") }
            let identifier = Array(wire.metadata.identifier)
            guard
                let usecase = versions.first(where: {
                    $0.configuration.evaluationKeyIdentifier == identifier
                })
            else { throw PIRServiceError.unknownKeyConfiguration }
            let needed = usecase.neededPart(of: wire.evaluationKey)
            let stored = StoredEvaluationKey(
                timestamp: wire.metadata.timestamp, key: try usecase.evaluationKey(needed),
                message: WireCoding.bytes(of: needed))
            ready.append((EvaluationKeyName(user: user, identifier: identifier), stored))
        }
        for (name, key) in ready { keys.store(key, as: name) }
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
    private func answers(to questions: [Question]) -> [Result<WirePIRResponse, any Error>] {
        var answers: [Result<WirePIRResponse, any Error>?] = questions.map { _ in nil }
        var open = Array(questions.indices)
        while let first = open.first {
            let group = open.filter { questions[$0].isForShard(of: questions[first]) }
            open.removeAll(where: group.contains)
            let shard = questions[first].usecase.shards[questions[first].shardIndex]
            do {
                let results = try shard.respond(
                    to: group.map { (questions[$0].query, questions[$0].key) }, pool: pool)
                for (number, result) in zip(group, results) { answers[number] = result }
            } catch {
                for number in group { answers[number] = .failure(error) }
            }
        }
        return answers.compactMap { $0 }
    }

    private func question(_ request: WireRequest, user: String) throws -> Question {
        let query: WirePIRRequest
        switch request.request {
        case .pirRequest(let message): query = message
        case .oprfRequest: throw PIRServiceError.notImplemented("oprf_request")
        case nil: throw WireError.missing("pir_request")
        }
        guard !query.hasShardID else { throw PIRServiceError.notImplemented("shard_id") }
        let name = EvaluationKeyName(
            user: user, identifier: Array(query.evaluationKeyMetadata.identifier))
        guard query.hasEvaluationKey || keys.timestamp(of: name) != nil else {
            throw PIRServiceError.evaluationKeyNotFound
        }
        guard let versions = usecases.withLock({ $0[request.usecase] }) else {
            throw PIRServiceError.unknownUsecase(request.usecase)
        }
        guard let usecase = versions.first(where: { Data($0.configurationID) == query.configurationHash })
        else {
            throw PIRServiceError.configurationGone(request.usecase)
        }
        guard let shardIndex = Int(exactly: query.shardIndex), shardIndex < usecase.shards.count else {
            throw PIRError.shardIndex(Int(clamping: query.shardIndex), shardCount: usecase.shards.count)
        }
        let key: EvaluationKey
        if query.hasEvaluationKey {
            key = try usecase.evaluationKey(usecase.neededPart(of: query.evaluationKey.evaluationKey))
        } else {
            guard name.identifier == usecase.configuration.evaluationKeyIdentifier else {
                throw PIRServiceError.evaluationKeyOfOtherConfiguration
            }
            let stored = try keys.key(name) { bytes in
                try usecase.evaluationKey(WireCoding.message(WireSerializedEvaluationKey.self, from: bytes))
            }
            guard let stored else { throw PIRServiceError.evaluationKeyNotFound }
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
