import Statistics

/// Where devices are, by the two letters that name a continent.
///
/// Apple asks the operator of a URL filter for the load per continent (article "Device", section "Onboarding and
/// relay").
package enum Continent: String, CaseIterable, Codable, Sendable {
    case africa = "AF"
    case antarctica = "AN"
    case asia = "AS"
    case europe = "EU"
    case northAmerica = "NA"
    case oceania = "OC"
    case southAmerica = "SA"
}

/// Requests that devices sent through the relay, to whichever endpoint.
///
/// A request counts when the device begins it. Seconds and minutes are those of the simulated clock.
package struct RelayTraffic: Codable, Hashable, Sendable {
    package private(set) var requests = 0
    /// Most requests within one second, and within one minute.
    package var peakPerSecond: Int { second.peak }
    package var peakPerMinute: Int { minute.peak }
    /// Of those that came to the relay, so many were above the quotas; `nil` without quotas.
    package private(set) var refused: Int?
    private var second = Busiest(seconds: 1)
    private var minute = Busiest(seconds: 60)

    package init() {}

    /// - Parameter time: Not earlier than that of the request before.
    package mutating func count(second time: Int64) {
        requests += 1
        second.count(time)
        minute.count(time)
    }

    mutating func countQuota(refused isRefused: Bool) { refused = (refused ?? 0) + (isRefused ? 1 : 0) }

    /// The fullest of successive intervals of one length.
    private struct Busiest: Codable, Hashable, Sendable {
        let seconds: Int64
        var interval: Int64 = -1
        var here = 0
        var peak = 0

        init(seconds: Int64) { self.seconds = seconds }

        mutating func count(_ time: Int64) {
            let now = time / seconds
            if now != interval {
                interval = now
                here = 0
            }
            here += 1
            peak = max(peak, here)
        }
    }
}

/// Sizes of messages, each size with its number: protocol messages have few different ones.
package struct SizeTally: Codable, Hashable, Sendable {
    private var numbers: [Int: Int] = [:]

    package init() {}

    package mutating func count(_ bytes: Int) { numbers[bytes, default: 0] += 1 }

    /// By nearest rank, exact.
    ///
    /// - Parameter share: In `0...1`.
    /// - Returns: `nil` if nothing was counted.
    package func quantile(_ share: Double) -> Int? {
        precondition(share >= 0 && share <= 1, "a quantile lies in 0...1, got \(share)")
        guard let rank = Percentile.rank(share, count: numbers.values.reduce(0, +)) else { return nil }
        var seen = 0
        for (bytes, number) in numbers.sorted(by: { $0.key < $1.key }) {
            seen += number
            if seen >= rank { return bytes }
        }
        return nil
    }
}
