import Statistics

/// Continent on which devices are, by the two letters that name it.
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
    package var peakPerSecond: Int { busiestSecond.requests }
    package var peakPerMinute: Int { minute.peak }
    package private(set) var busiestSecond = BusySecond()
    /// Requests above the quotas, of those that came to the relay; `nil` without quotas.
    package private(set) var refused: Int?
    private var second = BusySecond()
    private var minute = Busiest(seconds: 60)

    package init() {}

    /// - Parameters:
    ///   - time: Not earlier than that of the request before.
    ///   - kind: Of the message, a small number.
    package mutating func count(second time: Int64, kind: Int, device: Int) {
        requests += 1
        minute.count(time)
        if time != second.time { second.begin(time) }
        second.count(kind, device: device)
        if second.requests > busiestSecond.requests { busiestSecond = second }
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

/// A second of the simulated clock, and what devices sent in it.
package struct BusySecond: Codable, Hashable, Sendable {
    /// Since the simulation began; -1 before anything was sent.
    package private(set) var time: Int64 = -1
    package private(set) var requests = 0
    /// Count of each kind of message.
    package private(set) var kinds: [Int] = []
    /// Most requests that one device sent one after the other, with nobody else's between them.
    package private(set) var largestBatch = 0
    private var lastDevice = -1
    private var batch = 0

    package init() {}

    fileprivate mutating func begin(_ time: Int64) {
        self.time = time
        (requests, largestBatch, lastDevice) = (0, 0, -1)
        for kind in kinds.indices { kinds[kind] = 0 }
    }

    fileprivate mutating func count(_ kind: Int, device: Int) {
        requests += 1
        batch = device == lastDevice ? batch + 1 : 1
        lastDevice = device
        while kinds.count <= kind { kinds.append(0) }
        kinds[kind] += 1
        largestBatch = max(largestBatch, batch)
    }
}

/// Sizes of messages, each size with its number: protocol messages have few different ones.
package struct SizeTally: Codable, Hashable, Sendable {
    private var numbers: [Int: Int] = [:]

    package init() {}

    package mutating func count(_ bytes: Int) { numbers[bytes, default: 0] += 1 }

    /// Quantile by nearest rank, exact.
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
