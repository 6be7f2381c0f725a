import Foundation
package import HomomorphicEncryption
package import ObliviousHTTP
package import PrivacyPass
package import PrivateInformationRetrieval

/// The protocol side of one device: tokens, configuration, keys and lookups, without sockets and clocks.
///
/// Makes the HTTP request of each step and reads the response to it. What a step needs to remember travels in
/// ``Pending``, because a device may have several requests under way and may change its key meanwhile.
package struct DeviceClient {
    /// Unix second at which a simulated clock starts. Any will do; keys are dated by it.
    private static let startOfSimulatedClock: Int64 = 1_800_000_000
    /// User agent as the example server expects it (article "PIR protocol", section "Endpoints").
    private static let userAgent = "com.apple.ciphermld/1.0 iOS/26.0"

    /// The places of the services, in the words of the requests to them.
    package struct Services: Hashable, Sendable {
        /// `https`, or `http` for services on the machine of a developer.
        package var scheme = "https"
        /// Host, and port if it is not the scheme's own. It is also the issuer's name in the challenge that the
        /// device makes itself.
        package var issuerAuthority = ServiceNames.issuerAuthority
        package var pirAuthority = ServiceNames.pirAuthority

        package init() {}
    }

    /// Pseudonym and token that a device shows of itself.
    package struct Identity: Hashable, Sendable {
        /// The pseudonym that links configuration, key and queries at the PIR server.
        package var userIdentifier: String
        /// Token that the app's user was given; goes to the issuer only.
        package var userToken: String

        package init(userIdentifier: String, userToken: String) {
            self.userIdentifier = userIdentifier
            self.userToken = userToken
        }
    }

    /// State that a request leaves behind until its response arrives.
    package enum Pending {
        case directory, tokenKey
        case token(PendingToken)
        case config, publicConfig
        /// The session that will be in use once the server has the key.
        case key(PIRSession)
        /// The session that can read the answer, and what was asked.
        case queries(PIRSession, [PendingQuery])
        case report
    }

    /// News that the device learnt from a response.
    package enum Answer {
        case done
        case keyUploadNeeded(Bool)
        case present([Bool])
    }

    private let identity: Identity
    private let services: Services
    private let startOfClock: Int64
    /// Configuration and keys of the lookups.
    package private(set) var session: PIRSession
    /// Nil until it has come in.
    package private(set) var directory: IssuerDirectory?
    private var issueTarget: (authority: String, path: String)?
    private var tokenClient: TokenClient?
    private var tokens: [Token] = []

    /// - Parameters:
    ///   - startOfClock: Unix seconds at second 0 of the clock by which the device is told the time.
    ///   - context: Tables of the encryption parameters, shared by all devices.
    package init(
        _ identity: Identity, usecase: String, services: Services, startOfClock: Int64 = 0,
        context: BFVContext? = nil
    ) {
        self.identity = identity
        self.services = services
        self.startOfClock = startOfClock
        session = PIRSession(usecase: usecase, context: context)
    }

    /// A device of a simulated fleet.
    package init(number: Int, usecase: String, context: BFVContext) {
        self.init(
            Identity(userIdentifier: "device-\(number)", userToken: "user-\(number)"), usecase: usecase,
            services: Services(), startOfClock: Self.startOfSimulatedClock, context: context)
    }

    package var tokenCount: Int { tokens.count }

    /// Whether tokens can be asked for.
    package var knowsTokenKey: Bool { tokenClient != nil }

    package mutating func discardTokens(oldest count: Int) { tokens.removeFirst(min(count, tokens.count)) }

    package mutating func forgetTokenKey() {
        directory = nil
        issueTarget = nil
        tokenClient = nil
    }

    package func directoryRequest() -> (BinaryHTTPRequest, Pending) {
        (issuerRequest("GET", path: IssuerDirectory.path, authorized: false), .directory)
    }

    package func tokenKeyRequest() -> (BinaryHTTPRequest, Pending) {
        (issuerRequest("GET", path: ServiceNames.tokenKeyPath, authorized: true), .tokenKey)
    }

    package func issueRequest() throws -> (BinaryHTTPRequest, Pending) {
        guard let tokenClient, let issueTarget else { throw DeviceClientError.noTokenKey }
        let pending = try tokenClient.makePendingToken()
        var request = issuerRequest("POST", path: issueTarget.path, authorized: true)
        request.authority = issueTarget.authority
        request.fields.append(BinaryHTTPField("content-type", TokenRequest.mediaType))
        request.content = pending.request.encoded
        return (request, .token(pending))
    }

    package mutating func configRequest() throws -> (BinaryHTTPRequest, Pending) {
        (try pirRequest(.config, body: WireCoding.bytes(of: session.configRequest())), .config)
    }

    /// Asks for the configuration that everybody gets, with neither token nor pseudonym (iOS 27.3).
    package func publicConfigRequest() -> (BinaryHTTPRequest, Pending) {
        let request = BinaryHTTPRequest(
            method: "GET", scheme: services.scheme, authority: services.pirAuthority,
            path: PIRService.Endpoint.config.path)
        return (request, .publicConfig)
    }

    /// Uses the first valid key of the directory instead of asking which one the user has (iOS 27.3).
    package mutating func takeFirstTokenKey(second: Int64) throws {
        guard let key = directory?.usableKeys(at: startOfClock + second).first else {
            throw DeviceClientError.noTokenKey
        }
        try use(key)
    }

    private mutating func use(_ key: TokenPublicKey) throws {
        tokenClient = try TokenClient(
            challenge: TokenChallenge(issuerName: services.issuerAuthority), publicKey: key)
    }

    /// Makes a new secret key; it is used once the upload has succeeded.
    package mutating func keyRequest(
        second: Int64, using generator: inout some RandomNumberGenerator
    ) throws -> (BinaryHTTPRequest, Pending) {
        var next = session
        let upload = try next.makeKeyUpload(
            timestamp: UInt64(clamping: max(1, startOfClock + second)), using: &generator)
        return (try pirRequest(.key, body: WireCoding.bytes(of: upload)), .key(next))
    }

    package mutating func queriesRequest(
        _ keywords: [[UInt8]], using generator: inout some RandomNumberGenerator
    ) throws -> (BinaryHTTPRequest, Pending) {
        let (pending, message) = try session.makeRequests(keywords, using: &generator)
        return (try pirRequest(.queries, body: WireCoding.bytes(of: message)), .queries(session, pending))
    }

    /// Asks about keywords with a new secret key, whose evaluation key goes along with each (iOS 27.3).
    package mutating func queriesRequestWithKey(
        _ keywords: [[UInt8]], second: Int64, using generator: inout some RandomNumberGenerator
    ) throws -> (BinaryHTTPRequest, Pending) {
        var asking = session
        let upload = try asking.makeKeyUpload(
            timestamp: UInt64(clamping: max(1, startOfClock + second)), using: &generator)
        var (pending, message) = try asking.makeRequests(keywords, using: &generator)
        for index in message.requests.indices {
            message.requests[index].pirRequest.evaluationKey = upload.keys[0]
        }
        return (try pirRequest(.queries, body: WireCoding.bytes(of: message)), .queries(asking, pending))
    }

    /// Tells which entries were blocked, as a JSON array of strings.
    package mutating func reportRequest(_ entries: [[UInt8]]) throws -> (BinaryHTTPRequest, Pending) {
        let texts = entries.map { String(decoding: $0, as: UTF8.self) }
        let body = try JSONEncoder().encode(texts)
        var request = try pirRequest(path: ServiceNames.reportPath, body: Array(body))
        request.fields.append(BinaryHTTPField("content-type", "application/json"))
        return (request, .report)
    }

    /// Reads a response with status 200.
    ///
    /// - Parameter second: The device's clock, for the validity of keys.
    package mutating func read(
        _ body: [UInt8], to pending: Pending, second: Int64, using generator: inout some RandomNumberGenerator
    ) throws -> Answer {
        switch pending {
        case .directory:
            let directory = try IssuerDirectory(decoding: body)
            issueTarget = try target(of: directory)
            self.directory = directory
            return .done
        case .tokenKey:
            let key = try TokenPublicKey(subjectPublicKeyInfo: body)
            guard let directory, directory.offers(key, at: startOfClock + second) else {
                throw DeviceClientError.keyNotInDirectory
            }
            try use(key)
            return .done
        case .token(let token):
            tokens.append(try token.finish(with: body))
            return .done
        case .config:
            let response = try WireCoding.message(WireConfigResponse.self, from: body)
            return .keyUploadNeeded(try session.receive(response, using: &generator) == .uploadKey)
        case .publicConfig:
            let response = try WireCoding.message(WireConfigResponse.self, from: body)
            _ = try session.receive(response, using: &generator)
            // It says nothing of this device's key, but the key may not fit to it.
            return .keyUploadNeeded(session.keyTimestamp == nil)
        case .key(let next):
            session = next
            return .done
        case .report: return .done
        case .queries(let asking, let queries):
            let responses = try WireCoding.message(WireResponses.self, from: body)
            return .present(try asking.readResponses(responses, to: queries).map { $0 != nil })
        }
    }

    /// The place to which the directory sends token requests: it may name a path, or a URL of another host.
    private func target(of directory: IssuerDirectory) throws -> (authority: String, path: String) {
        let base = "\(services.scheme)://\(services.issuerAuthority)\(IssuerDirectory.path)"
        let text = try directory.requestURL(relativeTo: base)
        guard let url = URLComponents(string: text), let host = url.percentEncodedHost else {
            throw IssuerDirectoryError.unusableURI(String(text.prefix(128)))
        }
        let query = url.percentEncodedQuery.map { "?" + $0 } ?? ""
        let path = url.percentEncodedPath.isEmpty ? "/" : url.percentEncodedPath
        return (host + (url.port.map { ":\($0)" } ?? ""), path + query)
    }

    private func issuerRequest(_ method: String, path: String, authorized: Bool) -> BinaryHTTPRequest {
        BinaryHTTPRequest(
            method: method, scheme: services.scheme, authority: services.issuerAuthority, path: path,
            fields: authorized
                ? [BinaryHTTPField("authorization", "Bearer \(identity.userToken)")] : [])
    }

    /// Spends the oldest token.
    private mutating func pirRequest(_ endpoint: PIRService.Endpoint, body: [UInt8]) throws
        -> BinaryHTTPRequest
    {
        try pirRequest(path: endpoint.path, body: body)
    }

    private mutating func pirRequest(path: String, body: [UInt8]) throws -> BinaryHTTPRequest {
        guard !tokens.isEmpty else { throw DeviceClientError.noToken }
        let token = tokens.removeFirst()
        return BinaryHTTPRequest(
            scheme: services.scheme, authority: services.pirAuthority, path: path,
            fields: [
                BinaryHTTPField("authorization", token.authorization),
                BinaryHTTPField(ServiceNames.userIdentifierField, identity.userIdentifier),
                BinaryHTTPField("user-agent", Self.userAgent),
            ], content: body)
    }
}

/// Why a device cannot take a step.
package enum DeviceClientError: Error, Equatable, CustomStringConvertible {
    case noTokenKey
    case noToken
    case keyNotInDirectory

    package var description: String {
        switch self {
        case .noTokenKey:
            "the device knows no token key yet; it has to ask the directory and the issuer first"
        case .noToken: "the device has no token left; it has to ask the issuer for some first"
        case .keyNotInDirectory: "the user's token key is not in the issuer's directory"
        }
    }
}
