import NIOCore
import NIOPosix
import ServerTestSupport
import TestSupport

/// A server that begins an answer, and then sends a little of it every 10 ms without an end.
///
/// When patience has ended it closes the connection: a caller without a deadline fails a test instead of holding it.
struct DrippingServer {
    let port: Int
    private let channel: any Channel

    init(_ start: String, then drop: String) async throws {
        channel = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(Handler(start, drop))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        port = channel.localAddress?.port ?? 0
    }

    func close() async throws { try await channel.close() }

    private final class Handler: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer

        private let start: String
        private let drop: String
        private var hasBegun = false

        init(_ start: String, _ drop: String) { (self.start, self.drop) = (start, drop) }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            guard !hasBegun else { return }
            hasBegun = true
            let (channel, drop) = (context.channel, drop)
            channel.writeAndFlush(ByteBuffer(string: start), promise: nil)
            let drops = channel.eventLoop.scheduleRepeatedTask(
                initialDelay: .milliseconds(10), delay: .milliseconds(10)
            ) { _ in channel.writeAndFlush(ByteBuffer(string: drop), promise: nil) }
            let end = channel.eventLoop.scheduleTask(in: Patience.amount) { channel.close(promise: nil) }
            channel.closeFuture.whenComplete { _ in
                drops.cancel()
                end.cancel()
            }
        }
    }
}
