import EventSimulation
package import URLFilter

/// Instants at which the waits of devices were over, which a run takes instead of drawing them.
///
/// Of what a device does then, and of how that ends, nothing is said: this is what the run finds out. Devices that have
/// such instants begin as a fleet that was made ready: with a full stock of tokens and empty caches.
package struct DeviceInstants: Hashable, Sendable {
    package struct End: Hashable, Sendable {
        package var device: Int
        package var wait: ExchangeWait
        /// Nanoseconds since the start of the run.
        package var time: Nanoseconds

        package init(device: Int, wait: ExchangeWait, time: Nanoseconds) {
            self.device = device
            self.wait = wait
            self.time = time
        }
    }

    private struct Line: Hashable, Sendable {
        let device: Int
        let wait: ExchangeWait
    }

    private let times: [Line: [Nanoseconds]]

    /// - Parameter ends: In any order. What was over before the start does not count.
    package init(_ ends: [End]) {
        times = Dictionary(
            grouping: ends.filter { $0.time >= 0 }, by: { Line(device: $0.device, wait: $0.wait) }
        ).mapValues { $0.map(\.time).sorted() }
    }

    package var count: Int { times.values.reduce(0) { $0 + $1.count } }

    /// The first end of such a wait after `now`.
    ///
    /// - Parameter longest: Most that the wait can last; an end that is more than twice as far is one of a later wait.
    package func next(
        _ wait: ExchangeWait, of device: Int, after now: Nanoseconds, longest: Nanoseconds
    ) -> Nanoseconds? {
        guard let times = times[Line(device: device, wait: wait)] else { return nil }
        var (low, high) = (0, times.count)
        while low < high {
            let middle = (low + high) / 2
            if times[middle] > now { high = middle } else { low = middle + 1 }
        }
        guard low < times.count, (times[low] - max(now, 0)) / 2 <= longest else { return nil }
        return times[low]
    }

    /// The end of a wait that a device began before the start of the run.
    package func first(_ wait: ExchangeWait, of device: Int) -> Nanoseconds? {
        next(wait, of: device, after: -1, longest: .max)
    }
}

/// Waits whose ends are replayed.
extension URLFilterModel {
    /// - Returns: `nil` if nothing is replayed, or nothing that fits.
    func replayedEnd(
        of wait: ExchangeWait, _ device: Int, _ rules: ExchangeRules, _ now: SimulatedTime
    ) -> SimulatedTime? {
        instants?.next(
            wait, of: device, after: now.nanoseconds,
            longest: devices[device].exchanges.pause(before: wait, by: rules, uniform: 1)
        ).map { SimulatedTime(nanoseconds: $0) }
    }
}
