import NIOCore
import NIOHTTP1

/// Ends HTTP/1.1 connections that ask for much and read nothing.
///
/// A peer may send requests before the answers to earlier ones, and they are read as they come: without a bound some
/// thousands from each read of the socket, which holds up all connections of the event loop.
final class PipelineGuard: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart

    private let rules: ConnectionRules
    /// Requests that have no response yet.
    private var open = 0
    private var isOver = false

    init(_ rules: ConnectionRules) { self.rules = rules }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isOver else { return }
        if case .head = unwrapInboundIn(data) {
            open += 1
            guard open <= rules.limits.pipelinedRequests else {
                isOver = true
                rules.hits.note(.pipeline)
                return context.close(promise: nil)
            }
        }
        context.fireChannelRead(data)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if case .end = unwrapOutboundIn(data) { open = max(0, open - 1) }
        context.write(data, promise: promise)
    }
}
