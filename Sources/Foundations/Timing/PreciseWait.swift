import Foundation

/// Waits until an instant, to a few microseconds.
package enum PreciseWait {
    /// The system wakes a thread up to so many seconds late; they are spent looking at the clock. Assumption.
    private static let slack = 0.000_2

    package static func until(_ instant: ContinuousClock.Instant) {
        let left = (instant - .now).seconds - slack
        if left > 0 { Thread.sleep(forTimeInterval: left) }
        while ContinuousClock.now < instant {}
    }
}
