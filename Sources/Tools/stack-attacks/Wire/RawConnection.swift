import Foundation

/// A moment after which nothing is waited for any more.
typealias Deadline = ContinuousClock.Instant

/// A TCP connection to this machine on which anything may be sent. No call outlasts its deadline.
final class RawConnection: Sendable {
    /// Largest part of a response that is read at once, bytes.
    private static let partByteCount = 1 << 16

    private let descriptor: Int32

    /// - Parameter receiveBufferByteCount: Small for a peer that takes little; nil for the system's size.
    /// - Returns: Nil when there is no connection in time, or no descriptor for it.
    init?(port: UInt16, until deadline: Deadline, receiveBufferByteCount: Int32? = nil) {
        descriptor = socket(AF_INET, SystemNumbers.stream, 0)
        guard descriptor >= 0, fcntl(descriptor, F_SETFL, O_NONBLOCK) == 0 else { return nil }
        if var size = receiveBufferByteCount {
            setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<Int32>.size))
        }
        var one: Int32 = 1
        setsockopt(
            descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &one, socklen_t(MemoryLayout<Int32>.size))
        var address = sockaddr_in.loopback(port: port)
        let result = address.withPointer { connect(descriptor, $0, $1) }
        guard result == 0 || errno == EINPROGRESS, isReady(POLLOUT, until: deadline) else { return nil }
        var error: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &error, &size)
        guard error == 0 else { return nil }
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// - Returns: Bytes that went out: fewer than there are when the peer closes or does not take them in time.
    @discardableResult
    func send(_ bytes: some ContiguousBytes & Collection<UInt8>, until deadline: Deadline) -> Int {
        bytes.withUnsafeBytes { buffer in
            var sent = 0
            while sent < buffer.count {
                let part = UnsafeRawBufferPointer(rebasing: buffer[sent...])
                let count = Foundation.send(descriptor, part.baseAddress, part.count, 0)
                if count > 0 {
                    sent += count
                } else if errno != EAGAIN || !isReady(POLLOUT, until: deadline) {
                    break
                }
            }
            return sent
        }
    }

    @discardableResult
    func send(_ text: String, until deadline: Deadline) -> Int { send(Array(text.utf8), until: deadline) }

    /// Bytes of a peer so far, and whether it has closed.
    struct Received {
        var bytes: [UInt8] = []
        var isClosed = false
    }

    /// Receives until `isEnough`, the peer closes, or it is time.
    func receive(until deadline: Deadline, isEnough: ([UInt8]) -> Bool = { _ in false }) -> Received {
        var received = Received()
        while !isEnough(received.bytes), isReady(POLLIN, until: deadline) {
            guard take(into: &received) else { break }
        }
        return received
    }

    /// Takes what has come already, without waiting.
    func receiveNow() -> Received {
        var received = Received()
        while take(into: &received) {}
        return received
    }

    /// - Returns: False when there is nothing, or the peer has closed.
    private func take(into received: inout Received) -> Bool {
        let start = received.bytes.count
        var part = [UInt8](repeating: 0, count: Self.partByteCount)
        let count = recv(descriptor, &part, part.count, 0)
        if count > 0 { received.bytes += part[..<count] }
        if count == 0 || count < 0 && errno != EAGAIN { received.isClosed = true }
        return received.bytes.count > start
    }

    private func isReady(_ event: Int32, until deadline: Deadline) -> Bool {
        let left = (deadline - .now).components
        let milliseconds = Double(left.seconds) * 1e3 + Double(left.attoseconds) * 1e-15
        var entry = pollfd(fd: descriptor, events: Int16(event), revents: 0)
        return poll(&entry, 1, Int32(max(0, min(milliseconds.rounded(.up), 1e6)))) > 0
    }
}

extension sockaddr_in {
    static func loopback(port: UInt16) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = INADDR_LOOPBACK.bigEndian
        return address
    }

    mutating func withPointer<Result>(
        _ body: (UnsafeMutablePointer<sockaddr>, socklen_t) -> Result
    ) -> Result {
        withUnsafeMutablePointer(to: &self) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }
}
