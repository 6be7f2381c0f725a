import NIOCore
import NIOPosix

/// A DNS server on a free UDP port of this machine, written after RFC 1035 without what it tests.
struct NameServer {
    /// What it answers to every question.
    enum Answer {
        /// The question, and these text records, each as one or more strings.
        case records([[String]])
        /// Code 3: there is no such name.
        case noSuchName
        /// Code 2: the server failed.
        case failure
        /// Another question's number, then nothing.
        case stranger
        case nothing
    }

    let port: Int
    private let channel: any Channel

    init(_ answer: Answer) async throws {
        channel = try await DatagramBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(Handler(answer))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        port = channel.localAddress?.port ?? 0
    }

    func close() async throws { try await channel.close() }

    private final class Handler: ChannelInboundHandler {
        typealias InboundIn = AddressedEnvelope<ByteBuffer>
        typealias OutboundOut = AddressedEnvelope<ByteBuffer>

        private let answer: Answer

        init(_ answer: Answer) { self.answer = answer }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            let request = unwrapInboundIn(data)
            let bytes = Array(request.data.readableBytesView)
            guard bytes.count > 16, let reply = reply(to: bytes) else { return }
            let envelope = AddressedEnvelope(
                remoteAddress: request.remoteAddress, data: ByteBuffer(bytes: reply))
            context.writeAndFlush(wrapOutboundOut(envelope), promise: nil)
        }

        private func reply(to bytes: [UInt8]) -> [UInt8]? {
            let question = Array(bytes[12...])
            func head(code: UInt8, answers: Int) -> [UInt8] {
                Array(bytes[..<2]) + [0x81, 0x80 | code, 0, 1, 0, UInt8(answers), 0, 0, 0, 0] + question
            }
            switch answer {
            case .records(let records):
                let resources = records.map { strings -> [UInt8] in
                    let data = strings.flatMap { [UInt8($0.utf8.count)] + Array($0.utf8) }
                    // The name of the question, type TXT, class IN, an hour.
                    return [
                        0xC0, 12, 0, 16, 0, 1, 0, 0, 0x0E, 0x10, UInt8(data.count >> 8),
                        UInt8(data.count & 255),
                    ]
                        + data
                }
                return head(code: 0, answers: records.count) + resources.joined()
            case .noSuchName: return head(code: 3, answers: 0)
            case .failure: return head(code: 2, answers: 0)
            case .stranger: return [bytes[0] ^ 0x55, bytes[1]] + head(code: 0, answers: 0).dropFirst(2)
            case .nothing: return nil
            }
        }
    }
}
