import Foundation
import Synchronization
import Timing

/// Asks for `/health` on a new connection ten times a second, as a load balancer would.
final class HealthWatch: Sendable {
    struct Reading: Sendable {
        var asked = 0
        var failed = 0
        var slowestSeconds = 0.0
    }

    private static let request = Array(
        "GET /health HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n".utf8)

    private let state = Mutex((reading: Reading(), isStopped: false))
    private let ended = DispatchGroup()

    /// - Parameter limit: Seconds after which an answer counts as none.
    init(port: UInt16, limit: Double) {
        ended.enter()
        Thread.detachNewThread { [self] in
            while !state.withLock({ $0.isStopped }) {
                let start = ContinuousClock.now
                var peer = HTTPPeer(port: port)
                let status = peer.exchange(Self.request, until: start.advanced(by: .seconds(limit)))?.status
                let seconds = (ContinuousClock.now - start).seconds
                state.withLock { state in
                    state.reading.asked += 1
                    if status != 200 { state.reading.failed += 1 }
                    state.reading.slowestSeconds = max(state.reading.slowestSeconds, seconds)
                }
                Thread.sleep(forTimeInterval: 0.1)
            }
            ended.leave()
        }
    }

    func stop() -> Reading {
        state.withLock { $0.isStopped = true }
        ended.wait()
        return state.withLock { $0.reading }
    }
}
