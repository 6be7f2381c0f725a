import Timing
package import URLFilter

/// The time as a device sees it.
package protocol DeviceClock: Sendable {
    /// Since some start.
    var now: Nanoseconds { get }

    /// - Throws: When the task is cancelled.
    func sleep(until time: Nanoseconds) async throws
}

/// Time that passes by itself, from the making of the clock on.
package struct RunningClock: DeviceClock {
    private let clock = ContinuousClock()
    private let origin = ContinuousClock.now

    package init() {}

    package var now: Nanoseconds { (clock.now - origin).nanoseconds }

    package func sleep(until time: Nanoseconds) async throws {
        try await clock.sleep(until: origin.advanced(by: .nanoseconds(time)))
    }
}
