import Foundation
import NIOCore
import NIOPosix

/// Asks the machine's resolvers for text records, over UDP.
package enum TextRecordResolver {
    private static let timeout = Duration.seconds(2)

    /// Asks the resolvers of `/etc/resolv.conf` in turn.
    package static func lookUp(_ host: String) async -> Doctor.TextRecords {
        let text = (try? String(contentsOfFile: "/etc/resolv.conf", encoding: .utf8)) ?? ""
        let servers = resolvers(text)
        guard !servers.isEmpty else { return .unknown("no resolver is configured on this machine") }
        for server in servers.prefix(3) {
            if let records = await ask(server, port: 53, host) { return .found(records) }
        }
        return .unknown("no resolver answered")
    }

    package static func resolvers(_ configuration: String) -> [String] {
        configuration.split(separator: "\n").compactMap { line in
            let words = line.split { $0 == " " || $0 == "\t" }
            return words.count >= 2 && words[0] == "nameserver" ? String(words[1]) : nil
        }
    }

    /// - Returns: Nil when there is no answer that can be used within two seconds.
    static func ask(_ server: String, port: Int, _ host: String) async -> [String]? {
        let query = TextRecordQuery(number: .random(in: .min ... .max), host: host)
        guard let message = query.encoded, let address = try? SocketAddress(ipAddress: server, port: port),
            let channel = try? await connect(address)
        else { return nil }
        return await withTaskGroup(of: [String]?.self) { group in
            group.addTask {
                try? await channel.executeThenClose { inbound, outbound in
                    try await outbound.write(ByteBuffer(bytes: message))
                    for try await answer in inbound {
                        if let records = query.records(in: Array(answer.readableBytesView)) { return records }
                    }
                    return nil
                }
            }
            group.addTask {
                try? await Task.sleep(for: timeout)
                return nil
            }
            let records = await group.next() ?? nil
            group.cancelAll()
            return records
        }
    }

    private static func connect(
        _ address: SocketAddress
    ) async throws -> NIOAsyncChannel<ByteBuffer, ByteBuffer> {
        try await DatagramBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .connect(to: address) { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(DatagramBytes())
                    return try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
                }
            }
    }
}

/// Bytes in place of datagrams: the channel is connected to one address.
private final class DatagramBytes: ChannelDuplexHandler {
    typealias InboundIn = AddressedEnvelope<ByteBuffer>
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = AddressedEnvelope<ByteBuffer>

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        context.fireChannelRead(wrapInboundOut(unwrapInboundIn(data).data))
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard let address = context.remoteAddress else {
            promise?.fail(ChannelError.operationUnsupported)
            return
        }
        let envelope = AddressedEnvelope(remoteAddress: address, data: unwrapOutboundIn(data))
        context.write(wrapOutboundOut(envelope), promise: promise)
    }
}
