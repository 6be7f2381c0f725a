import FleetModel

/// One number that a replication yields, by name and statistic.
package struct MetricName: Hashable, Sendable {
    package enum Unit: String, Codable, Sendable {
        case seconds = "s"
        /// A number in 0...1.
        case share = "1"
        case bytes = "B"
        case number = "count"
    }

    package enum Direction: String, Codable, Sendable {
        case lower, higher, neither
    }

    package var name: String
    package var statistic: String
    package var unit: Unit
    package var better: Direction

    /// Percentiles reported everywhere, by nearest rank.
    package static let percentiles: [(label: String, rank: Double)] = [
        ("p50", 0.5), ("p90", 0.9), ("p95", 0.95), ("p99", 0.99), ("p99.9", 0.999),
    ]

    /// Shares of the devices that follow an update of the list.
    package static let freshnessShares: [(label: String, share: Double)] = [
        ("p50", 0.5), ("p90", 0.9), ("p99", 0.99),
    ]

    /// Counts of what should not happen, for which a 0 is no proof.
    static let rareCounts: Set<String> = [
        "url.leaked count", "url.falselyBlocked count", "page.broken count",
    ]

    /// What devices ask through the relay, in the order of the report.
    package static let endpoints = ["directory", "tokenKey", "issue", "config", "key", "queries"]

    package static let continents = Continent.allCases.map(\.rawValue)

    /// As an objective writes it.
    package var words: String { name + " " + statistic }

    /// - Returns: `nil` for a metric that is not in ``all``.
    package init?(_ name: String, _ statistic: String) {
        guard let known = Self.byWords[name + " " + statistic] else { return nil }
        self = known
    }

    private init(name: String, statistic: String, unit: Unit, better: Direction) {
        self.name = name
        self.statistic = statistic
        self.unit = unit
        self.better = better
    }

    private static let byWords = Dictionary(uniqueKeysWithValues: all.map { ($0.words, $0) })

    /// Every metric, in the order of the report.
    package static let all: [MetricName] = {
        var all: [MetricName] = []
        func add(_ name: String, _ statistic: String, _ unit: Unit, _ better: Direction = .neither) {
            all.append(MetricName(name: name, statistic: statistic, unit: unit, better: better))
        }
        add("url.checked", "count", .number)
        add("url.hit", "rate", .share, .lower)
        add("url.listed", "rate", .share)
        for verdict in ["allowedByPrefilter", "allowedByServer", "blockedByServer"] {
            add("url.\(verdict)", "rate", .share)
        }
        for verdict in ["allowedByPolicy", "blockedByPolicy"] {
            add("url.\(verdict)", "rate", .share, .lower)
        }
        for kind in ["leaked", "falselyBlocked", "unfinished"] {
            add("url.\(kind)", "count", .number, .lower)
        }
        // Of the URLs to which it can happen: those on the list, those not on it. Compared as counts.
        for kind in ["leaked", "falselyBlocked"] { add("url.\(kind)", "rate", .share) }
        add("page.broken", "count", .number, .lower)
        add("fleet.recovery", "max", .seconds, .lower)
        add("lookup.sent", "count", .number, .lower)
        add("lookup.per1000URLs", "rate", .number, .lower)
        add("lookup.perDeviceDay", "rate", .number, .lower)
        add("lookup.keywords", "mean", .number)
        for kind in ["listed", "falseHit", "failed"] { add("lookup.\(kind)", "rate", .share) }
        for percentile in percentiles { add("lookup.latency", percentile.label, .seconds, .lower) }
        add("lookup.latency", "mean", .seconds, .lower)
        add("lookup.latency", "max", .seconds, .lower)
        for stage in [
            "device", "transmission", "propagation", "gatewayWaiting", "gatewayWorking", "pirWaiting",
            "pirWorking",
        ] {
            add("lookup.\(stage)", "mean", .seconds, .lower)
        }
        for station in ["gateway", "issuer", "pir"] {
            add("\(station).utilization", "mean", .share)
            add("\(station).utilization", "max", .share)
            add("\(station).queue", "mean", .number, .lower)
            add("\(station).queue", "max", .number, .lower)
        }
        for endpoint in endpoints {
            add("\(endpoint).requests", "count", .number)
            add("\(endpoint).requests", "peak", .number)
            for message in ["request", "response"] {
                for statistic in ["mean", "p50", "p99", "max"] {
                    add("\(endpoint).\(message)", statistic, .bytes)
                }
            }
        }
        for name in ["relay.requests"] + continents.map({ "relay.requests.\($0)" }) {
            for statistic in ["perDay", "peakSecond", "peakMinute"] { add(name, statistic, .number) }
        }
        for change in ["block", "allow"] {
            for share in freshnessShares { add("freshness.\(change)", share.label, .seconds, .lower) }
        }
        add("prefilter.downloads", "count", .number)
        add("prefilter.traffic", "total", .bytes)
        return all
    }()
}
