import Foundation
import RandomStreams
import Timing

/// Server under attack, and what else an attack has at hand.
struct Target: Sendable {
    let server: ServerProcess
    /// `urlfilter`, for attacks that need further servers.
    let program: String
    let log: AttackLog
    /// Time when the attack has to be over.
    let deadline: Deadline
    let seed: UInt64
    /// See ``Attack/niceness``.
    let niceness: Int32

    var port: UInt16 { server.port }
    var isOver: Bool { ContinuousClock.now >= deadline }
    /// Until when an answer to what was sent is waited for.
    var answerDeadline: Deadline { deadline.advanced(by: .seconds(2)) }

    /// Sleeps; not beyond the attack's end.
    func wait(until moment: Deadline) {
        Thread.sleep(forTimeInterval: max(0, (min(moment, deadline) - .now).seconds))
    }

    func connect(receiveBufferByteCount: Int32? = nil) -> RawConnection? {
        RawConnection(
            port: port, until: min(deadline, .now.advanced(by: .seconds(1))),
            receiveBufferByteCount: receiveBufferByteCount)
    }

    /// Random bytes for one turn of one connection, the same again with the same seed.
    func randomBytes(_ count: Int, connection: Int, turn: Int) -> [UInt8] {
        var stream = RandomStream(
            seed: seed, replication: UInt32(clamping: turn), entity: UInt32(clamping: connection),
            purpose: StreamPurpose("attack"))
        return (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &stream) }
    }

    /// Runs `body` on so many threads at once, and returns when all have ended.
    func together(_ count: Int, _ body: @escaping @Sendable (_ number: Int) -> Void) {
        let group = DispatchGroup()
        for number in 0..<count {
            group.enter()
            onThread {
                body(number)
                group.leave()
            }
        }
        group.wait()
    }

    /// Sends requests over kept connections, each after the answer to the one before, until the attack is over.
    ///
    /// - Parameter next: Makes the next request of a connection; nil when there are no more.
    func flood(
        connections: Int, expected: Set<Int>? = nil, _ request: String,
        next: @escaping @Sendable (_ connection: Int, _ turn: Int) -> [UInt8]?
    ) {
        together(connections) { number in
            var peer = HTTPPeer(port: port)
            var turn = 0
            while !isOver, let bytes = next(number, turn) {
                let status = peer.exchange(bytes, until: answerDeadline)?.status
                log.tried(byteCount: bytes.count)
                if let expected {
                    log.answered(status, to: request, expected: expected)
                } else {
                    log.answered(status.map(String.init) ?? "none")
                }
                turn += 1
            }
        }
    }

    func onThread(_ body: @escaping @Sendable () -> Void) {
        let thread = Thread { [niceness] in
            #if canImport(Glibc)
                // On Linux this is the priority of the calling thread alone.
                setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, niceness)
            #endif
            body()
        }
        thread.stackSize = 8 << 20
        thread.start()
    }
}
