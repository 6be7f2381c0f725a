import FleetModel
import Foundation

/// Waits at an instance that stands still at times; see ``StationForm``.
struct PausedTail {
    /// Share of the requests that wait beside pauses, and their mean wait, seconds.
    let waits: Double
    let mean: Double
    /// Seconds of a service.
    let service: Double
    /// Share of the cores that is busy, of all the time; less than that between pauses.
    let utilization: Double
    let pauses: ServerPauses

    /// Share of the requests that wait longer than `time` seconds.
    func share(beyond time: Double) -> Double {
        let (pause, every) = (pauses.seconds, pauses.every)
        func beside(_ time: Double) -> Double { time < 0 ? 1 : waits * exp(-time / mean) }
        // Those that come in a pause and while what came in it is done, for the mean of their waits besides; and those
        // in service when it begins.
        let late = pause / ((1 - utilization) * every)
        let caught = min(service / every, 1 - late)
        let within = min(pause, time)
        let integral =
            waits * mean * (exp((within - time) / mean) - exp(-time / mean)) + pause - within
        return (1 - late - caught) * beside(time) + caught * beside(time - pause)
            + integral / ((1 - utilization) * every)
    }

    /// The wait that so large a share exceeds, seconds.
    func wait(of share: Double) -> Double {
        guard self.share(beyond: 0) > share else { return 0 }
        var (low, high) = (0.0, pauses.seconds + mean)
        while self.share(beyond: high) > share { (low, high) = (high, 2 * high) }
        for _ in 0..<Self.halvings {
            let middle = (low + high) / 2
            if self.share(beyond: middle) > share { low = middle } else { high = middle }
        }
        return high
    }

    /// Beyond what a number can tell apart.
    private static let halvings = 60
}
