import Foundation
import TestSupport

/// Holds threads up until it is opened.
final class Latch: Sendable {
    private let gate = DispatchSemaphore(value: 0)

    func open() { gate.signal() }

    /// Returns when it is open, or patience has ended.
    func wait() {
        _ = gate.wait(timeout: .now() + .seconds(Patience.seconds))
        gate.signal()
    }
}
