import NIOCore
import NIOHTTP1

/// Refuses heads that every server of HTTP/1.1 has to refuse, and lets HTTP/1.0 have one request per connection.
///
/// RFC 9112, section 3.2: a request without one valid `Host` gets 400. Clients of HTTP/1.0 know neither that field nor
/// connections that stay open; there are health checks and proxies that still speak it.
final class HTTP1RequestGuard: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart

    private var isOver = false

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isOver else { return }
        guard case .head(var head) = unwrapInboundIn(data) else { return context.fireChannelRead(data) }
        let hosts = head.headers["host"]
        let isOld = head.version == .http1_0
        guard hosts.count == 1 || (hosts.isEmpty && isOld), hosts.allSatisfy(Self.isHost) else {
            isOver = true
            // Answered with 400 after the responses to earlier requests, as other heads that cannot be read.
            return context.fireErrorCaught(HTTPParserError.invalidURL)
        }
        if isOld { head.headers.replaceOrAdd(name: "connection", value: "close") }
        context.fireChannelRead(wrapInboundOut(.head(head)))
    }

    /// `uri-host [ ":" port ]`, which may be empty (RFC 9112, section 3.2; RFC 3986, section 3.2.2).
    static func isHost(_ text: String) -> Bool {
        var rest = text.utf8[...]
        if rest.first == UInt8(ascii: "[") {
            guard let end = rest.firstIndex(of: UInt8(ascii: "]")) else { return false }
            let address = rest[..<end].dropFirst()
            guard !address.isEmpty, address.allSatisfy({ isName($0) || $0 == UInt8(ascii: ":") }) else {
                return false
            }
            rest = rest[end...].dropFirst()
        } else {
            let name = rest.prefix { $0 != UInt8(ascii: ":") }
            guard name.allSatisfy(isName) else { return false }
            rest = rest.dropFirst(name.count)
        }
        guard let separator = rest.first else { return true }
        return separator == UInt8(ascii: ":") && rest.dropFirst().allSatisfy(isDigit)
    }

    /// Unreserved characters, those of percent-encoding, and subcomponent delimiters.
    private static func isName(_ byte: UInt8) -> Bool {
        isDigit(byte) || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
            || "-._~%!$&'()*+,;=".utf8.contains(byte)
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }
}
