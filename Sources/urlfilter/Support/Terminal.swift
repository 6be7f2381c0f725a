import Foundation
import Synchronization

/// Where words go: results to standard output, everything else to standard error.
enum Terminal {
    static func complain(_ sentence: String) { writeError("urlfilter: \(sentence)\n") }

    static func note(_ sentence: String) { writeError(sentence + "\n") }

    static func writeError(_ text: String) { FileHandle.standardError.write(Data(text.utf8)) }

    /// Ends the process when standard output cannot take the text, for example on a full disk.
    static func print(_ text: String) {
        do {
            try FileHandle.standardOutput.write(contentsOf: Data(text.utf8))
        } catch {
            complain("standard output cannot be written to: \(error.localizedDescription)")
            exit(ExitStatus.failure.rawValue)
        }
    }

    static var errorIsTerminal: Bool { isatty(STDERR_FILENO) == 1 }
}

/// One line of progress: redrawn on a terminal, else printed at most every ten seconds.
final class ProgressLine: Sendable {
    private struct State {
        var lastPrinted = Date.distantPast
        var width = 0
    }

    private let isQuiet: Bool
    private let redraws: Bool
    private let state = Mutex(State())

    init(isQuiet: Bool) {
        self.isQuiet = isQuiet
        redraws = Terminal.errorIsTerminal
    }

    func show(_ text: String) {
        guard !isQuiet else { return }
        state.withLock { state in
            let now = Date()
            if redraws {
                let padding = String(repeating: " ", count: max(0, state.width - text.count))
                Terminal.writeError("\r\(text)\(padding)")
                state.width = text.count
            } else if now.timeIntervalSince(state.lastPrinted) >= 10 {
                Terminal.writeError(text + "\n")
                state.lastPrinted = now
            }
        }
    }

    /// Leaves the line empty, so that what follows starts at the margin.
    func finish() {
        guard !isQuiet, redraws else { return }
        state.withLock { state in
            guard state.width > 0 else { return }
            Terminal.writeError("\r" + String(repeating: " ", count: state.width) + "\r")
            state.width = 0
        }
    }
}
