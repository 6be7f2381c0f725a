import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdCore
package import Logging
import NIOCore
import ServiceLifecycle
import UnixSignals

/// Serves a workbench to this machine.
package struct WorkbenchServer: Sendable {
    private static let host = "127.0.0.1"
    /// Connections at once: a browser opens six to a host, and one more for each page that listens.
    private static let mostConnections = 128
    private static let idleTime = TimeAmount.seconds(60)
    private static let contentTime = Duration.seconds(10)

    private let workbench: Workbench
    private let port: Int
    private let logger: Logger

    /// - Parameter port: 0 takes a free one.
    package init(_ workbench: Workbench, port: Int, logger: Logger) {
        self.workbench = workbench
        self.port = port
        self.logger = logger
    }

    /// Serves until SIGINT or SIGTERM, or until its task is cancelled.
    ///
    /// - Parameter whenReady: Gets the base URL, for example `http://127.0.0.1:49152`.
    package func run(
        trapsSignals: Bool, whenReady: @escaping @Sendable (String) async -> Void
    ) async throws {
        let application = Application(
            responder: WorkbenchResponder(workbench: workbench, contentTime: Self.contentTime),
            server: .http1(configuration: .init(idleTimeout: Self.idleTime)),
            configuration: ApplicationConfiguration(
                address: .hostname(Self.host, port: port),
                availableConnectionsDelegate: MaximumAvailableConnections(Self.mostConnections)),
            onServerRunning: { [port] channel in
                await whenReady("http://\(Self.host):\(channel.localAddress?.port ?? port)")
            },
            logger: logger)
        var configuration = ServiceGroupConfiguration(
            services: [application, EndingService(workbench: workbench)],
            gracefulShutdownSignals: trapsSignals ? [.sigterm, .sigint] : [], logger: logger)
        configuration.maximumGracefulShutdownDuration = .seconds(15)
        do {
            try await ServiceGroup(configuration: configuration).run()
        } catch let error as IOError {
            throw WorkbenchServerError.cannotListen(port: port, reason: "\(error)")
        }
    }
}

package enum WorkbenchServerError: Error, CustomStringConvertible {
    case cannotListen(port: Int, reason: String)

    package var description: String {
        switch self {
        case .cannotListen(let port, let reason):
            "cannot listen on port \(port) of 127.0.0.1: \(reason); leave --port out for a free one"
        }
    }
}

/// Ends streams, for which the server would wait, and the run under way.
private struct EndingService: Service {
    let workbench: Workbench

    func run() async throws {
        try? await gracefulShutdown()
        await workbench.end()
    }
}

private struct WorkbenchContext: InitializableFromSource {
    init(source: ApplicationRequestContextSource) {}
}

private struct WorkbenchResponder: HTTPResponder {
    typealias Context = WorkbenchContext

    let workbench: Workbench
    let contentTime: Duration

    func respond(to request: Request, context: WorkbenchContext) async throws -> Response {
        var fields: [String: String] = [:]
        for field in request.headers {
            let name = field.name.canonicalName
            fields[name] = fields[name].map { $0 + "," + field.value } ?? field.value
        }
        var asked = WorkbenchRequest(
            method: request.method.rawValue, path: request.uri.path, host: request.head.authority ?? "",
            fields: fields)
        guard let content = await content(of: request, upTo: workbench.contentLimit(of: asked)) else {
            return Response(
                status: .contentTooLarge, headers: [.connection: "close"],
                body: ResponseBody(byteBuffer: ByteBuffer(string: "too long, or too slow\n")))
        }
        asked.content = content
        return Response(await workbench.answer(asked))
    }

    /// - Returns: `nil` where there is more than any request of ours has, or where it does not come.
    private func content(of request: Request, upTo limit: Int) async -> [UInt8]? {
        guard request.method == .post else { return [] }
        if let length = request.headers[.contentLength].flatMap(Int.init), length > limit { return nil }
        return await withTaskGroup(of: [UInt8]?.self) { group in
            group.addTask {
                guard let buffer = try? await request.body.collect(upTo: limit) else { return nil }
                return Array(buffer.readableBytesView)
            }
            group.addTask {
                try? await Task.sleep(for: contentTime)
                return nil
            }
            defer { group.cancelAll() }
            return await group.next() ?? nil
        }
    }
}

extension Response {
    fileprivate init(_ answer: WorkbenchAnswer) {
        var headers = HTTPFields()
        for (name, value) in answer.fields.sorted(by: { $0.key < $1.key }) {
            guard let name = HTTPField.Name(name) else { continue }
            headers.append(HTTPField(name: name, value: value))
        }
        let body: ResponseBody =
            switch answer.content {
            case .bytes(let bytes): ResponseBody(byteBuffer: ByteBuffer(bytes: bytes))
            case .events(let events): ResponseBody(asyncSequence: events.map { ByteBuffer(string: $0) })
            }
        self.init(status: HTTPResponse.Status(code: answer.status), headers: headers, body: body)
    }
}
