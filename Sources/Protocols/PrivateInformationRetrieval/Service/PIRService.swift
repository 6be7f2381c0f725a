import Foundation
import HomomorphicEncryption
import ServiceRules
import SwiftProtobuf
import Synchronization

/// Answers the bodies of `/config`, `/key` and `/queries`, without knowing anything of HTTP but status codes.
///
/// Behaves like Apple's example server (article "PIR protocol", section "Endpoints"), except that a wrong `shard_index`
/// is answered with 400, and that a key is checked when it is uploaded. Any number of threads may call it; work
/// is done on the caller's thread and on what a pool of cores has idle, and no lock is held meanwhile.
///
/// What one request, and so one token, may cost is bounded beyond the length of its body: a configuration for each
/// usecase offered, a key for each key configuration, ``questionLimit`` questions, and ``partLimit`` messages inside
/// all that. Apple's example server has no such bounds.
package final class PIRService: Sendable {
    package enum Endpoint: String, CaseIterable, Sendable {
        case config, key, queries

        /// Path of the request.
        package var path: String { "/" + rawValue }

        /// Longest body, in bytes. A device that asks for a configuration names one usecase, in some hundred bytes;
        /// 64 KiB are an assumption.
        package var bodyLimit: Int {
            self == .config ? 64 << 10 : WireCoding.maximumBodyByteCount
        }

        fileprivate var shape: MessageShape {
            switch self {
            case .config: .configRequest
            case .key: .evaluationKeys
            case .queries: .requests
            }
        }
    }

    /// Questions in one request. A URL has at most some 50 lookup strings, of which a device asks those that its
    /// prefilter has; the next power of two is an assumption.
    package static let questionLimit = 64

    /// Messages in one body, those in messages included: 64 questions of some ten ciphertexts, each with a key of its
    /// own, stay below. It takes some 10 ms to read that many.
    package static let partLimit = 16_384

    /// Status code and body of the HTTP response. The body is a message for 200, else a sentence.
    package typealias Reply = (status: Int, body: [UInt8])

    /// One request of a client.
    package typealias Request = (userIdentifier: String, body: [UInt8])

    /// Versions of a usecase that stay available after newer ones were installed.
    package let versionCount: Int
    /// Versions of each usecase, by their configurations.
    let usecases: Mutex<[String: ServedVersions<[UInt8], PIRUsecase>]>
    let keys: any EvaluationKeyStore
    let pool: WorkPool
    private let noteRefusal: @Sendable (PIRServiceError) -> Void

    /// - Parameter noteRefusal: Told why requests are refused, to count that.
    package init(
        usecases: [PIRUsecase] = [], versionCount: Int = 2,
        keys: any EvaluationKeyStore = InMemoryEvaluationKeyStore(), pool: WorkPool = .callersThread,
        noteRefusal: @escaping @Sendable (PIRServiceError) -> Void = { _ in }
    ) {
        precondition(versionCount > 0, "a service must keep at least one version, got \(versionCount)")
        self.versionCount = versionCount
        self.keys = keys
        self.pool = pool
        self.noteRefusal = noteRefusal
        self.usecases = Mutex([:])
        for usecase in usecases { install(usecase) }
    }

    /// Offers a new version of a usecase. A version with the same configuration is replaced; the oldest ones
    /// beyond `versionCount` are dropped, and clients that still ask for them get status 410.
    ///
    /// - Parameter versionCount: Nil means the service's.
    package func install(_ usecase: PIRUsecase, versionCount: Int? = nil) {
        usecases.withLock { usecases in
            usecases[usecase.name, default: ServedVersions()].install(
                usecase, as: usecase.configurationID, within: VersionLimit(versionCount ?? self.versionCount))
        }
    }

    /// Stops offering a usecase.
    package func remove(usecase name: String) { usecases.withLock { $0[name] = nil } }

    /// Names of all usecases, sorted.
    package var usecaseNames: [String] { usecases.withLock { $0.keys.sorted() } }

    /// Forgets all evaluation keys, which is what a restart of the server does.
    package func forgetEvaluationKeys() { keys.removeAll() }

    /// Stored evaluation keys, and the memory they take in bytes.
    package var evaluationKeyUsage: (count: Int?, byteCount: Int) { keys.usage }

    /// Answers one request.
    ///
    /// - Parameters:
    ///   - userIdentifier: The header of that name; any string.
    ///   - body: Whatever came in. Every byte sequence gets an answer.
    package func handle(_ endpoint: Endpoint, userIdentifier: String, body: [UInt8]) -> Reply {
        do {
            switch endpoint {
            case .config:
                let request = try message(WireConfigRequest.self, from: body, to: endpoint)
                return (200, WireCoding.bytes(of: try configurations(for: request, of: userIdentifier)))
            case .key:
                try storeKeys(
                    message(WireEvaluationKeys.self, from: body, to: endpoint), user: userIdentifier)
                return (200, [])
            case .queries:
                return answerQueries([(userIdentifier, body)])[0]
            }
        } catch {
            return refusal(error)
        }
    }

    /// The configurations of all usecases, for whoever asks: no key is known, and nothing is left out because the
    /// client has it (iOS 27.3, `GET /config`).
    package func publicConfiguration() -> Reply {
        do {
            return (200, WireCoding.bytes(of: try configurations(for: WireConfigRequest(), of: nil)))
        } catch {
            return refusal(error)
        }
    }

    /// How many questions, keys or usecases a body has. What it costs to find out is a fraction of what it costs to
    /// read the body.
    ///
    /// - Returns: Nil if the body is no message.
    /// - Throws: If it is too large or has too much in it.
    package static func entryCount(of body: [UInt8], to endpoint: Endpoint) throws(PIRServiceError) -> Int? {
        guard body.count <= endpoint.bodyLimit else {
            throw .bodyTooLarge(body.count, limit: endpoint.bodyLimit)
        }
        guard let count = endpoint.shape.count(in: body, limit: partLimit) else { return nil }
        guard endpoint != .queries || count.entries <= questionLimit else {
            throw .tooManyQuestions(limit: questionLimit)
        }
        guard count.all <= partLimit else { throw .tooManyParts(limit: partLimit) }
        return count.entries
    }

    func message<Message: SwiftProtobuf.Message>(
        _ type: Message.Type, from body: [UInt8], to endpoint: Endpoint
    ) throws -> Message {
        guard try Self.entryCount(of: body, to: endpoint) != nil else {
            throw WireError.malformed(message: WireCoding.name(of: type))
        }
        // What nobody here knows must not be stored either.
        return try WireCoding.message(type, from: body, keepsUnknownFields: false)
    }

    func refusal(_ error: any Error) -> Reply {
        let known = error as? PIRServiceError
        if let known { noteRefusal(known) }
        return ((known?.refusal ?? .requestUnusable).status, Array("\(error)".utf8))
    }

    // Configurations

    /// - Parameter user: `nil` for an answer to everybody.
    private func configurations(
        for request: WireConfigRequest, of user: String?
    ) throws -> WireConfigResponse {
        let usecases = usecases.withLock { $0 }
        guard request.usecases.count <= max(1, usecases.count) else {
            throw PIRServiceError.tooManyUsecases(request.usecases.count, limit: usecases.count)
        }
        let names = request.usecases.isEmpty ? usecases.keys.sorted() : request.usecases
        let existing = request.existingConfigIds
        guard existing.isEmpty || existing.count == names.count else {
            throw PIRServiceError.configurationIDCount(existing.count, usecaseCount: names.count)
        }
        var response = WireConfigResponse()
        for (index, name) in names.enumerated() {
            guard let usecase = usecases[name]?.newest else { throw PIRServiceError.noSuchUsecase(name) }
            var config = WireConfig()
            if !existing.isEmpty, existing[index] == Data(usecase.configurationID) {
                config.reuseExistingConfig = true
            } else {
                config.pirConfig = usecase.wireConfiguration
                config.configID = Data(usecase.configurationID)
            }
            response.configs[name] = config
            var status = WireKeyStatus()
            if let user {
                let keyName = EvaluationKeyName(
                    user: user, identifier: usecase.configuration.evaluationKeyIdentifier)
                status.timestamp = try keys.timestamp(of: keyName) ?? 0
            }
            status.keyConfig = usecase.keyConfiguration.wire
            response.keyInfo.append(status)
        }
        return response
    }

    // Keys

    private func storeKeys(_ message: WireEvaluationKeys, user: String) throws {
        let versions = usecases.withLock { $0.values.flatMap(\.contents) }
        let configurationCount = Set(versions.map(\.configuration.evaluationKeyIdentifier)).count
        guard message.keys.count <= max(1, configurationCount) else {
            throw PIRServiceError.tooManyKeys(message.keys.count, limit: configurationCount)
        }
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
                timestamp: wire.metadata.timestamp,
                key: keys.forms.contains(.ready) ? try usecase.evaluationKey(needed) : nil,
                message: keys.forms.contains(.bytes) ? WireCoding.bytes(of: needed) : [])
            if stored.key == nil { try usecase.checkEvaluationKey(needed) }
            ready.append((EvaluationKeyName(user: user, identifier: identifier), stored))
        }
        for (name, key) in ready { keys.store(key, as: name) }
    }
}
