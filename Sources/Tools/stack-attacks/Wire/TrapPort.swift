import Foundation
import Synchronization

/// A port of this machine that counts who connects. Nobody should ever connect to it, unless it has an answer: then it
/// is the service of somebody who means harm to its clients.
final class TrapPort: Sendable {
    private let descriptor: Int32
    private let state = Mutex((arrivals: 0, isClosed: false))
    private let answer: (@Sendable (_ peer: Int32) -> Void)?
    let port: UInt16

    /// - Parameter answer: Gets a connection of which something was read, and writes; without it all are left at once.
    init(answer: (@Sendable (_ peer: Int32) -> Void)? = nil) throws {
        self.answer = answer
        let descriptor = socket(AF_INET, SystemNumbers.stream, 0)
        self.descriptor = descriptor
        var address = sockaddr_in.loopback(port: 0)
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        guard descriptor >= 0, address.withPointer({ bind(descriptor, $0, $1) }) == 0,
            listen(descriptor, 128) == 0,
            address.withPointer({ pointer, _ in getsockname(descriptor, pointer, &size) }) == 0
        else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
        port = UInt16(bigEndian: address.sin_port)
        Thread.detachNewThread { [self] in takeArrivals() }
    }

    /// Connections so far.
    var arrivals: Int { state.withLock { $0.arrivals } }

    func close() { state.withLock { $0.isClosed = true } }

    private func takeArrivals() {
        while !state.withLock({ $0.isClosed }) {
            var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            guard poll(&entry, 1, 20) > 0 else { continue }
            let peer = accept(descriptor, nil, nil)
            guard peer >= 0 else { continue }
            state.withLock { $0.arrivals += 1 }
            guard let answer else {
                Foundation.close(peer)
                continue
            }
            Thread.detachNewThread {
                var request = [UInt8](repeating: 0, count: 1 << 16)
                if recv(peer, &request, request.count, 0) > 0 { answer(peer) }
                Foundation.close(peer)
            }
        }
        Foundation.close(descriptor)
    }
}
