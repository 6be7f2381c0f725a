import Foundation

/// A line for the user when an input does not come: from a pipe that nobody writes to, or a terminal.
package struct WaitingNote: Sendable {
    private let stream: MessageStream
    private let patience: Duration

    /// - Parameter patience: Time without input after which it is written: assumption, most writers are faster.
    package init(to stream: MessageStream = .standardError, after patience: Duration = .seconds(2)) {
        self.stream = stream
        self.patience = patience
    }

    /// Waits until there is input, or its end.
    func awaitInput(of descriptor: Int32, name: String) {
        let (seconds, attoseconds) = patience.components
        guard !isReady(descriptor, Int32(seconds * 1_000 + attoseconds / 1_000_000_000_000_000)) else {
            return
        }
        stream.write("waiting for \(name): nothing has been written to it yet\n")
        _ = isReady(descriptor, -1)
    }

    /// - Parameter milliseconds: To wait at most; -1 for ever.
    private func isReady(_ descriptor: Int32, _ milliseconds: Int32) -> Bool {
        var target = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        while true {
            let count = poll(&target, 1, milliseconds)
            if count < 0, errno == EINTR { continue }
            return count != 0
        }
    }
}
