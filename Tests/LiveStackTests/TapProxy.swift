import Foundation
import Synchronization

#if canImport(Glibc)
    import Glibc
#endif

/// Passes TCP connections on to a server and keeps what the server receives and from where.
final class TapProxy: Sendable {
    struct Record: Sendable {
        /// Bytes to the server, of all connections.
        var received: [UInt8] = []
        /// Bytes back.
        var sent: [UInt8] = []
    }

    let url: String
    private let listener: Int32
    private let record = Mutex(Record())

    /// - Parameter authority: IPv4 address and port of the server.
    init(to authority: String) throws {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        self.listener = listener
        var address = RawConnection.address("127.0.0.1", port: 0)
        try RawConnection.check(RawConnection.with(&address) { bind(listener, $0, $1) })
        try RawConnection.check(listen(listener, 64))
        var bound = sockaddr_in()
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        _ = withUnsafeMutablePointer(to: &bound) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(listener, $0, &size) }
        }
        url = "http://127.0.0.1:\(UInt16(bigEndian: bound.sin_port))"
        Thread.detachNewThread { [self] in acceptAll(authority) }
    }

    /// What was seen so far.
    var seen: Record { record.withLock { $0 } }

    func close() { shutdown(listener, Int32(SHUT_RDWR)) }

    private func acceptAll(_ authority: String) {
        while true {
            let client = accept(listener, nil, nil)
            guard client >= 0 else { break }
            let parts = authority.split(separator: ":")
            let server = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            var address = RawConnection.address(String(parts[0]), port: UInt16(parts[1]) ?? 0)
            _ = RawConnection.with(&address) { connect(server, $0, $1) }
            Thread.detachNewThread { [self] in
                copy(from: client, to: server) { bytes in record.withLock { $0.received += bytes } }
            }
            Thread.detachNewThread { [self] in
                copy(from: server, to: client) { bytes in record.withLock { $0.sent += bytes } }
            }
        }
        Glibc.close(listener)
    }

    private func copy(from source: Int32, to target: Int32, _ note: (ArraySlice<UInt8>) -> Void) {
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = recv(source, &buffer, buffer.count, 0)
            guard count > 0 else { break }
            note(buffer[..<count])
            var sent = 0
            while sent < count {
                let written = buffer[sent..<count].withUnsafeBytes {
                    send(target, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
                }
                guard written > 0 else { return }
                sent += written
            }
        }
        shutdown(target, Int32(SHUT_WR))
    }
}
