import AsyncHTTPClient
import LiveStack
import NIOCore
import NIOHTTP1
import ObliviousHTTP
import Parties
import PrivateInformationRetrieval
import Timing

/// One device whose requests are made before they are sent.
struct PortClient {
    let url: String
    /// The pseudonym.
    let user: String
    private var device: DeviceClient
    private var random = SystemRandomNumberGenerator()

    init(url: String, data: LiveData, number: Int = 0) {
        self.url = url
        user = "device-\(number)"
        let usecase = data.versions[0].usecase
        device = DeviceClient(number: number, usecase: usecase.name, context: usecase.shards[0].context)
    }

    /// Up to the first lookup.
    ///
    /// - Parameter service: Gets the evaluation key as well.
    mutating func settle(_ service: PIRService? = nil) async throws {
        try await exchange(device.directoryRequest())
        try await exchange(device.tokenKeyRequest())
        for _ in 0..<2 { try await exchange(device.issueRequest()) }
        try await exchange(device.configRequest())
        let (request, pending) = try device.keyRequest(second: 0, using: &random)
        _ = service?.handle(.key, userIdentifier: user, body: request.content)
        try await exchange((request, pending))
    }

    mutating func requests(_ count: Int) async throws -> [BinaryHTTPRequest] {
        var requests: [BinaryHTTPRequest] = []
        for number in 0..<count {
            try await exchange(device.issueRequest())
            let keyword = Array("host\(number * 97).example/path".utf8)
            requests.append(try device.queriesRequest([keyword], using: &random).0)
        }
        return requests
    }

    private mutating func exchange(
        _ made: (request: BinaryHTTPRequest, pending: DeviceClient.Pending)
    ) async throws {
        let (status, content) = try await Self.send(made.request, to: url)
        guard status == 200 else { throw WrongResult(description: "status \(status) while settling") }
        _ = try device.read(content, to: made.pending, second: 0, using: &random)
    }

    static func send(
        _ request: BinaryHTTPRequest, to url: String, over client: HTTPClient = .shared
    ) async throws -> (status: Int, content: [UInt8]) {
        var outgoing = HTTPClientRequest(url: url + request.path)
        outgoing.method = request.method == "GET" ? .GET : .POST
        for field in request.fields { outgoing.headers.add(name: field.name, value: field.text ?? "") }
        if request.method != "GET" { outgoing.body = .bytes(ByteBuffer(bytes: request.content)) }
        let response = try await client.execute(outgoing, timeout: .seconds(60))
        let content = try await response.body.collect(upTo: 1 << 20)
        return (Int(response.status.code), Array(content.readableBytesView))
    }
}
