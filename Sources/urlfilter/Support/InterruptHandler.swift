import Dispatch
import Foundation
import Synchronization

/// Calls back on Ctrl-C instead of dying; the third one ends the process at once.
final class InterruptHandler {
    private let source: any DispatchSourceSignal

    /// - Parameter handler: Gets the number of interrupts so far, from 1.
    init(_ handler: @escaping @Sendable (Int) -> Void) {
        signal(SIGINT, SIG_IGN)
        // A queue of its own: replications may occupy every thread of the shared ones for minutes.
        let queue = DispatchQueue(label: "interrupts")
        let source = DispatchSource.makeSignalSource(signal: SIGINT, queue: queue)
        let count = Mutex(0)
        source.setEventHandler {
            let number = count.withLock { count in
                count += 1
                return count
            }
            if number > 2 { _exit(ExitStatus.interrupted.rawValue) }
            handler(number)
        }
        source.resume()
        self.source = source
    }

    func cancel() { source.cancel() }
}
