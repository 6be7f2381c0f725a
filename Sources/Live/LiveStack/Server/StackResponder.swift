import Foundation
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import ObliviousHTTP
import Parties
import Synchronization

/// Knowledge that a server has of the connection that a request came on.
struct ConnectionContext: InitializableFromSource {
    let channel: any Channel

    init(source: ApplicationRequestContextSource) { channel = source.channel }
}

/// Takes requests from the network, leads each to its party, and notes how it went.
struct StackResponder: HTTPResponder {
    typealias Context = ConnectionContext

    private let routes: StackRoutes
    private let parties: [Party]
    private let reader: RequestReader
    private let logger: Logger
    private let metrics: StackMetrics
    private let showsMetrics: Bool
    private let requestNumber = RequestNumbers()

    /// - Parameter showsMetrics: Whether everybody who reaches the parties may read what they count.
    init(
        hosts: [any PartyHost], limits: ConnectionLimits, hits: LimitHits, metrics: StackMetrics,
        showsMetrics: Bool, logger: Logger
    ) {
        routes = StackRoutes(hosts)
        parties = hosts.map(\.party)
        reader = RequestReader(limits: limits, hits: hits)
        self.metrics = metrics
        self.showsMetrics = showsMetrics
        self.logger = logger
    }

    func respond(to request: Request, context: Context) async throws -> Response {
        let number = requestNumber.next()
        if let page = page(request) { return Response(page) }
        guard let route = routes[request.uri.path] else {
            metrics.count(party: "none", endpoint: "none", status: 404)
            return try await finish(.nothingHere, request, context, hasRead: false)
        }
        if let refusal = route.endpoint.refusal(method: request.method.rawValue) {
            metrics.count(
                party: route.host.party.rawValue, endpoint: route.endpoint.name, status: refusal.status)
            return try await finish(refusal, request, context, hasRead: false)
        }
        let started = ContinuousClock.now
        metrics.began()
        defer { metrics.ended() }
        let response: BinaryHTTPResponse
        var hasRead = false
        switch await reader.read(request, limit: route.endpoint.contentLimit) {
        case .success(let content):
            hasRead = true
            defer { reader.release(content.count) }
            response = await route.host.respond(
                to: BinaryHTTPRequest(request, path: route.endpoint.path, content: content),
                at: route.endpoint)
        case .failure(let refusal):
            response = refusal.response
            metrics.count(
                party: route.host.party.rawValue, endpoint: route.endpoint.name, status: response.status)
        }
        logger.info(
            "answered",
            metadata: [
                "request": "\(number)", "party": "\(route.host.party.rawValue)",
                "endpoint": "\(route.endpoint.name)", "status": "\(response.status)",
                "ms": "\((ContinuousClock.now - started).milliseconds)",
            ])
        return try await finish(response, request, context, hasRead: hasRead)
    }

    /// Answer of the server itself. Only GET: a response to HEAD has no content.
    private func page(_ request: Request) -> BinaryHTTPResponse? {
        guard request.method == .get else { return nil }
        return switch request.uri.path {
        case "/health": BinaryHTTPResponse(status: 200, content: Array("ok\n".utf8))
        case MetricsServer.path where showsMetrics && request.isOfThisMachine: metrics.page()
        default: nil
        }
    }

    /// A peer whose content was not read may go on sending it; the connection gets a second to end.
    ///
    /// Closing at once would destroy the response on its way.
    private func finish(
        _ response: BinaryHTTPResponse, _ request: Request, _ context: Context, hasRead: Bool
    ) async throws -> Response {
        var answer = Response(response)
        if !hasRead, request.headers[.contentLength] != "0", request.method != .get {
            let channel = context.channel
            // Streams of HTTP/2 know no such field; their parent is a connection, not the listening socket.
            if channel.parent?.parent == nil { answer.headers[.connection] = "close" }
            channel.eventLoop.scheduleTask(in: .seconds(1)) { channel.close(promise: nil) }
        }
        return answer
    }
}

/// Numbers of requests that cannot be guessed from earlier runs.
final class RequestNumbers: Sendable {
    private let start = UInt64.random(in: .min ... .max)
    private let count = Atomic<UInt64>(0)

    func next() -> String {
        String(start &+ count.add(1, ordering: .relaxed).oldValue, radix: 16)
    }
}

extension Request {
    /// Whether a program of this machine asks for itself, as far as a request to a loopback address can tell: it
    /// names that address, which a page of the Web in a browser of this machine does not, and no proxy says that it
    /// asks for somebody else (RFC 9110, section 7.6.3; RFC 7239).
    ///
    /// A proxy that hides itself looks the same; for such there is ``LiveStackOptions/metricsPort``.
    fileprivate var isOfThisMachine: Bool {
        let proxied = ["forwarded", "via", "x-forwarded-for", "x-forwarded-host", "x-real-ip"]
        guard !headers.contains(where: { proxied.contains($0.name.canonicalName) }) else { return false }
        let host = head.authority.flatMap { URLComponents(string: "http://\($0)")?.host }
        return host.map { LiveStackOptions.isLoopback($0.trimmingCharacters(in: ["[", "]"])) } ?? false
    }
}

extension BinaryHTTPRequest {
    init(_ request: Request, path: String, content: [UInt8]) {
        self.init(
            method: request.method.rawValue, scheme: request.head.scheme ?? "http",
            authority: request.head.authority ?? "", path: path,
            fields: request.headers.map { BinaryHTTPField($0.name.canonicalName, $0.value) },
            content: content)
    }
}

extension Response {
    init(_ response: BinaryHTTPResponse) {
        var headers = HTTPFields()
        for field in response.fields {
            guard let name = HTTPField.Name(field.name), let value = field.text else { continue }
            headers.append(HTTPField(name: name, value: value))
        }
        self.init(
            status: HTTPResponse.Status(code: response.status), headers: headers,
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: response.content)))
    }
}

extension Duration {
    var milliseconds: Double {
        Double(components.seconds) * 1e3 + Double(components.attoseconds) * 1e-15
    }
}
