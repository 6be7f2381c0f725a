import HTTPTypes
import NIOCore
import NIOHTTP1
import NIOHTTPTypes

/// Ends connections whose peers take too long to send a head or to take a response.
///
/// One per HTTP/1.1 connection or HTTP/2 stream. Times count from when something could begin, so a peer cannot draw
/// them out by sending a byte now and then.
final class ConnectionGuard: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private let headTime: TimeAmount
    private let keepAliveTime: TimeAmount
    private let responseTime: TimeAmount
    private var timer: Scheduled<Void>?

    init(_ limits: ConnectionLimits) {
        headTime = TimeAmount(limits.headTime)
        keepAliveTime = TimeAmount(limits.keepAliveTime)
        responseTime = TimeAmount(limits.responseTime)
    }

    func handlerAdded(context: ChannelHandlerContext) { start(headTime, context) }

    func handlerRemoved(context: ChannelHandlerContext) { stop() }

    func channelInactive(context: ChannelHandlerContext) {
        stop()
        context.fireChannelInactive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if case .head = unwrapInboundIn(data) { stop() }
        context.fireChannelRead(data)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        switch unwrapOutboundIn(data) {
        case .head:
            start(responseTime, context)
            context.write(data, promise: promise)
        case .body:
            context.write(data, promise: promise)
        case .end:
            let written = promise ?? context.eventLoop.makePromise()
            let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
            written.futureResult.whenSuccess {
                let (handler, context) = bound.value
                handler.start(handler.keepAliveTime, context)
            }
            context.write(data, promise: written)
        }
    }

    /// Hummingbird answers a head that cannot be read with 400. Too large ones have a status of their own.
    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard let error = error as? HTTPParserError, error == .headerOverflow else {
            context.fireErrorCaught(error)
            return
        }
        let status = HTTPResponse.Status(code: 431)
        let head = HTTPResponse(status: status, headerFields: [.connection: "close", .contentLength: "0"])
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        let bound = NIOLoopBound(context, eventLoop: context.eventLoop)
        context.writeAndFlush(wrapOutboundOut(.end(nil))).whenComplete { _ in
            bound.value.close(promise: nil)
        }
    }

    private func start(_ time: TimeAmount, _ context: ChannelHandlerContext) {
        stop()
        guard context.channel.isActive else { return }
        let channel = context.channel
        timer = context.eventLoop.scheduleTask(in: time) { channel.close(promise: nil) }
    }

    private func stop() {
        timer?.cancel()
        timer = nil
    }
}
