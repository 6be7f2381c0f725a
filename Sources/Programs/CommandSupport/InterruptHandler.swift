import Dispatch
import Foundation
import Synchronization
import Workload

/// Effect of SIGINT (Ctrl-C) and SIGTERM: they end the program, but remove half-written files first.
///
/// A command that has something to finish installs an ``InterruptHandler``. A server has its own way to end.
package enum Interrupts {
    fileprivate struct State {
        var handler: (@Sendable (Int) -> Void)?
        var count = 0
        var sources: [any DispatchSourceSignal] = []
    }

    fileprivate static let state = Mutex(State())

    /// Begins to listen; once, before the command runs.
    package static func listen() {
        // A queue of its own: replications may occupy every thread of the shared ones for minutes.
        let queue = DispatchQueue(label: "interrupts")
        for (number, weight) in [(SIGINT, 1), (SIGTERM, 2)] {
            signal(number, SIG_IGN)
            state.withLock { state in
                let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
                source.setEventHandler { interrupt(weight) }
                source.resume()
                state.sources.append(source)
            }
        }
    }

    /// Leaves the signals to somebody else, who listens in the same way. What a signal does otherwise stays as it is:
    /// Dispatch installs its own handler only once.
    package static func leaveToOthers() {
        state.withLock { state in
            for source in state.sources { source.cancel() }
            state.sources = []
        }
    }

    /// Ends the program where it stands.
    package static func endNow() -> Never {
        AtomicFile.removeUnfinished()
        _exit(ExitStatus.interrupted.rawValue)
    }

    private static func interrupt(_ weight: Int) {
        let (handler, before) = state.withLock { state in
            defer { state.count += weight }
            return (state.handler, state.count)
        }
        guard let handler, before < 2 else { endNow() }
        handler(before + weight)
    }
}

/// Calls back on Ctrl-C instead of dying; the third one ends the process at once.
package final class InterruptHandler {
    /// - Parameter handler: Gets the number of interrupts so far, from 1. SIGTERM, after which others end the process
    ///   if it takes long, counts as two.
    package init(_ handler: @escaping @Sendable (Int) -> Void) {
        Interrupts.state.withLock { $0.handler = handler }
    }

    package func cancel() { Interrupts.state.withLock { $0.handler = nil } }
}
