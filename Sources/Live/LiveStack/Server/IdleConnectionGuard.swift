import NIOCore

/// Ends HTTP/2 connections without streams.
///
/// Hummingbird tells an idle peer to go and then waits for its acknowledgement, which a peer that means to hold the
/// connection never sends.
final class IdleConnectionGuard: ChannelInboundHandler {
    typealias InboundIn = NIOAny

    private let firstStreamTime: TimeAmount
    private let idleTime: TimeAmount
    private let hits: LimitHits
    private var channel: (any Channel)?
    private var streamCount = 0
    private var timer: Scheduled<Void>?

    init(_ rules: ConnectionRules) {
        hits = rules.hits
        firstStreamTime = TimeAmount(rules.headTime)
        // A peer that does as it is told has some time for it.
        idleTime = TimeAmount(rules.limits.idleTime + rules.limits.headTime)
    }

    func handlerAdded(context: ChannelHandlerContext) {
        channel = context.channel
        start(.headTime, firstStreamTime)
    }

    func handlerRemoved(context _: ChannelHandlerContext) {
        timer?.cancel()
        channel = nil
    }

    fileprivate func streamBegan() {
        streamCount += 1
        timer?.cancel()
    }

    fileprivate func streamEnded() {
        streamCount -= 1
        if streamCount == 0 { start(.idleTime, idleTime) }
    }

    private func start(_ limit: StackLimit, _ time: TimeAmount) {
        guard let channel else { return }
        timer = channel.eventLoop.scheduleTask(in: time) { [hits] in
            hits.note(limit)
            channel.close(promise: nil)
        }
    }
}

/// Tells the connection of an HTTP/2 stream that the stream is there.
final class StreamCounter: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = NIOAny

    private var connection: IdleConnectionGuard?

    func handlerAdded(context: ChannelHandlerContext) {
        // Streams run on the event loop of their connection.
        connection = try? context.channel.parent?.pipeline.syncOperations.handler(
            type: IdleConnectionGuard.self)
        connection?.streamBegan()
    }

    func handlerRemoved(context _: ChannelHandlerContext) { end() }

    func channelInactive(context: ChannelHandlerContext) {
        end()
        context.fireChannelInactive()
    }

    private func end() {
        connection?.streamEnded()
        connection = nil
    }
}
