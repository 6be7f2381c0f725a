import Decoding
import RandomStreams
import Scenarios
import Timing
import URLFilter

/// How long a new entry stays unblocked, from the moment in which it is known to be bad: until the next edition, the
/// fetch, the start of the app and the configuration. Cached answers and faults are left out.
package struct BlockingDelay: Codable, Equatable, Sendable {
    /// Seconds from one edition to the next, and from one fetch of a device to the next.
    package var published: Double
    package var fetched: Double
    /// Mean seconds until the app starts, exponential unless the scenario has another law; 0: apps take a prefilter at
    /// once.
    package var restarted: Double
    /// Seconds over the devices, and those within which 95 % of them block.
    package var mean: Double
    package var p95: Double

    /// Usual values of the three, and the scenario's own.
    ///
    /// - Parameters:
    ///   - forecast: With the scenario's own values.
    ///   - published: The scenario's own, seconds.
    static func grid(_ forecast: FreshnessForecast, published: Double) -> [BlockingDelay] {
        // The shortest time that devices take, and Apple's usual one.
        let fetches = Set([
            Double(nanoseconds: DeviceConstants.minimumPrefilterFetchInterval), 21_600, 86_400,
            forecast.fetchInterval,
        ]).sorted()
        let editions = Set([3_600, 21_600, 86_400, published]).sorted()
        let own = forecast.appRestart?.mean ?? 0
        let restarts = Set([0, UpdateSettings.usualAppRestart, own]).sorted()
        return editions.flatMap { published in
            restarts.flatMap { restart in
                fetches.compactMap { fetch in
                    var other = forecast
                    other.fetchInterval = fetch
                    if restart != own { other.appRestart = restart > 0 ? .exponential(mean: restart) : nil }
                    return BlockingDelay(other, published: published)
                }
            }
        }
    }

    /// - Returns: `nil` for waits without a closed form.
    package init?(_ forecast: FreshnessForecast, published: Double) {
        func blocks(_ time: Double) -> Double? { forecast.blocks(time, sinceKnownOf: published) }
        guard let mean = forecast.means?.toBlock, let p95 = forecast.seconds(untilShare: 0.95, of: blocks)
        else { return nil }
        self.published = published
        fetched = forecast.fetchInterval
        restarted = forecast.appRestart?.mean ?? 0
        self.mean = published / 2 + mean
        self.p95 = p95
    }
}

extension FreshnessForecast {
    /// Share of the devices that block an entry so long after it became known, which is at any time between two
    /// editions with the same chance; `nil` for waits without a closed form.
    fileprivate func blocks(_ time: Double, sinceKnownOf interval: Double) -> Double? {
        let count = 200
        var sum = 0.0
        for index in 0..<count {
            let wait = (Double(index) + 0.5) / Double(count) * interval
            guard let share = wait < time ? blocks(time - wait) : 0 else { return nil }
            sum += share
        }
        return sum / Double(count)
    }
}
