import FleetModel

/// Metrics in a reader's words, where objectives and documents have names for programs.
extension Metric {
    private static let plainNames: [Metric: String] = [
        .leaked: "listed, let through", .leakedShare: "of listed URLs let through",
        .falselyBlocked: "wrongly blocked", .falselyBlockedShare: "of other URLs wrongly blocked",
        .brokenPages: "pages broken", .recovery: "until all devices work again",
        .exposed: "too early to block, a day", .overblocked: "too late to allow, a day",
        .lookupsSent: "lookups", .lookupsPerDeviceDay: "lookups a device-day",
        .lookupsPer1000URLs: "lookups for 1 000 URLs", .failedLookups: "of lookups that fail",
        .prefilterDownloads: "downloads of the prefilter",
    ]

    /// Figures that come in families: percentiles, and one of each service.
    private static let plainFamilies: [Metric: String] = {
        var names: [Metric: String] = [:]
        for metric in all {
            switch metric.name {
            case latencyMean.name: names[metric] = "people wait, \(metric.statistic)"
            case pageTime(percentile: 50).name: names[metric] = "pages take longer, \(metric.statistic)"
            default: break
            }
        }
        for station in stations {
            let name = station.part == .pir ? "PIR servers" : station.part.name
            names[station.utilization] = "\(name) busy"
            names[station.busiest] = "\(name) busy in the busiest interval"
        }
        return names
    }()

    /// The name in a reader's words; for a metric that no screen shows as an objective writes it.
    package var plainName: String {
        guard let group else { return Self.plainNames[self] ?? Self.plainFamilies[self] ?? words }
        return "\(group): \(ofAllDevices.plainName)"
    }
}
