import HTTPTypes
import NIOCore
import NIOHTTP1
import NIOHTTPTypes

/// Ends connections whose peers take too long to send a head or to take a response, or ask for much and read nothing.
///
/// One per HTTP/1.1 connection or HTTP/2 stream. Times count from when something could begin, so a peer cannot draw
/// them out by sending a byte now and then.
///
/// A peer of HTTP/1.1 may send requests before the answers to earlier ones, and they are read as they come: without a
/// bound some thousands from each read of the socket, which holds up all connections of the event loop.
final class ConnectionGuard: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    /// Time that a peer has to take a last response and to close: closing at once would destroy what is on its way.
    private static let closeTime = TimeAmount.seconds(1)

    private let rules: ConnectionRules
    private let keepAliveTime: TimeAmount
    private let responseTime: TimeAmount
    private var timer: Scheduled<Void>?
    /// Whether each request that has no response yet is the last one of its connection.
    private var lasts: [Bool] = []
    /// Whether the response under way is.
    private var isLast = false
    /// Whether what still comes is for nobody.
    private var isOver = false
    /// Requests that came whole less responses that were made: above 0 the connection waits for us. A response may come
    /// before the end of its request.
    private var workCount = 0
    private var connection: (any Channel)?

    init(_ rules: ConnectionRules) {
        self.rules = rules
        keepAliveTime = TimeAmount(rules.limits.keepAliveTime)
        responseTime = TimeAmount(rules.limits.responseTime)
    }

    func handlerAdded(context: ChannelHandlerContext) {
        connection = context.channel.connection
        start(.headTime, TimeAmount(rules.headTime), context)
    }

    func handlerRemoved(context: ChannelHandlerContext) { leave() }

    func channelInactive(context: ChannelHandlerContext) {
        leave()
        context.fireChannelInactive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isOver else { return }
        switch unwrapInboundIn(data) {
        case .head(let request):
            stop()
            guard lasts.count < rules.limits.pipelinedRequests else {
                isOver = true
                rules.hits.note(.pipeline)
                return context.close(promise: nil)
            }
            lasts.append(request.headerFields.closesConnection)
        case .body: break
        case .end:
            workCount += 1
            if workCount == 1, let connection { rules.crowd.workBegan(connection) }
        }
        context.fireChannelRead(data)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        switch unwrapOutboundIn(data) {
        case .head(var response):
            start(.responseTime, responseTime, context)
            isLast = !lasts.isEmpty && lasts.removeFirst()
            if isLast {
                response.headerFields[.connection] = "close"
            } else {
                isLast = response.headerFields.closesConnection
            }
            context.write(wrapOutboundOut(.head(response)), promise: promise)
        case .body:
            context.write(data, promise: promise)
        case .end:
            workCount -= 1
            if workCount == 0, let connection { rules.crowd.workEnded(connection) }
            let written = promise ?? context.eventLoop.makePromise()
            let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
            written.futureResult.whenSuccess {
                let (handler, context) = bound.value
                if handler.isLast {
                    handler.start(nil, Self.closeTime, context)
                } else {
                    handler.start(.keepAliveTime, handler.keepAliveTime, context)
                }
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
        rules.hits.note(.fields)
        let status = HTTPResponse.Status(code: 431)
        let head = HTTPResponse(status: status, headerFields: [.connection: "close", .contentLength: "0"])
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        let bound = NIOLoopBound(context, eventLoop: context.eventLoop)
        context.writeAndFlush(wrapOutboundOut(.end(nil))).whenComplete { _ in
            bound.value.close(promise: nil)
        }
    }

    /// - Parameter limit: What is hit when the time is over.
    private func start(_ limit: StackLimit?, _ time: TimeAmount, _ context: ChannelHandlerContext) {
        stop()
        guard context.channel.isActive else { return }
        timer = context.eventLoop.scheduleTask(in: time) { [channel = context.channel, hits = rules.hits] in
            if let limit { hits.note(limit) }
            channel.close(promise: nil)
        }
    }

    private func leave() {
        stop()
        if workCount > 0, let connection { rules.crowd.workEnded(connection) }
        connection = nil
    }

    private func stop() {
        timer?.cancel()
        timer = nil
    }
}

extension HTTPFields {
    /// Whether the connection ends after this message (RFC 9112, section 9.6).
    fileprivate var closesConnection: Bool {
        self[.connection]?.lowercased().split(separator: ",")
            .contains { $0.drop { $0 == " " || $0 == "\t" }.prefix { $0 != " " } == "close" } == true
    }
}
