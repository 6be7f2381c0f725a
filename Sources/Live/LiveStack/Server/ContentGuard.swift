import NIOCore
import NIOHTTPTypes

/// Joins the parts of a content that come in one read, and ends connections that send far too many.
///
/// A part costs some microseconds on its way to the task that reads the content, whatever its size, and a peer may make
/// one of every byte: chunks of HTTP/1.1, DATA frames of HTTP/2. One per HTTP/1.1 connection or HTTP/2 stream.
final class ContentGuard: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart

    private let rules: ConnectionRules
    private var partCount = 0
    private var byteCount = 0
    /// Content that has come in this read.
    private var pending: ByteBuffer?
    private var isOver = false

    init(_ rules: ConnectionRules) { self.rules = rules }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isOver else { return }
        switch unwrapInboundIn(data) {
        case .head:
            partCount = 0
            byteCount = 0
            context.fireChannelRead(data)
        case .body(var part):
            partCount += 1
            byteCount += part.readableBytes
            guard partCount <= rules.limits.partAllowance + byteCount / rules.limits.bytesPerPart else {
                return end(context)
            }
            if pending?.writeBuffer(&part) == nil { pending = part }
        case .end:
            passOn(context)
            context.fireChannelRead(data)
        }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        passOn(context)
        context.fireChannelReadComplete()
    }

    private func passOn(_ context: ChannelHandlerContext) {
        guard let content = pending else { return }
        pending = nil
        context.fireChannelRead(wrapInboundOut(.body(content)))
    }

    /// There is no response: a peer that reads one has no reason to send like this.
    private func end(_ context: ChannelHandlerContext) {
        isOver = true
        pending = nil
        rules.hits.note(.parts)
        context.channel.connection.close(promise: nil)
    }
}

extension Channel {
    /// The connection that a channel of HTTP/1.1 is, or that a stream of HTTP/2 belongs to.
    var connection: any Channel {
        // The parent of a connection is the listening socket.
        guard let parent, parent.parent != nil else { return self }
        return parent
    }
}
