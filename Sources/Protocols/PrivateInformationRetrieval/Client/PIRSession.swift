package import Foundation
package import HomomorphicEncryption

/// A client's dealings with a service about one usecase: configuration, key upload, queries.
///
/// The order is Apple's (article "PIR protocol", section "Endpoints"): send ``configRequest()``; give the response to
/// ``receive(_:using:)``; if that says so, send ``makeKeyUpload(timestamp:using:)``; then send requests. It does
/// no input or output itself.
package struct PIRSession: Sendable {
    /// Next step after a configuration has come in.
    package enum Step: Hashable, Sendable {
        /// The server has this client's key.
        case query
        /// The server has no key of this client, or another one.
        case uploadKey
    }

    package let usecase: String
    /// Nil until a configuration has come in.
    package private(set) var client: PIRClient?
    /// Nil until a configuration has come in.
    package private(set) var keyConfiguration: EvaluationKeyConfiguration?
    /// Unix seconds at which the secret key in use was made. Nil before the first upload.
    package private(set) var keyTimestamp: UInt64?
    /// Id of the configuration at hand, as the server names it.
    package private(set) var configurationID = Data()
    private let context: BFVContext?

    /// - Parameter context: Tables of the encryption parameters that the server will name, to be shared by many
    ///   clients; others are made when they do not fit.
    package init(usecase: String, context: BFVContext? = nil) {
        self.usecase = usecase
        self.context = context
    }

    /// Asks for the configuration, naming the one at hand.
    package func configRequest() -> WireConfigRequest {
        var request = WireConfigRequest()
        request.usecases = [usecase]
        if client != nil { request.existingConfigIds = [configurationID] }
        return request
    }

    /// Takes the server's answer.
    ///
    /// A configuration that is to be reused stays as it is. If the answer cannot be used, nothing changes.
    ///
    /// - Parameter generator: Draws a secret key when the encryption parameters are new.
    package mutating func receive(
        _ response: WireConfigResponse, using generator: inout some RandomNumberGenerator
    ) throws -> Step {
        guard let config = response.configs[usecase] else { throw WireError.missing("configs['\(usecase)']") }
        var next = self
        if config.reuseExistingConfig {
            guard client != nil else { throw WireError.missing("pir_config") }
        } else {
            guard case .pirConfig(let wire)? = config.config else { throw WireError.missing("pir_config") }
            try next.adopt(PIRConfiguration(wire), using: &generator)
            next.configurationID = config.configID
        }
        let identifier = next.client?.configuration.evaluationKeyIdentifier ?? []
        guard let status = response.keyInfo.first(where: { WireCoding.sha256($0.keyConfig) == identifier })
        else {
            throw WireError.missing("key_info for this configuration")
        }
        next.keyConfiguration = try EvaluationKeyConfiguration(status.keyConfig)
        self = next
        return Self.needsUpload(localTimestamp: keyTimestamp, status: status) ? .uploadKey : .query
    }

    /// Whether the server has to be given a key: it has none, or not the one that the client uses now.
    package static func needsUpload(localTimestamp: UInt64?, status: WireKeyStatus) -> Bool {
        status.timestamp == 0 || status.timestamp != localTimestamp
    }

    /// Makes a new secret key, and the message that gives the server what it needs to work for it.
    ///
    /// Responses to earlier queries cannot be read any more.
    ///
    /// - Parameter timestamp: Unix seconds now. At least 1.
    package mutating func makeKeyUpload(
        timestamp: UInt64, using generator: inout some RandomNumberGenerator
    ) throws -> WireEvaluationKeys {
        precondition(timestamp > 0, "timestamp 0 means that there is no key")
        guard let old = client, let keyConfiguration else { throw WireError.missing("pir_config") }
        let client = try old.withNewSecretKey(using: &generator)
        var key = WireEvaluationKey()
        key.evaluationKey = try client.makeSerializedEvaluationKey(for: keyConfiguration, using: &generator)
        key.metadata = metadata(of: client, timestamp: timestamp)
        var message = WireEvaluationKeys()
        message.keys = [key]
        self.client = client
        keyTimestamp = timestamp
        return message
    }

    /// Asks about keywords.
    ///
    /// - Returns: The message, and for each keyword what ``readResponses(_:to:)`` needs, in the same order.
    package func makeRequests(
        _ keywords: [[UInt8]], using generator: inout some RandomNumberGenerator
    ) throws -> (pending: [PendingQuery], message: WireRequests) {
        guard let client, let keyTimestamp else { throw WireError.missing("evaluation_key_metadata") }
        var message = WireRequests()
        var pending: [PendingQuery] = []
        for keyword in keywords {
            let query = try client.query(keyword, using: &generator)
            var request = WireRequest()
            request.usecase = usecase
            request.pirRequest.shardIndex = UInt32(clamping: query.pending.shard)
            request.pirRequest.query = query.message
            request.pirRequest.evaluationKeyMetadata = metadata(of: client, timestamp: keyTimestamp)
            request.pirRequest.configurationHash = configurationID
            message.requests.append(request)
            pending.append(query.pending)
        }
        return (pending, message)
    }

    /// The values of the keywords that were asked for; nil for those the database does not have.
    package func readResponses(_ responses: WireResponses, to pending: [PendingQuery]) throws -> [[UInt8]?] {
        guard let client else { throw WireError.missing("pir_config") }
        guard responses.responses.count == pending.count else {
            throw WireError.outOfRange(
                "responses", found: "\(responses.responses.count) messages", allowed: "\(pending.count)")
        }
        return try zip(responses.responses, pending).map { response, query in
            guard case .pirResponse(let reply)? = response.response else {
                throw WireError.missing("pir_response")
            }
            return try client.decrypt(reply, for: query)
        }
    }

    /// Keeps the secret key where the new configuration allows it.
    private mutating func adopt(
        _ configuration: PIRConfiguration, using generator: inout some RandomNumberGenerator
    ) throws {
        if let client, client.configuration.encryption == configuration.encryption {
            let sameKey =
                client.configuration.evaluationKeyIdentifier == configuration.evaluationKeyIdentifier
            self.client = try client.reconfigured(configuration)
            if !sameKey { keyTimestamp = nil }
        } else {
            client = try PIRClient(configuration: configuration, context: context, using: &generator)
            keyTimestamp = nil
        }
    }

    private func metadata(of client: PIRClient, timestamp: UInt64) -> WireEvaluationKeyMetadata {
        var metadata = WireEvaluationKeyMetadata()
        metadata.timestamp = timestamp
        metadata.identifier = Data(client.configuration.evaluationKeyIdentifier)
        return metadata
    }
}
