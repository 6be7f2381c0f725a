package import DeviceFleet
import Foundation
import NIOCore
import NIOPosix

/// Asks resolvers for text records and addresses, over UDP.
package struct TextRecordResolver: Sendable {
    /// The address at which a resolver listens.
    package struct Address: Hashable, Sendable {
        package let host: String
        package let port: Int

        /// - Parameter text: An IP address, with or without a port: `192.0.2.1:5353`, `[2001:db8::1]:5353`,
        ///   `2001:db8::1`. Nil when it is something else.
        package init?(_ text: String) {
            let host: Substring
            var rest: Substring = ""
            if text.hasPrefix("["), let end = text.firstIndex(of: "]") {
                host = text[..<end].dropFirst()
                rest = text[end...].dropFirst()
            } else if let colon = text.firstIndex(of: ":"), text.lastIndex(of: ":") == colon {
                (host, rest) = (text[..<colon], text[colon...])
            } else {
                host = text[...]
            }
            guard let port = rest.isEmpty ? 53 : UInt16(rest.dropFirst()), port > 0,
                rest.isEmpty || rest.first == ":"
            else { return nil }
            guard (try? SocketAddress(ipAddress: String(host), port: Int(port))) != nil else { return nil }
            self.host = String(host)
            self.port = Int(port)
        }
    }

    /// Those of `/etc/resolv.conf`.
    package static var ofThisMachine: TextRecordResolver {
        let text = (try? String(contentsOfFile: "/etc/resolv.conf", encoding: .utf8)) ?? ""
        return TextRecordResolver(resolvers(text).prefix(3).compactMap { Address($0) })
    }

    private let addresses: [Address]
    private let timeout: Duration

    /// - Parameters:
    ///   - addresses: Asked in turn until one answers.
    ///   - timeout: How long to wait for each.
    package init(_ addresses: [Address], timeout: Duration = .seconds(2)) {
        self.addresses = addresses
        self.timeout = timeout
    }

    package func textRecords(of host: String) async -> Doctor.TextRecords {
        guard !addresses.isEmpty else { return .unknown("no resolver is configured on this machine") }
        for address in addresses {
            let query = TextRecordQuery(number: .random(in: .min ... .max), host: host)
            if let records = await ask(address, query, query.records) { return .found(records) }
        }
        return .unknown("no resolver answered")
    }

    /// Asks for the addresses as devices in this machine's network would be told.
    package func addresses(of host: String) async -> Doctor.HostAddresses {
        guard !addresses.isEmpty else { return .unknown("no resolver is configured on this machine") }
        for address in addresses {
            var answer: Doctor.HostAddresses?
            for kind in [TextRecordQuery.Kind.address, .longAddress] {
                let query = TextRecordQuery(number: .random(in: .min ... .max), host: host, kind: kind)
                answer = await ask(address, query, query.addresses)
                // A host may have addresses of one kind only.
                guard answer == .found([]) else { break }
            }
            if let answer { return answer }
        }
        return .unknown("no resolver answered")
    }

    package static func resolvers(_ configuration: String) -> [String] {
        configuration.split(separator: "\n").compactMap { line in
            let words = line.split { $0 == " " || $0 == "\t" }
            return words.count >= 2 && words[0] == "nameserver" ? String(words[1]) : nil
        }
    }

    /// - Returns: Nil when there is no answer that can be used in time.
    private func ask<Answer: Sendable>(
        _ resolver: Address, _ query: TextRecordQuery, _ read: @escaping @Sendable ([UInt8]) -> Answer?
    ) async -> Answer? {
        guard let message = query.encoded,
            let address = try? SocketAddress(ipAddress: resolver.host, port: resolver.port),
            let channel = try? await Self.connect(address)
        else { return nil }
        return await withTaskGroup(of: Answer?.self) { group in
            group.addTask {
                try? await channel.executeThenClose { inbound, outbound in
                    try await outbound.write(ByteBuffer(bytes: message))
                    for try await answer in inbound {
                        if let found = read(Array(answer.readableBytesView)) { return found }
                    }
                    return nil
                }
            }
            group.addTask { [timeout] in
                try? await Task.sleep(for: timeout)
                return nil
            }
            let found = await group.next() ?? nil
            group.cancelAll()
            return found
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
