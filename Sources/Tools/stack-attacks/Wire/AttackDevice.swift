import Foundation
import ObliviousHTTP
import Parties
import PrivateInformationRetrieval

/// An attacker who has what users have: a pseudonym, tokens and an evaluation key.
struct AttackDevice {
    private var client: DeviceClient
    private var peer: HTTPPeer
    private var generator = SystemRandomNumberGenerator()
    private let authority: String
    private let deadline: Deadline

    /// - Parameter pseudonym: As whom it comes; two of one name share an evaluation key.
    init(_ target: Target, pseudonym: String) {
        authority = "127.0.0.1:\(target.port)"
        var services = DeviceClient.Services()
        services.scheme = "http"
        services.issuerAuthority = authority
        services.pirAuthority = authority
        client = DeviceClient(
            .init(userIdentifier: pseudonym, userToken: "attacker"), usecase: PIRDatabase.usecaseName,
            services: services)
        peer = HTTPPeer(port: target.port)
        deadline = target.answerDeadline
    }

    /// Gets token key and tokens, but neither configuration nor evaluation key.
    mutating func fetchTokens(_ count: Int) throws {
        if !client.knowsTokenKey {
            try exchange { $0.directoryRequest() }
            try exchange { $0.tokenKeyRequest() }
        }
        for _ in 0..<count { try exchange { try $0.issueRequest() } }
    }

    /// Gets configuration and evaluation key as well: lookups are possible then.
    ///
    /// - Parameter tokens: That are left afterwards.
    mutating func settle(tokens: Int) throws {
        try fetchTokens(tokens + 2)
        try exchange { try $0.configRequest() }
        let generator = generator
        try exchange {
            var generator = generator
            return try $0.keyRequest(second: Int64(Date().timeIntervalSince1970), using: &generator)
        }
    }

    /// A request that spends one token, with any content to any path.
    ///
    /// - Parameter pseudonym: Another one than the device's own.
    mutating func request(
        _ path: String, _ content: [UInt8], as pseudonym: String? = nil
    ) throws -> BinaryHTTPRequest {
        var request = try client.configRequest().0
        request.path = path
        request.content = content
        if let pseudonym {
            request.fields.removeAll { $0.name == ServiceNames.userIdentifierField }
            request.fields.append(BinaryHTTPField(ServiceNames.userIdentifierField, pseudonym))
        }
        return request
    }

    /// An honest request for the configuration.
    mutating func configRequest() throws -> BinaryHTTPRequest { try client.configRequest().0 }

    /// A request for a token, which may be sent any number of times.
    mutating func tokenRequest() throws -> BinaryHTTPRequest { try client.issueRequest().0 }

    /// A new evaluation key, as it is uploaded.
    mutating func keyUpload() throws -> WireEvaluationKeys {
        var session = client.session
        return try session.makeKeyUpload(timestamp: 1, using: &generator)
    }

    /// Content of an honest lookup of one string.
    mutating func lookup(of string: String) throws -> WireRequests {
        try client.session.makeRequests([Array(string.utf8)], using: &generator).message
    }

    mutating func send(_ request: BinaryHTTPRequest) -> HTTPAnswer? {
        peer.exchange(request.wireBytes, until: deadline)
    }

    private mutating func exchange(
        _ make: (inout DeviceClient) throws -> (BinaryHTTPRequest, DeviceClient.Pending)
    ) throws {
        let (request, pending) = try make(&client)
        let answer = send(request)
        guard let answer, answer.status == 200 else {
            throw NotSettled(path: request.path, status: answer?.status)
        }
        _ = try client.read(
            answer.content, to: pending, second: Int64(Date().timeIntervalSince1970), using: &generator)
    }
}

/// An attack that could not begin.
struct NotSettled: Error, CustomStringConvertible {
    let path: String
    let status: Int?

    var description: String {
        "the attacker could not set up: \(path): \(status.map { "status \($0)" } ?? "no answer")"
    }
}

/// Seals requests for a gateway, well formed or not.
struct Sealer {
    let path: String
    /// Bytes of key id and algorithm ids in front of a message (RFC 9458, section 4.3).
    private static let headerByteCount = 7

    private let client: OHTTPClient
    private let port: UInt16

    /// - Parameters:
    ///   - port: Where the gateway's key is, and where sealed requests go.
    ///   - path: The relay's or the gateway's.
    init(port: UInt16, path: String, until deadline: Deadline) throws {
        self.port = port
        self.path = path
        var peer = HTTPPeer(port: port)
        let request = BinaryHTTPRequest(
            method: "GET", authority: "127.0.0.1:\(port)", path: ServiceNames.gatewayPath)
        guard let answer = peer.exchange(request.wireBytes, until: deadline), answer.status == 200,
            let configuration = try OHTTPKeyConfiguration.decodeList(answer.content).first
        else { throw NotSettled(path: ServiceNames.gatewayPath, status: nil) }
        client = try OHTTPClient(configuration: configuration)
    }

    /// The outer request around any bytes.
    func outer(_ content: [UInt8]) -> [UInt8] {
        BinaryHTTPRequest(
            authority: "127.0.0.1:\(port)", path: path,
            fields: [BinaryHTTPField("content-type", OHTTPMediaType.request)], content: content
        ).wireBytes
    }

    /// A sealed request, and how to read the status inside the answer.
    func seal(_ request: BinaryHTTPRequest) throws -> (outer: [UInt8], context: OHTTPClientContext) {
        let (message, context) = try client.seal(request.encoded())
        return (outer(message), context)
    }

    /// Looks like a sealed request, and is opened in vain.
    ///
    /// - Parameter random: Of the length of the encapsulated key and a ciphertext.
    func garbage(_ random: [UInt8]) throws -> [UInt8] {
        outer(try client.seal([]).message.prefix(Self.headerByteCount) + random)
    }

    /// - Returns: The status of the inner response, or of the outer one if there is none.
    static func status(of answer: HTTPAnswer?, _ context: OHTTPClientContext) -> Int? {
        guard let answer else { return nil }
        guard answer.status == 200 else { return answer.status }
        return (try? BinaryHTTPResponse(decoding: context.open(answer.content)))?.status
    }
}
