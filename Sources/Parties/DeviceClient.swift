package import HomomorphicEncryption
package import ObliviousHTTP
package import PrivacyPass
package import PrivateInformationRetrieval

/// The protocol side of one device: tokens, configuration, keys and lookups, without sockets and clocks.
///
/// Makes the HTTP request of each step and reads the response to it. What a step needs to remember travels in
/// ``Pending``, because a device may have several requests under way and may change its key meanwhile.
package struct DeviceClient {
    /// Name of the issuer in the challenge that the device makes itself.
    static let issuerName = OperatorService.issuerAuthority
    /// As the example server expects it (apple-url-filter fact sheet, section 5).
    /// Unix second at which the simulated clock starts. Any will do; keys are dated by it.
    private static let startOfClock: Int64 = 1_800_000_000
    private static let userAgent = "com.apple.ciphermld/1.0 iOS/26.0"

    /// What a request leaves behind until its response arrives.
    package enum Pending {
        case directory, tokenKey
        case token(PendingToken)
        case config
        /// The session that will be in use once the server has the key.
        case key(PIRSession)
        /// The session that can read the answer, and what was asked.
        case queries(PIRSession, [PendingQuery])
    }

    /// What the device learnt from a response.
    package enum Answer {
        case done
        case keyUploadNeeded(Bool)
        case present([Bool])
    }

    private let userIdentifier: String
    private let userToken: String
    private var session: PIRSession
    private var directory: IssuerDirectory?
    private var tokenClient: TokenClient?
    private var tokens: [Token] = []

    /// - Parameter context: Tables of the encryption parameters, shared by all devices.
    package init(number: Int, usecase: String, context: BFVContext) {
        userIdentifier = "device-\(number)"
        userToken = "user-\(number)"
        session = PIRSession(usecase: usecase, context: context)
    }

    package mutating func discardTokens(oldest count: Int) { tokens.removeFirst(min(count, tokens.count)) }

    package mutating func forgetTokenKey() {
        directory = nil
        tokenClient = nil
    }

    package func directoryRequest() -> (BinaryHTTPRequest, Pending) {
        (issuerRequest("GET", IssuerDirectory.path, authorized: false), .directory)
    }

    package func tokenKeyRequest() -> (BinaryHTTPRequest, Pending) {
        (issuerRequest("GET", ServiceNames.tokenKeyPath, authorized: true), .tokenKey)
    }

    package func issueRequest() throws -> (BinaryHTTPRequest, Pending) {
        guard let tokenClient else { throw DeviceClientError.noTokenKey }
        let pending = try tokenClient.makePendingToken()
        var request = issuerRequest("POST", ServiceNames.issuePath, authorized: true)
        request.fields.append(BinaryHTTPField("content-type", TokenRequest.mediaType))
        request.content = pending.request.encoded
        return (request, .token(pending))
    }

    package mutating func configRequest() throws -> (BinaryHTTPRequest, Pending) {
        (try pirRequest(.config, body: WireCoding.bytes(of: session.configRequest())), .config)
    }

    /// Makes a new secret key; it is used once the upload has succeeded.
    package mutating func keyRequest(
        second: Int64, using generator: inout some RandomNumberGenerator
    ) throws -> (BinaryHTTPRequest, Pending) {
        var next = session
        let upload = try next.makeKeyUpload(
            timestamp: UInt64(clamping: Self.startOfClock + second), using: &generator)
        return (try pirRequest(.key, body: WireCoding.bytes(of: upload)), .key(next))
    }

    package mutating func queriesRequest(
        _ keywords: [[UInt8]], using generator: inout some RandomNumberGenerator
    ) throws -> (BinaryHTTPRequest, Pending) {
        let (pending, message) = try session.makeRequests(keywords, using: &generator)
        return (try pirRequest(.queries, body: WireCoding.bytes(of: message)), .queries(session, pending))
    }

    /// Reads a response with status 200.
    ///
    /// - Parameter second: The device's clock, for the validity of keys.
    package mutating func read(
        _ body: [UInt8], to pending: Pending, second: Int64, using generator: inout some RandomNumberGenerator
    ) throws -> Answer {
        switch pending {
        case .directory:
            directory = try IssuerDirectory(decoding: body)
            return .done
        case .tokenKey:
            let key = try TokenPublicKey(subjectPublicKeyInfo: body)
            guard let directory, directory.offers(key, at: second) else {
                throw DeviceClientError.keyNotInDirectory
            }
            tokenClient = try TokenClient(
                challenge: TokenChallenge(issuerName: Self.issuerName), publicKey: key)
            return .done
        case .token(let token):
            tokens.append(try token.finish(with: body))
            return .done
        case .config:
            let response = try WireCoding.message(WireConfigResponse.self, from: body)
            return .keyUploadNeeded(try session.receive(response, using: &generator) == .uploadKey)
        case .key(let next):
            session = next
            return .done
        case .queries(let asking, let queries):
            let responses = try WireCoding.message(WireResponses.self, from: body)
            return .present(try asking.readResponses(responses, to: queries).map { $0 != nil })
        }
    }

    private func issuerRequest(_ method: String, _ path: String, authorized: Bool) -> BinaryHTTPRequest {
        BinaryHTTPRequest(
            method: method, authority: OperatorService.issuerAuthority, path: path,
            fields: authorized ? [BinaryHTTPField("authorization", "Bearer \(userToken)")] : [])
    }

    /// Spends the oldest token.
    private mutating func pirRequest(_ endpoint: PIRService.Endpoint, body: [UInt8]) throws
        -> BinaryHTTPRequest
    {
        guard !tokens.isEmpty else { throw DeviceClientError.noToken }
        let token = tokens.removeFirst()
        return BinaryHTTPRequest(
            authority: OperatorService.pirAuthority, path: endpoint.path,
            fields: [
                BinaryHTTPField("authorization", token.authorization),
                BinaryHTTPField(ServiceNames.userIdentifierField, userIdentifier),
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
