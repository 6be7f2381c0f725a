import Decoding
import EventSimulation
import FleetModel
import Foundation
package import RandomStreams
import Scenarios
import Timing
import URLFilter

/// The share of devices that follow an update, by closed form.
///
/// The time of a device's next prefilter fetch is spread evenly over the interval, so is that of its next
/// configuration, and both are independent of each other.
package struct FreshnessForecast: Sendable {
    /// Seconds.
    package var fetchInterval: Double
    package var refetchInterval: Double
    package var reloadDelay: Double
    package var appRestart: Distribution?
    package var changesConfiguration: Bool

    package init(
        fetchInterval: Double, refetchInterval: Double, reloadDelay: Double, appRestart: Distribution?,
        changesConfiguration: Bool
    ) {
        self.fetchInterval = fetchInterval
        self.refetchInterval = refetchInterval
        self.reloadDelay = reloadDelay
        self.appRestart = appRestart
        self.changesConfiguration = changesConfiguration
    }

    /// A device has fetched the prefilter.
    package func fetched(_ time: Double) -> Double { min(1, max(0, time) / fetchInterval) }

    /// And its app has started since; `nil` for waits without a closed form.
    ///
    /// The mean of the wait's distribution function at `time - u` over a fetch time `u` that is even over the
    /// interval.
    package func started(_ time: Double) -> Double? {
        guard let appRestart else { return fetched(time) }
        let latest = min(max(0, time), fetchInterval)
        switch appRestart {
        case .constant(let wait): return fetched(time - wait)
        case .exponential(let mean):
            let missed = mean * (exp(-(time - latest) / mean) - exp(-time / mean))
            return (latest - missed) / fetchInterval
        case .uniform(let lower, let upper) where lower < upper:
            // The integral of a ramp from `lower` to `upper`.
            func area(_ x: Double) -> Double {
                if x <= lower { return 0 }
                let ramp = min(x, upper) - lower
                return ramp * ramp / (2 * (upper - lower)) + max(0, x - upper)
            }
            return (area(time) - area(time - latest)) / fetchInterval
        default: return nil
        }
    }

    /// The PIR servers have loaded the update.
    package func isLoaded(_ time: Double) -> Bool { time >= reloadDelay }

    /// And a device has the configuration of the new database.
    package func configured(_ time: Double) -> Double {
        guard isLoaded(time) else { return 0 }
        return changesConfiguration ? min(1, (time - reloadDelay) / refetchInterval) : 1
    }

    package func blocks(_ time: Double) -> Double? { started(time).map { $0 * configured(time) } }

    /// Seconds of an edition's life between two ages in which an entry that it brought is not blocked yet, in the mean
    /// over the devices, and in which one that it removed still is; `nil` for waits without a closed form.
    package func exposure(_ ages: ClosedRange<Double>) -> (new: Double, removed: Double)? {
        guard let new = behind(ages, blocks), let removed = behind(ages, allows) else { return nil }
        return (new, removed)
    }

    /// Seconds until a device blocks a new entry, and until it allows a removed one, in the mean; `nil` for waits
    /// without a closed form.
    package var means: (toBlock: Double, toAllow: Double)? {
        guard let block = mean(of: blocks), let allow = mean(of: allows) else { return nil }
        return (block, allow)
    }

    /// Seconds until a device follows, in the mean; `nil` for waits without a closed form.
    func mean(of follows: (Double) -> Double?) -> Double? {
        seconds(untilShare: 0.9999, of: follows).flatMap { behind(0...max($0, 1e-3), follows) }
    }

    /// Seconds between two ages of an edition in which a device does not follow yet, in the mean.
    private func behind(_ ages: ClosedRange<Double>, _ follows: (Double) -> Double?) -> Double? {
        // The curves have corners, so the middles of many short steps do better than a clever rule.
        let step = (ages.upperBound - ages.lowerBound) / Double(Self.stepCount)
        var sum = 0.0
        for index in 0..<Self.stepCount {
            guard let share = follows(ages.lowerBound + (Double(index) + 0.5) * step) else { return nil }
            sum += (1 - share) * step
        }
        return sum
    }

    /// Seconds until a share of the devices follows, by bisection; `nil` for waits without a closed form.
    package func seconds(untilShare share: Double, of follows: (Double) -> Double?) -> Double? {
        var (low, high) = (0.0, fetchInterval + refetchInterval + reloadDelay)
        // An app may start late, but at some time nearly all have.
        for _ in 0..<64 {
            guard let reached = follows(high) else { return nil }
            if reached >= share { break }
            (low, high) = (high, 2 * high)
        }
        for _ in 0..<60 {
            let middle = (low + high) / 2
            guard let reached = follows(middle) else { return nil }
            if reached < share { low = middle } else { high = middle }
        }
        return high
    }

    fileprivate static let stepCount = 5_000

    /// The app uses a prefilter without the entry, or the PIR servers tell the device that it is gone.
    package func allows(_ time: Double) -> Double? {
        started(time).map { 1 - (1 - $0) * (1 - configured(time)) }
    }
}

