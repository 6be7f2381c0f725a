import Decoding

/// A line for the user when an input does not come: from a pipe that nobody writes to, or a terminal.
package struct WaitingNote: Sendable {
    private let stream: MessageStream
    private let patience: Duration
    private let writerPatience: Duration

    /// - Parameters:
    ///   - patience: Time without input after which it is written: assumption, most writers are faster.
    ///   - writerPatience: Time after that in which somebody has to open a named pipe to write.
    package init(
        to stream: MessageStream = .standardError, after patience: Duration = .seconds(2),
        for writerPatience: Duration = InputDescriptor.patience
    ) {
        self.stream = stream
        self.patience = patience
        self.writerPatience = writerPatience
    }

    /// Waits until there is input, or its end.
    func awaitInput(of descriptor: Int32, name: String) {
        guard !InputDescriptor.isReady(descriptor, patience) else { return }
        tell(name)
        _ = InputDescriptor.isReady(descriptor, nil)
    }

    /// Waits until a named pipe has input, or its end; not for ever where nobody writes.
    ///
    /// - Returns: See ``InputDescriptor``.
    func awaitWriter(of descriptor: Int32, name: String) throws(InputDescriptor.Fault) -> UInt8? {
        try InputDescriptor.awaitWriter(of: descriptor, note: patience, patience: writerPatience) {
            tell(name)
        }
    }

    private func tell(_ name: String) {
        stream.write("waiting for \(name): nothing has been written to it yet\n")
    }
}
