import Foundation
import Synchronization

/// One line of progress: redrawn on a terminal, else printed at most every ten seconds.
package final class ProgressLine: Sendable {
    private struct State {
        /// Time of the last line, at first that of the start: what takes less than ten seconds needs no line.
        var lastPrinted = Date()
        var width = 0
    }

    private let isQuiet: Bool
    private let redraws: Bool
    /// Seconds between lines; `urlfilter open` asks for more of them.
    private let interval: Double
    private let state = Mutex(State())

    package init(isQuiet: Bool) {
        self.isQuiet = isQuiet
        redraws = Terminal.errorIsTerminal
        let asked = ProcessInfo.processInfo.environment["URLFILTER_PROGRESS_SECONDS"].flatMap(Double.init)
        interval = asked.map { min(max($0, 0.1), 60) } ?? 10
    }

    package func show(_ text: String) {
        guard !isQuiet else { return }
        state.withLock { state in
            let now = Date()
            let text = Terminal.shortened(text)
            if redraws {
                let padding = String(repeating: " ", count: max(0, state.width - text.count))
                Terminal.writeError("\r\(text)\(padding)")
                state.width = text.count
            } else if now.timeIntervalSince(state.lastPrinted) >= interval {
                Terminal.writeError(text + "\n")
                state.lastPrinted = now
            }
        }
    }

    /// Leaves the line empty, so that what follows starts at the margin.
    package func finish() {
        guard !isQuiet, redraws else { return }
        state.withLock { state in
            guard state.width > 0 else { return }
            Terminal.writeError("\r" + String(repeating: " ", count: state.width) + "\r")
            state.width = 0
        }
    }
}
