import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import ObliviousHTTP
import Parties
import ServiceLifecycle

/// `/metrics` on a port of its own, which only this machine can reach.
struct MetricsServer: Service {
    static let path = "/metrics"
    private static let host = "127.0.0.1"

    /// 0 takes a free one.
    let port: Int
    let metrics: StackMetrics
    let logger: Logger
    private let started = AsyncStream.makeStream(of: String.self)

    init(port: Int, metrics: StackMetrics, logger: Logger) {
        self.port = port
        self.metrics = metrics
        self.logger = logger
    }

    func run() async throws {
        let application = Application(
            responder: MetricsResponder(metrics: metrics),
            configuration: ApplicationConfiguration(address: .hostname(Self.host, port: port)),
            onServerRunning: { [port, started] channel in
                let port = channel.localAddress?.port ?? port
                started.continuation.yield("http://\(Self.host):\(port)\(Self.path)")
            },
            logger: logger)
        do {
            try await application.run()
        } catch let error as IOError {
            throw LiveStackError.cannotListen(host: Self.host, port: port, error)
        }
    }

    /// Waits until the page can be read.
    ///
    /// - Returns: Its URL; nil if the server ends before.
    func url() async -> String? { await started.stream.first { _ in true } }
}

private struct MetricsResponder: HTTPResponder {
    typealias Context = ConnectionContext

    let metrics: StackMetrics

    func respond(to request: Request, context _: Context) async throws -> Response {
        Response(
            request.method == .get && request.uri.path == MetricsServer.path
                ? metrics.page() : .nothingHere)
    }
}