extension FreshnessForecast {
    /// Seconds of an edition's time, counted from its publication, in which a visit to what it brought is not blocked,
    /// each second weighted; `nil` for waits without a closed form. Before the publication nothing is blocked.
    private func unblocked(
        _ times: ClosedRange<Double>, weight: (Double) -> Double
    ) -> Double? {
        var sum = 0.0
        // The publication is a corner of every curve.
        for (begin, end) in [
            (times.lowerBound, min(0, times.upperBound)), (max(0, times.lowerBound), times.upperBound),
        ] where begin < end {
            let step = (end - begin) / Double(Self.stepCount)
            for index in 0..<Self.stepCount {
                let time = begin + (Double(index) + 0.5) * step
                guard let blocks = time < 0 ? 0 : blocks(time) else { return nil }
                sum += weight(time) * (1 - blocks) * step
            }
        }
        return sum
    }

    /// Seconds in which a visit meets an entry that an edition brought and that is not blocked yet: the entry is known
    /// at any time between the edition before and this one, with the same chance.
    ///
    /// - Parameters:
    ///   - times: From the publication; those before the edition before have nothing.
    ///   - interval: From one edition to the next.
    func exposureOfKnown(_ times: ClosedRange<Double>, interval: Double) -> Double? {
        unblocked(times) { min(1, max(0, $0 + interval) / interval) }
    }

    /// The same for entries that live shortly, where all visits go to such: a visit meets an entry that is younger than
    /// its life, and every age is as likely.
    ///
    /// - Parameter life: Seconds from the moment in which an entry is known to its last visit.
    package func exposureOfShortLived(
        _ times: ClosedRange<Double>, interval: Double, life: Double
    ) -> Double? {
        // The share of the visits to entries younger than this.
        func younger(_ age: Double) -> Double { min(1, max(0, age) / life) }
        let end = min(times.upperBound, life)
        guard times.lowerBound < end else { return 0 }
        return unblocked(times.lowerBound...end) { younger($0 + interval) - younger($0) }
    }
}

extension FreshnessForecast {
    /// - Returns: `nil` where the assumptions do not hold: devices that are switched on with the clock fetch
    ///   in step, and a fault changes who gets what when.
    init?(_ scenario: Scenario) {
        guard scenario.start == .steady, scenario.faults.isEmpty else { return nil }
        let updates = scenario.prefilter.updates
        fetchInterval = Double(nanoseconds: scenario.device.prefilterFetchInterval)
        refetchInterval = scenario.behaviour.configurationRefetch.seconds
        reloadDelay = updates.reloadDelay.seconds
        appRestart = updates.restartBeforeUse
        changesConfiguration = updates.changesConfiguration
    }
}
