import Foundation
import Synchronization
import TestSupport

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// A TCP connection on which anything may be sent.
final class RawConnection: Sendable {
    private let descriptor: Int32

    /// - Parameter authority: IPv4 address and port.
    init(to authority: String) throws {
        let parts = authority.split(separator: ":")
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        self.descriptor = descriptor
        var address = Self.address(String(parts[0]), port: UInt16(parts[1]) ?? 0)
        try Self.check(Self.with(&address) { connect(descriptor, $0, $1) })
    }

    func send(_ bytes: [UInt8]) async {
        await Self.onThread { [descriptor] in
            var sent = 0
            while sent < bytes.count {
                let count = bytes[sent...].withUnsafeBytes {
                    Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
                }
                guard count > 0 else { return }
                sent += count
            }
        }
    }

    func send(_ text: String) async { await send(Array(text.utf8)) }

    /// Receives until `isEnough`, the peer closes, or patience ends.
    func receive(until isEnough: @escaping @Sendable ([UInt8]) -> Bool = { _ in false }) async -> [UInt8] {
        await Self.onThread { [descriptor] in
            Self.limitWaits(descriptor)
            var received: [UInt8] = []
            var buffer = [UInt8](repeating: 0, count: 1 << 16)
            while !isEnough(received) {
                let count = recv(descriptor, &buffer, buffer.count, 0)
                guard count > 0 else { break }
                received += buffer[..<count]
            }
            return received
        }
    }

    /// The status of the HTTP/1.1 response that comes next, or nil if the connection is closed without one.
    func status() async -> Int? {
        let bytes = await receive(until: { $0.contains(Array("\r\n\r\n".utf8)) })
        let line = String(decoding: bytes.prefix { $0 != 0x0D }, as: UTF8.self).split(separator: " ")
        return line.count > 1 ? Int(line[1]) : nil
    }

    /// Whether the peer closes; false when patience has ended.
    func isClosedByPeer() async -> Bool {
        await Self.onThread { [descriptor] in
            Self.limitWaits(descriptor)
            var buffer = [UInt8](repeating: 0, count: 1 << 16)
            while true {
                let count = recv(descriptor, &buffer, buffer.count, 0)
                if count == 0 || (count < 0 && errno != EAGAIN) { return true }
                if count < 0 { return false }
            }
        }
    }

    private static func limitWaits(_ descriptor: Int32) {
        var limit = timeval(tv_sec: Patience.seconds, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    }

    func close() { Glibc.close(descriptor) }

    static func onThread<Result: Sendable>(_ body: @escaping @Sendable () -> Result) async -> Result {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread { continuation.resume(returning: body()) }
        }
    }

    static func address(_ host: String, port: UInt16) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        inet_pton(AF_INET, host, &address.sin_addr)
        return address
    }

    static func with(
        _ address: inout sockaddr_in, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) -> Int32 {
        withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }

    static func check(_ result: Int32) throws {
        if result < 0 { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
    }
}
