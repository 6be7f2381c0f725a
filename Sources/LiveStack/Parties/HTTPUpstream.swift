import AsyncHTTPClient
import NIOCore
import NIOHTTP1
import ObliviousHTTP
import Parties

/// A party in another process, over HTTP.
///
/// Nothing is sent twice: a token is spent by the first attempt.
struct HTTPUpstream: Upstream {
    /// Longer than any device waits for an answer (3 s); assumption.
    private static let timeout = TimeAmount.seconds(30)

    let client: HTTPClient
    /// Scheme, host and port; no slash at the end.
    let baseURL: String

    /// One client serves all upstreams of a process.
    static func makeClient() -> HTTPClient {
        var configuration = HTTPClient.Configuration()
        configuration.timeout.connect = .seconds(5)
        // A party that is down is told at once; devices come again by themselves.
        configuration.connectionPool.retryConnectionEstablishment = false
        configuration.redirectConfiguration = .disallow
        configuration.decompression = .disabled
        // Shorter than our servers keep a connection that is idle.
        configuration.connectionPool.idleTimeout = .seconds(30)
        // Without TLS every request under way needs a connection of its own.
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = 1_024
        return HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }

    func send(_ request: BinaryHTTPRequest) async -> BinaryHTTPResponse {
        var outgoing = HTTPClientRequest(url: baseURL + request.path)
        outgoing.method = HTTPMethod(rawValue: request.method)
        for field in request.fields {
            if let text = field.text { outgoing.headers.add(name: field.name, value: text) }
        }
        if request.method == "POST" { outgoing.body = .bytes(ByteBuffer(bytes: request.content)) }
        do {
            let response = try await client.execute(outgoing, timeout: Self.timeout)
            let content = try await response.body.collect(upTo: BinaryHTTPLimits.standard.messageBytes)
            return BinaryHTTPResponse(
                status: Int(response.status.code),
                fields: response.headers.map { BinaryHTTPField($0.name.lowercased(), $0.value) },
                content: Array(content.readableBytesView))
        } catch let error as HTTPClientError where error.isTimeout {
            return .refusal(504, "there was no answer in time")
        } catch {
            return .refusal(502, "the next party cannot be reached")
        }
    }
}

extension HTTPClientError {
    fileprivate var isTimeout: Bool {
        [.connectTimeout, .deadlineExceeded, .readTimeout, .getConnectionFromPoolTimeout].contains(self)
    }
}
