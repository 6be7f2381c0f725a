import Decoding
import Foundation
import Synchronization

/// A descriptor that messages go to, usually standard error. Writing one never decides about the program's life.
///
/// What cannot be written (no descriptor, a full disk, a reader that went away or does not read) is dropped and
/// counted, and the count is told once something can be written again. A reader that is only slow is waited for, once
/// and for a second; after that nothing waits until it has read.
///
/// SIGPIPE has to be ignored, or a reader that went away ends the process after all.
package final class MessageStream: Sendable {
    package static let standardError = MessageStream(descriptor: STDERR_FILENO)

    /// Bytes that a pipe which is ready takes without blocking: PIPE_BUF of POSIX.
    #if os(Linux)
        private static let pieceByteCount = 4_096
    #else
        private static let pieceByteCount = 512
    #endif

    private struct State {
        /// Messages since the last one that was written.
        var dropped = 0
        /// The reader let the last message wait in vain.
        var isStalled = false
    }

    private let descriptor: Int32
    private let patience: Duration
    private let state = Mutex(State())

    /// - Parameter patience: How long a slow reader is waited for.
    package init(descriptor: Int32, patience: Duration = .seconds(1)) {
        self.descriptor = descriptor
        self.patience = patience
    }

    /// Only a return at the start is obeyed: a line of progress writes over the one before.
    package func write(_ text: String) {
        let isOver = text.hasPrefix("\r") && !text.hasPrefix("\r\n")
        let text = (isOver ? "\r" : "") + ForeignText.printable(isOver ? String(text.dropFirst()) : text)
        state.withLock { state in
            let lost = state.dropped == 0 ? "" : "(\(state.dropped) messages before this one were lost)\n"
            guard put(lost + text, to: &state) else { return state.dropped += 1 }
            state.dropped = 0
        }
    }

    /// - Returns: Whether all of it was written.
    private func put(_ text: String, to state: inout State) -> Bool {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            guard isReady(waiting: !state.isStalled) else {
                state.isStalled = true
                return false
            }
            let count = rest.prefix(Self.pieceByteCount).withUnsafeBytes { bytes in
                #if canImport(Darwin)
                    Darwin.write(descriptor, bytes.baseAddress, bytes.count)
                #else
                    Glibc.write(descriptor, bytes.baseAddress, bytes.count)
                #endif
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        state.isStalled = false
        return true
    }

    /// Whether a write returns at once, be it with an error.
    private func isReady(waiting: Bool) -> Bool {
        let (seconds, attoseconds) = patience.components
        let milliseconds = waiting ? Int32(seconds * 1_000 + attoseconds / 1_000_000_000_000_000) : 0
        var target = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        while true {
            let count = poll(&target, 1, milliseconds)
            if count < 0, errno == EINTR { continue }
            return count > 0
        }
    }
}

extension MessageStream: TextOutputStream {}
