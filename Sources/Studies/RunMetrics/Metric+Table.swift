import EventSimulation
package import FleetModel
import URLFilter

/// The table of all metrics. To add one, add its line in the order of the report.
extension Metric {
    package static let all: [Metric] = Array(
        [
            single, reportedPercentiles, [.latencyMean, .latencyMax], operations, mechanismServers, stages,
            stations.flatMap(\.all),
            [.memory, .keyReads], endpoints.flatMap(\.all), relays.flatMap(\.all), [.diverted], freshness,
            [.exposed, .overblocked], [.prefilterDownloads, .prefilterTraffic],
        ].joined())

    private static let single: [Metric] = [
        .checked, .hits,
        .listedURLs,
        .share("url.notAsked", .lower) {
            $0.urls.notAsked?.count ?? 0
        } of: {
            $0.urls.notAsked == nil ? 0 : $0.urls.checked
        },
        .verdict("allowedByPrefilter", label: "allowed by prefilter", \.allowedByPrefilter),
        .verdict("allowedByServer", label: "allowed by server", \.allowedByServer),
        .verdict("blockedByServer", label: "blocked by server", \.blockedByServer),
        .share("url.blockedByDevice", row: .init("blocked by the device", in: .verdicts)) {
            $0.urls.blockedByDevice ?? 0
        } of: {
            $0.urls.blockedByDevice == nil ? 0 : $0.urls.checked
        },
        .allowedByPolicy, .blockedByPolicy,
        .leaked, .falselyBlocked,
        .leakedUnseen, .leakedUnknown, .leakedUnmatchable, .leakedStale, .leakedByGrain, .blockedByGrain,
        .blockedByWildcard,
        .count("url.unfinished", "count", .lower) { $0.urls.unfinished },
        // Of the URLs to which it can happen: those on the list, those not on it. Compared as counts.
        .leakedShare, .falselyBlockedShare, .brokenPages, .recovery, .leakedOutsideFaults,
        .falselyBlockedOutsideFaults, .brokenOutsideFaults, .lookupsSent, .lookupsPer1000URLs,
        .lookupsPerDeviceDay,
        .keywordsPerLookup, .answeredListed, .answeredFalseHit,
        .failedLookups,
        .count("lookup.retried", row: .init("tried again", in: .lookups)) { $0.urlFilter.lookups.retried },
        .count("lookup.hedged", row: .init("asked twice", in: .lookups)) { $0.urlFilter.lookups.hedged },
    ]

    /// - Returns: `nil` for a ratio to nothing.
    static func ratio(_ part: Int, _ whole: Int) -> Double? {
        whole > 0 ? Double(part) / Double(whole) : nil
    }

    private static func verdict(
        _ name: String, _ better: Direction = .neither, label: String,
        _ count: any KeyPath<URLCounts, Int> & Sendable
    ) -> Metric {
        share("url.\(name)", better, row: .init(label, in: .verdicts)) {
            $0.urls[keyPath: count]
        } of: {
            $0.urls.checked
        }
    }
}

/// Metrics of the table that other code names, too.
extension Metric {
    package static let checked = count("url.checked") { $0.urls.checked }
        .with(\.series, .init { Double($0.urls) }).with(\.followsVisits, true)

    package static let hits = share("url.hit", .lower, row: .init("hit the prefilter", in: .urls)) {
        $0.urls.hit
    } of: {
        $0.urls.checked
    }

    package static let listedURLs = share("url.listed", row: .init("on the list", in: .urls)) {
        $0.urls.listed
    } of: {
        $0.urls.checked
    }

    package static let allowedByPolicy = verdict(
        "allowedByPolicy", .lower, label: "allowed without an answer", \.allowedByPolicy)

    package static let blockedByPolicy = verdict(
        "blockedByPolicy", .lower, label: "blocked without an answer", \.blockedByPolicy)

    package static let leaked = count(
        "url.leaked", "count", .lower, row: .init("listed, let through", in: .harms)
    ) { $0.urls.leaked }.with(\.series, .init { Double($0.leaked) })

    package static let leakedShare = share("url.leaked") {
        $0.urls.leaked
    } of: {
        $0.urls.listed
    }

    /// Leaks by cause: without a verdict, which an app did not ask for or did not get; an entry that cannot match; a
    /// list that was old.
    static let leakedUnseen = count("url.leaked.notAsked", "count", .lower) { $0.urls.notAsked?.listed }
    /// Leaks without a verdict whose app asked.
    static let leakedUnknown = count("url.leaked.unknown", "count", .lower) {
        $0.urls.notAsked?.listedUnknown
    }
    static let leakedUnmatchable = count("url.leaked.unmatchable", "count", .lower) { $0.urls.unmatchable }
    static let leakedStale = count("url.leaked.stale", "count", .lower) { $0.urls.stale }

    package static let falselyBlocked = count(
        "url.falselyBlocked", "count", .lower, row: .init("not listed, blocked", in: .harms)
    ) { $0.urls.falselyBlocked }.with(\.series, .init { Double($0.falselyBlocked) })

    package static let falselyBlockedShare = share("url.falselyBlocked") {
        $0.urls.falselyBlocked
    } of: {
        $0.urls.checked - $0.urls.listed
    }

    package static let brokenPages = count(
        "page.broken", "count", .lower, row: .init("pages broken", in: .harms)
    ) { $0.brokenPages }

    package static let recovery = amount("fleet.recovery", "max", .seconds, .lower) {
        $0.recoveries.map(\.seconds).max()
    }.with(\.cut) { $0.recoveries.contains(where: \.isCensored) }

    package static let lookupsSent = count("lookup.sent", "count", .lower) { $0.urlFilter.lookups.sent }
        .with(\.series, .init { Double($0.lookups) })

