import HummingbirdCore
import HummingbirdHTTP2
import HummingbirdTLS
import Logging
import NIOCore
import NIOHTTPTypesHTTP1
import NIOSSL

/// HTTP/1.1 and HTTP/2 on one port: the first bytes of a connection tell which.
///
/// Without TLS a client of HTTP/2 has to know beforehand that the server speaks it (RFC 9113, section 3.3); with TLS
/// both have agreed before.
struct EitherHTTPChannel: ServerChildChannel {
    /// Channel that was set up once the first bytes had come.
    enum Negotiated: Sendable {
        case http1(HTTP1Channel.Value)
        case http2(HTTP2Channel.Value)
    }

    struct Value: ServerChildChannelValue {
        let channel: any Channel
        let negotiated: EventLoopFuture<Negotiated>
    }

    let http1: HTTP1Channel
    let http2: HTTP2Channel
    let rules: ConnectionRules

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
        rules.crowd.enter(channel)
        return channel.eventLoop.makeCompletedFuture {
            let negotiated = channel.eventLoop.makePromise(of: Negotiated.self)
            let detector = PrefaceDetector(
                timeout: TimeAmount(rules.headTime), hits: rules.hits, decided: negotiated
            ) { isHTTP2 in
                guard isHTTP2 else {
                    return http1.setup(channel: channel, logger: logger).flatMapThrowing {
                        let pipeline = channel.pipeline.syncOperations
                        let codec = try pipeline.handler(type: HTTP1ToHTTPServerCodec.self)
                        try pipeline.addHandler(HTTP1RequestGuard(), position: .before(codec))
                        return .http1($0)
                    }
                }
                return channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(IdleConnectionGuard(rules))
                }.flatMap {
                    http2.setup(channel: channel, logger: logger).map { .http2($0) }
                }
            }
            try channel.pipeline.syncOperations.addHandler(detector)
            return Value(channel: channel, negotiated: negotiated.futureResult)
        }
    }

    func handle(value: Value, logger: Logger) async {
        switch try? await value.negotiated.get() {
        case .http1(let channel): await http1.handle(value: channel, logger: logger)
        case .http2(let connection): await http2.handle(value: connection, logger: logger)
        // The peer left, or said nothing.
        case nil: value.channel.close(promise: nil)
        }
    }
}

/// Holds back the first bytes until they show the protocol.
private final class PrefaceDetector: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    /// No HTTP/1.1 request starts with this; the rest of the preface need not be awaited.
    private static let prefaceStart = Array("PRI * HTTP/2".utf8)

    private let timeout: TimeAmount
    private let hits: LimitHits
    private let decided: EventLoopPromise<EitherHTTPChannel.Negotiated>
    private let setUp: (Bool) -> EventLoopFuture<EitherHTTPChannel.Negotiated>
    private var buffer = ByteBuffer()
    private var isSettingUp = false
    private var timer: Scheduled<Void>?

    init(
        timeout: TimeAmount, hits: LimitHits, decided: EventLoopPromise<EitherHTTPChannel.Negotiated>,
        setUp: @escaping (_ isHTTP2: Bool) -> EventLoopFuture<EitherHTTPChannel.Negotiated>
    ) {
        self.timeout = timeout
        self.hits = hits
        self.decided = decided
        self.setUp = setUp
    }

    func handlerAdded(context: ChannelHandlerContext) {
        let channel = context.channel
        timer = context.eventLoop.scheduleTask(in: timeout) { [hits] in
            hits.note(.headTime)
            channel.close(promise: nil)
        }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var part = unwrapInboundIn(data)
        buffer.writeBuffer(&part)
        guard !isSettingUp else { return }
        let start = buffer.readableBytesView.prefix(Self.prefaceStart.count)
        guard
            !start.elementsEqual(Self.prefaceStart.prefix(start.count))
                || start.count == Self.prefaceStart.count
        else { return }
        isSettingUp = true
        timer?.cancel()
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        setUp(start.elementsEqual(Self.prefaceStart)).assumeIsolated().whenComplete { result in
            let (detector, context) = bound.value
            detector.finish(result, context)
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        fail(ChannelError.inputClosed)
        context.fireChannelInactive()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        // The server shuts down, or the peer has finished before it started.
        let isOver = event is ChannelShouldQuiesceEvent || (event as? ChannelEvent) == .inputClosed
        if isOver, !isSettingUp { context.close(promise: nil) }
        context.fireUserInboundEventTriggered(event)
    }

    func handlerRemoved(context: ChannelHandlerContext) { fail(ChannelError.inputClosed) }

    private func finish(
        _ result: Result<EitherHTTPChannel.Negotiated, any Error>, _ context: ChannelHandlerContext
    ) {
        switch result {
        case .success(let value):
            decided.succeed(value)
            context.fireChannelRead(wrapInboundOut(buffer))
            context.fireChannelReadComplete()
            context.pipeline.syncOperations.removeHandler(self, promise: nil)
        case .failure(let error):
            fail(error)
            context.close(promise: nil)
        }
    }

    private func fail(_ error: any Error) {
        timer?.cancel()
        decided.fail(error)
    }
}

extension EitherHTTPChannel {
    /// Builder of the server with which an application serves its connections.
    static func server(tls: TLSConfiguration?, rules: ConnectionRules) -> HTTPServerBuilder {
        let limits = rules.limits
        return HTTPServerBuilder { responder in
            var connection = HTTP1Channel.Configuration(
                additionalChannelHandlers: [
                    ConnectionGuard(rules), ContentGuard(rules),
                ])
            connection.httpDecoder = .init(
                maxHeaderFieldSize: limits.fieldBytes, maxHeaderListSize: limits.fieldBytes,
                maxHeaderFieldCount: limits.fieldCount)
            let stream = HTTP1Channel.Configuration(
                additionalChannelHandlers: [
                    ConnectionGuard(rules), ContentGuard(rules), StreamCounter(),
                ])
            let channel = EitherHTTPChannel(
                http1: HTTP1Channel(responder: responder, configuration: connection),
                http2: HTTP2Channel(
                    responder: responder,
                    configuration: .init(idleTimeout: limits.idleTime, streamConfiguration: stream)),
                rules: rules)
            guard let tls else { return channel }
            return try TLSChannel(channel, tlsConfiguration: tls)
        }
    }
}
