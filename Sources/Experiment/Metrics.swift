import EventSimulation
package import FleetModel
import URLFilter

/// The metrics of one replication.
package struct ReplicationMetrics: Sendable {
    /// Absent where the replication has nothing to say, for example a latency without lookups.
    package private(set) var values: [MetricName: Double] = [:]

    package init(_ record: ReplicationRecord, deviceCount: Int) {
        let urls = record.urls
        let checked = Double(urls.checked)
        set("url.checked", "count", checked)
        ratio("url.hit", "rate", urls.hit, checked)
        ratio("url.listed", "rate", urls.listed, checked)
        ratio("url.allowedByPrefilter", "rate", urls.allowedByPrefilter, checked)
        ratio("url.allowedByServer", "rate", urls.allowedByServer, checked)
        ratio("url.blockedByServer", "rate", urls.blockedByServer, checked)
        ratio("url.allowedByPolicy", "rate", urls.allowedByPolicy, checked)
        ratio("url.blockedByPolicy", "rate", urls.blockedByPolicy, checked)
        set("url.leaked", "count", Double(urls.leaked))
        set("url.falselyBlocked", "count", Double(urls.falselyBlocked))
        set("url.unfinished", "count", Double(urls.unfinished))
        ratio("url.leaked", "rate", urls.leaked, Double(urls.listed))
        ratio("url.falselyBlocked", "rate", urls.falselyBlocked, checked - Double(urls.listed))
        set("page.broken", "count", Double(record.brokenPages))
        set("fleet.recovery", "max", record.recoveries.map(\.seconds).max())
        addLookups(record, checked: checked, deviceCount: deviceCount)
        addParts(record)
        if let freshness = record.freshness { addFreshness(freshness) }
    }

    /// A share that was not reached enters with the time for which the devices were watched.
    private mutating func addFreshness(_ series: FreshnessSeries) {
        for (label, share) in MetricName.freshnessShares {
            set(
                "freshness.block", label,
                series.seconds(untilShare: share) { $0.blocks } ?? series.watchedSeconds)
            set(
                "freshness.allow", label,
                series.seconds(untilShare: share) { $0.allows } ?? series.watchedSeconds)
        }
    }

    package subscript(name: String, statistic: String) -> Double? {
        MetricName(name, statistic).flatMap { values[$0] }
    }

    private mutating func addLookups(_ record: ReplicationRecord, checked: Double, deviceCount: Int) {
        let lookups = record.lookups
        let sent = Double(lookups.sent)
        set("lookup.sent", "count", sent)
        if checked > 0 { set("lookup.per1000URLs", "rate", 1000 * sent / checked) }
        let deviceDays = Double(deviceCount) * record.observedSeconds / 86_400
        if deviceDays > 0 { set("lookup.perDeviceDay", "rate", sent / deviceDays) }
        ratio("lookup.keywords", "mean", lookups.keywords, sent)
        let failed = lookups.failed.values.reduce(0, +)
        let ended = Double(lookups.answered + failed)
        ratio("lookup.listed", "rate", lookups.answeredListed, ended)
        ratio("lookup.falseHit", "rate", lookups.answered - lookups.answeredListed, ended)
        ratio("lookup.failed", "rate", failed, ended)
        let latency = record.verdictLatency
        guard latency.count > 0 else { return }
        for percentile in MetricName.percentiles {
            set("lookup.latency", percentile.label, latency.quantile(percentile.rank)?.seconds)
        }
        set("lookup.latency", "mean", latency.mean?.seconds)
        set("lookup.latency", "max", latency.max?.seconds)
        for stage in Stage.allCases {
            set("lookup.\(stage.rawValue)", "mean", record.stages[stage]?.mean?.seconds)
        }
    }

    private mutating func addParts(_ record: ReplicationRecord) {
        for (part, station) in record.stations {
            set("\(part).utilization", "mean", station.utilization)
            set("\(part).utilization", "max", station.peakUtilization)
            set("\(part).queue", "mean", station.meanQueue)
            set("\(part).queue", "max", Double(station.longestQueue))
        }
        for (endpoint, traffic) in record.endpoints {
            let name = endpoint.rawValue
            set("\(name).requests", "count", Double(traffic.requests))
            set("\(name).requests", "peak", Double(traffic.peakPerSecond))
            ratio("\(name).request", "mean", traffic.requestBytes, Double(traffic.requests))
            ratio("\(name).response", "mean", traffic.responseBytes, Double(traffic.responses))
            guard traffic.requests > 0 else { continue }
            set("\(name).request", "max", Double(traffic.largestRequest))
            set("\(name).response", "max", Double(traffic.largestResponse))
            for (statistic, share) in [("p50", 0.5), ("p99", 0.99)] {
                set("\(name).request", statistic, traffic.requestSizes.quantile(share).map(Double.init))
                set("\(name).response", statistic, traffic.responseSizes.quantile(share).map(Double.init))
            }
        }
        addRelayed("relay.requests", record.relay, seconds: record.observedSeconds)
        for (continent, traffic) in record.continents {
            addRelayed("relay.requests.\(continent.rawValue)", traffic, seconds: record.observedSeconds)
        }
        set("prefilter.downloads", "count", Double(record.prefilter.downloads))
        set("prefilter.traffic", "total", Double(record.prefilter.bytes))
    }

    private mutating func addRelayed(_ name: String, _ traffic: RelayTraffic, seconds: Double) {
        if seconds > 0 { set(name, "perDay", Double(traffic.requests) / seconds * 86_400) }
        set(name, "peakSecond", Double(traffic.peakPerSecond))
        set(name, "peakMinute", Double(traffic.peakPerMinute))
    }

    private mutating func ratio(_ name: String, _ statistic: String, _ part: Int, _ whole: Double) {
        if whole > 0 { set(name, statistic, Double(part) / whole) }
    }

    private mutating func set(_ name: String, _ statistic: String, _ value: Double?) {
        guard let value else { return }
        guard let metric = MetricName(name, statistic) else {
            preconditionFailure("metric \(name) \(statistic) is not declared")
        }
        values[metric] = value
    }
}
