import AsyncHTTPClient
import Foundation
import LiveStack
import NIOCore
import NIOHTTP1
import ObliviousHTTP
import Parties
import PrivacyPass
import PrivateInformationRetrieval
import ServerTestSupport
import TestSupport

/// A list of a hundred entries, processed once for all tests.
enum Fixture {
    static let entries = (0..<100).map { "blocked\($0).example" }

    static let data: LiveData = {
        guard let data = try? data(entries: entries) else {
            preconditionFailure("the list cannot be processed")
        }
        return data
    }()

    static func data(entries: [String], seed: UInt64 = 1) throws -> LiveData {
        try LiveData(
            list: entries.map { Array($0.utf8)[...] }, usecase: PIRDatabase.usecaseName,
            rlweParameters: "n_4096_logq_27_28_28_logt_5", shardCount: 2, seed: seed)
    }

    static var options: LiveStackOptions { .patient(coreCount: 2) }

    /// Runs `body` against a stack with all parties on one port.
    static func withStack<Result>(
        _ options: LiveStackOptions = options, load: @escaping @Sendable () throws -> LiveData = { data },
        _ body: (RunningStack) async throws -> Result
    ) async throws -> Result {
        let stack = try await RunningStack.start(options, load: load)
        do {
            let result = try await body(stack)
            try await stack.stop()
            return result
        } catch {
            try? await stack.stop()
            throw error
        }
    }

    /// A new file name in a directory of its own, which is removed afterwards.
    static func withStateFile<Result>(_ body: (String) async throws -> Result) async throws -> Result {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        return try await body(folder.path + "/state.sqlite")
    }
}

/// Sends messages of the protocol over HTTP.
enum Wire {
    static func send(
        _ request: BinaryHTTPRequest, to base: String, within limit: TimeAmount = Patience.amount
    ) async throws -> BinaryHTTPResponse {
        var outgoing = HTTPClientRequest(url: base + request.path)
        outgoing.method = HTTPMethod(rawValue: request.method)
        for field in request.fields { outgoing.headers.add(name: field.name, value: field.text ?? "") }
        if request.method == "POST" { outgoing.body = .bytes(ByteBuffer(bytes: request.content)) }
        let response = try await HTTPClient.shared.execute(outgoing, timeout: limit)
        let content = try await response.body.collect(upTo: 20 << 20)
        return BinaryHTTPResponse(
            status: Int(response.status.code),
            fields: response.headers.map { BinaryHTTPField($0.name.lowercased(), $0.value) },
            content: Array(content.readableBytesView))
    }

    static func get(
        _ path: String, _ base: String, within limit: TimeAmount = Patience.amount
    ) async throws -> BinaryHTTPResponse {
        try await send(BinaryHTTPRequest(method: "GET", authority: "", path: path), to: base, within: limit)
    }

    static func post(
        _ path: String, _ content: [UInt8], _ fields: [BinaryHTTPField] = [], _ base: String
    ) async throws -> BinaryHTTPResponse {
        try await send(
            BinaryHTTPRequest(method: "POST", authority: "", path: path, fields: fields, content: content),
            to: base)
    }
}

/// A device that talks to servers.
struct TestDevice {
    /// How requests reach the operator.
    enum Way {
        /// Straight to issuer and PIR server.
        case direct(issuer: String, pir: String)
        /// Sealed, to this URL; the second is where the keys are.
        case sealed(to: String, keys: String)
    }

    private(set) var client: DeviceClient
    private(set) var way: Way
    private var generator = SystemRandomNumberGenerator()
    /// The last request as it was before sealing.
    private(set) var lastRequest: BinaryHTTPRequest?
    /// The last request as it was sent, if it was sealed.
    private(set) var lastMessage: [UInt8]?
    private(set) var ohttp: OHTTPClient?

    init(number: Int = 0, way: Way, data: LiveData = Fixture.data) throws {
        let usecase = data.versions[0].usecase
        client = DeviceClient(number: number, usecase: usecase.name, context: usecase.shards[0].context)
        self.way = way
    }

    init(number: Int = 0, directTo url: String, data: LiveData = Fixture.data) throws {
        try self.init(number: number, way: .direct(issuer: url, pir: url), data: data)
    }

    /// Everything up to the first lookup.
    ///
    /// - Parameter tokens: That are left afterwards.
    mutating func settle(tokens: Int) async throws {
        try await exchange { $0.directoryRequest() }
        try await exchange { $0.tokenKeyRequest() }
        try await fetchTokens(tokens + 2)
        try await exchange { try $0.configRequest() }
        var random = generator
        try await exchange { try $0.keyRequest(second: 0, using: &random) }
    }

    /// Makes a request without sending it.
    mutating func withClient<Result>(_ body: (inout DeviceClient) throws -> Result) rethrows -> Result {
        try body(&client)
    }

    /// Goes on with another server, as if the one it knew had been restarted there.
    mutating func moves(to url: String) {
        switch way {
        case .direct: way = .direct(issuer: url, pir: url)
        case .sealed: way = .sealed(to: url, keys: url)
        }
    }

    /// As a device does that was told that its gateway's key is unknown.
    mutating func forgetGatewayKey() { ohttp = nil }

    mutating func fetchTokens(_ count: Int) async throws {
        for _ in 0..<count { try await exchange { try $0.issueRequest() } }
    }

    /// - Returns: Whether the list has each of them.
    mutating func look(up keywords: [String]) async throws -> [Bool] {
        var random = generator
        let answer = try await exchange {
            try $0.queriesRequest(keywords.map { Array($0.utf8) }, using: &random)
        }
        guard case .present(let present) = answer else { return [] }
        return present
    }

    @discardableResult
    mutating func exchange(
        _ make: (inout DeviceClient) throws -> (BinaryHTTPRequest, DeviceClient.Pending)
    ) async throws -> DeviceClient.Answer {
        let (request, pending) = try make(&client)
        let response = try await send(request)
        guard response.status == 200 else {
            throw Refused(status: response.status, text: String(decoding: response.content, as: UTF8.self))
        }
        return try client.read(
            response.content, to: pending, second: Int64(Date().timeIntervalSince1970), using: &generator)
    }

    /// - Returns: The inner response.
    mutating func send(_ request: BinaryHTTPRequest) async throws -> BinaryHTTPResponse {
        lastRequest = request
        switch way {
        case .direct(let issuer, let pir):
            return try await Wire.send(
                request, to: request.authority == ServiceNames.issuerAuthority ? issuer : pir)
        case .sealed(let url, let keys):
            let client = try await sealing(keys)
            let (message, context) = try client.seal(request.encoded())
            lastMessage = message
            var outgoing = HTTPClientRequest(url: url)
            outgoing.method = .POST
            outgoing.headers.add(name: "content-type", value: OHTTPMediaType.request)
            outgoing.body = .bytes(ByteBuffer(bytes: message))
            let response = try await HTTPClient.shared.execute(outgoing, timeout: Patience.amount)
            let content = try await response.body.collect(upTo: 20 << 20)
            guard response.status == .ok else {
                throw Refused(status: Int(response.status.code), text: "outer")
            }
            return try BinaryHTTPResponse(decoding: context.open(Array(content.readableBytesView)))
        }
    }

    private mutating func sealing(_ keys: String) async throws -> OHTTPClient {
        if let ohttp { return ohttp }
        let response = try await Wire.get("", keys)
        let configurations = try OHTTPKeyConfiguration.decodeList(response.content)
        let client = try OHTTPClient(configuration: configurations[0])
        ohttp = client
        return client
    }
}

/// A response other than 200.
struct Refused: Error, Equatable {
    let status: Int
    let text: String
}
