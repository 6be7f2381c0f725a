import RunMetrics

/// Metrics that a design of ignorance tells of, and what a part of the fleet shows of them.
extension Metric {
    /// Figures of the first screen; those of objectives are added.
    static let plausible: [Metric] = {
        let lookups = [
            lookupsPerDeviceDay, lookupsSent, checked, hits, listedURLs, leaked, falselyBlocked, brokenPages,
        ]
        let times = [50, 95, 99].flatMap { [latency(percentile: $0), pageTime(percentile: $0)] }
        let amounts = [
            prefilterDownloads, prefilterTraffic, operatorEgress, deviceBytes, operatorPeakCores,
        ]
        let servers = stations.flatMap { [$0.utilization, $0.busiest] }
        let declared = [relays[0].perDay, relays[0].peakSecond]
        return lookups + times + amounts + servers + declared + freshness + [exposed, overblocked]
    }()

    /// Whether the value is that of the busiest moment or of the fullest server, which is not in proportion to the
    /// devices.
    var isOfThePeak: Bool {
        isLargest || ["max", "peak", "peakSecond", "peakMinute", "busiestInstance"].contains(statistic)
            || statistic == "busiestRegion"
    }

    /// Whether the load of the servers is a part of the value: times in which anybody waits, and what follows from a
    /// lookup that comes too late.
    var hasWaiting: Bool {
        let names = [
            "lookup.latency", "page.added", "page.broken", "url.leaked", "url.falselyBlocked",
            "url.allowedByPolicy", "url.blockedByPolicy", "lookup.failed", "lookup.retried", "lookup.hedged",
            "fleet.recovery", "mechanism.waiting", "mechanism.unserved",
        ]
        return names.contains { name == $0 || name.hasPrefix($0 + ".") } || name.hasSuffix(".waiting")
            || name.hasSuffix(".queue") || name.hasSuffix("Waiting")
    }

    /// Whether twice the devices make twice the value.
    var isOfAllDevices: Bool {
        countsEvents || [.prefilterTraffic, .exposed, .overblocked].contains(self)
    }
}
