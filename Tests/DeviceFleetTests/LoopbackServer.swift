import DeviceFleet
import NIOCore
import NIOHTTP1
import NIOPosix
import ObliviousHTTP

/// A server on a free port of this machine that answers by calling something else.
struct LoopbackServer {
    typealias Answer =
        @Sendable (_ method: String, _ path: String, [BinaryHTTPField], [UInt8]) async -> HTTPReply

    let port: Int
    private let channel: any Channel

    init(_ answer: @escaping Answer) async throws {
        channel = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.configureHTTPServerPipeline()
                    try channel.pipeline.syncOperations.addHandler(Handler(answer))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        port = channel.localAddress?.port ?? 0
    }

    func close() async throws { try await channel.close() }

    private final class Handler: ChannelInboundHandler {
        typealias InboundIn = HTTPServerRequestPart
        typealias OutboundOut = HTTPServerResponsePart

        private let answer: Answer
        private var head: HTTPRequestHead?
        private var body: [UInt8] = []

        init(_ answer: @escaping Answer) { self.answer = answer }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            switch unwrapInboundIn(data) {
            case .head(let head):
                self.head = head
                body = []
            case .body(let part): body += part.readableBytesView
            case .end:
                guard let head else { return }
                let fields = head.headers.map { BinaryHTTPField($0.name.lowercased(), $0.value) }
                let (channel, answer, body) = (context.channel, answer, body)
                Task {
                    let reply = await answer(head.method.rawValue, head.uri, fields, body)
                    var headers = HTTPHeaders(reply.fields.map { ($0.name, $0.text ?? "") })
                    headers.replaceOrAdd(name: "content-length", value: "\(reply.body.count)")
                    let answerHead = HTTPResponseHead(
                        version: .http1_1, status: .init(statusCode: reply.status), headers: headers)
                    channel.write(HTTPServerResponsePart.head(answerHead), promise: nil)
                    let content = HTTPServerResponsePart.body(.byteBuffer(.init(bytes: reply.body)))
                    channel.write(content, promise: nil)
                    try await channel.writeAndFlush(HTTPServerResponsePart.end(nil))
                }
            }
        }
    }
}