    package static let lookupsPer1000URLs = amount(
        "lookup.per1000URLs", "rate", .number, .lower, row: .init("per 1000 URLs", in: .lookups)
    ) { $0.urls.checked > 0 ? 1000 * Double($0.urlFilter.lookups.sent) / Double($0.urls.checked) : nil }
    .with(
        \.series,
        .init {
            Double($0.lookups)
        } denominator: {
            Double($0.urls)
        })

    package static let lookupsPerDeviceDay = Metric(
        "lookup.perDeviceDay", "rate", .number, .lower, row: .init("per device and day", in: .lookups),
        reading: .value { record, deviceCount in
            let deviceDays = Double(deviceCount) * record.observedSeconds / 86_400
            return deviceDays > 0 ? Double(record.urlFilter.lookups.sent) / deviceDays : nil
        }
    ).with(\.series, .init { Double($0.lookups) })

    package static let keywordsPerLookup = amount(
        "lookup.keywords", "mean", .number, row: .init("keywords per lookup", in: .lookups)
    ) { ratio($0.urlFilter.lookups.keywords, $0.urlFilter.lookups.sent) }

    package static let answeredListed = share("lookup.listed", row: .init("answered: listed", in: .lookups)) {
        $0.urlFilter.lookups.answeredListed
    } of: {
        $0.urlFilter.lookups.ended
    }

    package static let answeredFalseHit = share(
        "lookup.falseHit", row: .init("answered: false hit", in: .lookups)
    ) {
        $0.urlFilter.lookups.answered - $0.urlFilter.lookups.answeredListed
    } of: {
        $0.urlFilter.lookups.ended
    }

    package static let failedLookups = share("lookup.failed", row: .init("failed", in: .lookups)) {
        $0.urlFilter.lookups.failures
    } of: {
        $0.urlFilter.lookups.ended
    }

    package static let latencyMean = amount("lookup.latency", "mean", .seconds, .lower) {
        $0.verdictLatency.mean?.seconds
    }.with(
        \.series,
        .init {
            $0.latencySum
        } denominator: {
            Double($0.decided)
        })

    package static let latencyMax = amount("lookup.latency", "max", .seconds, .lower) {
        $0.verdictLatency.max?.seconds
    }

    /// The verdict latency by nearest rank.
    ///
    /// - Parameter percent: For example 99.9, labelled `p99.9`.
    package static func latency(percentile percent: Double) -> Metric {
        // Exactly as a rank is written: 99.9 / 100 is not 0.999.
        let rank = (percent * 1_000).rounded() / 100_000
        return amount(latencyMean.name, "p" + PercentileCurve.label(percent), .seconds, .lower) {
            $0.verdictLatency.quantile(rank)?.seconds
        }.with(\.tail, Tail(rank: rank))
    }

    /// Mean time of a stage, of answered lookups.
    package static func stage(_ stage: Stage) -> Metric {
        amount("lookup.\(stage.rawValue)", "mean", .seconds, .lower, row: .init(stage.label, in: .stages)) {
            $0.verdictLatency.count > 0 ? $0.urlFilter.stages[stage]?.mean?.seconds : nil
        }
    }

    /// Most bytes of database and evaluation keys at one PIR server.
    package static let memory = amount("pir.memory", "max", .bytes, .lower, row: .init("PIR memory")) {
        $0.urlFilter.memory.map { Double($0.peakBytes) }
    }

    /// Lookups for which the PIR server had to read the device's key from its store.
    package static let keyReads = share("pir.keyReads", .lower, row: .init("keys read from the store")) {
        $0.urlFilter.lookups.keyReads
    } of: {
        $0.urlFilter.memory == nil ? 0 : $0.urlFilter.lookups.sent
    }

    /// Requests that went to another region than the nearest.
    package static let diverted = share("relay.diverted", .lower, row: .init("sent to a farther region")) {
        $0.regions.reduce(0) { $0 + $1.diverted }
    } of: {
        $0.regions.reduce(0) { $0 + $1.requests }
    }

    package static let prefilterDownloads = count("prefilter.downloads") { $0.urlFilter.prefilter.downloads }

    package static let prefilterTraffic = amount("prefilter.traffic", "total", .bytes) {
        Double($0.urlFilter.prefilter.bytes)
    }
}

/// Metrics of the table that come in families.
extension Metric {
    /// Percentiles reported everywhere.
    static let reportedPercentiles = [50, 90, 95, 99, 99.9].map { latency(percentile: $0) }
    private static let stages = Stage.allCases.map { stage($0) }
    package static let stations = URLFilterModel.stations.map(StationMetrics.init)
    /// Metrics of what devices ask through the relay.
    package static let endpoints = Endpoint.allCases.map(EndpointMetrics.init)
    /// Everything that crosses the relay, then each continent.
    package static let relays = [RelayMetrics(nil)] + Continent.allCases.map { RelayMetrics($0) }
}

extension LookupCounts {
    fileprivate var failures: Int { failed.values.reduce(0, +) }
    /// Those that were answered or failed.
    fileprivate var ended: Int { answered + failures }
}

extension Stage {
    fileprivate var label: String {
        switch self {
        case .token: "token, waiting"
        case .device: "device"
        case .transmission: "sending the bytes"
        case .radio: "radio, waking up"
        case .connection: "connection, setting up"
        case .slowStart: "slow start"
        case .lineWaiting: "access line, waiting"
        case .propagation: "the way there and back"
        case .gatewayWaiting: "gateway, waiting"
        case .gatewayWorking: "gateway, working"
        case .pirWaiting: "PIR server, waiting"
        case .pirWorking: "PIR server, working"
        }
    }
}
