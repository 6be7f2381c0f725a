import Decoding
package import EventSimulation
package import URLFilter

/// Everything one replication observed between the end of the warm-up and the end of the run.
///
/// Flat counters, histograms and series; no statistics. A request is counted when it *started* inside
/// the observed period, and its latency counts from that intended start.
package struct ReplicationRecord: Codable, Sendable {
    package var replication: UInt32
    /// Length of the observed period, seconds.
    package var observedSeconds: Double
    package var eventCount = 0
    /// Hash of the trajectory: equal for equal seeds, whatever the number of threads.
    package var fingerprint: UInt64 = 0
    /// Loads of synthetic pages; traces have none.
    package var pageLoads = 0
    package var urls = URLCounts()
    /// Time from the check of a URL to its verdict, for URLs that waited for a lookup.
    package var verdictLatency = LatencyHistogram()
    /// Everything that devices send through the relay, and the same by continent where one was given.
    package var relay = RelayTraffic()
    package var continents: [Continent: RelayTraffic] = [:]
    /// `nil` unless asked for.
    package var arrivals: ArrivalLog?
    /// Groups in the order of the configuration; `nil` unless asked for.
    package var groups: [GroupRecord]?
    /// Page loads, and URLs of traces, with at least one URL that was blocked without being on the list or that got
    /// no answer within the verdict timeout, in either fail mode, by what came first.
    package var breaks: [PageBreak: Int] = [:]
    package var brokenPages: Int { breaks.values.reduce(0, +) }
    /// How much longer pages took because of the filter.
    package var pageTimes = PageTimes()
    /// Time from a hand-over to another network until loads pass again; empty where no device moves.
    package var handOverTimes = LatencyHistogram()
    package var operations = OperationsRecord()
    /// The queue of a mechanism's servers; `nil` for one without any, and where they are simulated.
    package var servers: ServersRecord?
    package var health: HealthSeries
    /// One per fault, in the order of the configuration.
    package var recoveries: [FaultRecovery] = []
    /// `nil` without faults.
    package var faultHarms: FaultHarms?
    /// Laws that hold in every run, over all of it, warm-up included: a violation is a bug of the simulator.
    package var resourceChecks: [ResourceCheck] = []
    /// One for each role, over all regions.
    package var stations: [Part: StationRecord] = [:]
    /// Records of the regions in the order of the configuration; empty where there is one without a name.
    package var regions: [RegionRecord] = []
    package var series: FleetSeries
    /// Figures that the filter adds.
    package var urlFilter = URLFilterRecord()

    package init(
        replication: UInt32, observedSeconds: Double, seriesInterval: SimulatedDuration,
        health rule: HealthRule = HealthRule()
    ) {
        self.replication = replication
        self.observedSeconds = observedSeconds
        series = FleetSeries(interval: seriesInterval)
        health = HealthSeries(rule: rule)
    }
}

extension ReplicationRecord {
    mutating func add(_ counts: LoadCounts) {
        pageLoads += counts.pageLoads
        urls.checked += counts.urls.checked
        urls.unparseable += counts.urls.unparseable
        urls.strings += counts.urls.strings
        urls.allowedByPrefilter += counts.urls.allowedByPrefilter
        urls.notAsked?.count += counts.notAsked
        urls.notAsked?.unknown? += counts.unknown
        series.add(counts.series)
    }
}

/// How much longer pages, and URLs of traces, took because of the filter.
package struct PageTimes: Codable, Sendable {
    /// Added times of those that took longer.
    package var added = LatencyHistogram()
    /// All of them.
    package var pages = 0

    package init() {}

    /// Quantile by nearest rank; zero for a page that took no longer.
    ///
    /// - Parameter rank: In `0...1`.
    package func quantile(_ rank: Double) -> SimulatedDuration? {
        guard pages > 0 else { return nil }
        let place = (rank * Double(pages)).rounded(.up)
        let behind = place - Double(max(pages - added.count, 0))
        guard behind > 0, added.count > 0 else { return .zero }
        return added.quantile(min(behind / Double(added.count), 1))
    }

    package var mean: SimulatedDuration? {
        guard pages > 0 else { return nil }
        return (added.mean ?? .zero) * (Double(added.count) / Double(pages))
    }
}

/// URLs that were allowed without a verdict: of apps that do not let the filter see them, or got no verdict.
package struct NotAskedURLs: Codable, Hashable, Sendable {
    package var count = 0
    /// URLs among these that are on the list. They are among the leaked.
    package var listed = 0
    /// URLs of each of these two counts from apps that asked, and were told `unknown`; `nil` where none is.
    package var unknown: Int?
    package var listedUnknown: Int?
}

/// URL checks by how they ended.
package struct URLCounts: Codable, Hashable, Sendable {
    package var checked = 0
    /// Not a URL that a device can check; the device reports an error in both fail modes.
    package var unparseable = 0
    /// Lookup strings tested against the prefilter.
    package var strings = 0
    /// URLs with at least one hit.
    package var hit = 0
    /// URLs that the block list names, if only by an entry that cannot match.
    package var listed = 0
    package var allowedByPrefilter = 0
    package var allowedByServer = 0
    package var blockedByServer = 0
    package var allowedByPolicy = 0
    package var blockedByPolicy = 0
    /// `nil` for a filter that asks servers.
    package var blockedByDevice: Int?
    /// Verdicts by the server that came from the agent's or the PIR layer's cache.
    package var answeredByCache = 0
    /// Listed, but allowed: by the policy, by a prefilter that is out of date, by an answer that contradicts the
    /// list, or because the entry cannot match.
    package var leaked = 0
    /// Leaked URLs that were allowed because what decided was older than the entry: the prefilter, the database, or a
    /// cached answer.
    package var stale = 0
    /// Leaked URLs that an entry plainly means which cannot match under the device's rules; `nil` for a list without
    /// such entries.
    package var unmatchable: Int?
    /// Checked URLs that the filter did not see, or whose apps were told `unknown`; `nil` where neither can be.
    package var notAsked: NotAskedURLs?
    /// Leaked URLs for which the filter sees or holds only a part of what the list says, as a host instead of a path.
    /// `nil` for a filter that sees and holds all.
    package var leakedByGrain: Int?
    /// Not listed, but blocked.
    package var falselyBlocked = 0
    /// False blocks because what decided was older than the removal of the entry.
    package var staleBlocks = 0
    /// False blocks with the host of an entry; `nil` as for ``leakedByGrain``.
    package var blockedByGrain: Int?
    /// False blocks of URLs of which a part looks like an entry; `nil` for a filter that looks at no parts.
    package var blockedByWildcard: Int?
    /// Still without a verdict when the drain ended.
    package var unfinished = 0
    /// Verdicts by the policy, by what went wrong.
    package var policyCauses: [FailureCause: Int] = [:]
    /// The part of those that was listed and let through, and that was not listed but blocked.
    package var policyLeaks: [FailureCause: Int] = [:]
    package var policyBlocks: [FailureCause: Int] = [:]
}

/// A reason for a page to break.
package enum PageBreak: String, CaseIterable, Codable, CodingKeyRepresentable, Sendable {
    /// Something on it is blocked because it was on the list once.
    case stale
    /// Or with the host of an entry.
    case grain
    /// Or because a part of the URL looks like an entry.
    case wildcard
    /// Or by the policy.
    case policy
    /// The device waits for an answer until it gives up.
    case late
    /// The servers of a mechanism are full.
    case unserved
}

/// Traffic of one endpoint: requests as devices send them, responses as they leave the gateway.
package struct EndpointTraffic: Codable, Hashable, Sendable {
    package var requests = 0
    /// Requests whose answer came back from the gateway.
    package var responses = 0
    package var requestBytes = 0
    package var responseBytes = 0
    package var largestRequest = 0
    package var largestResponse = 0
    package private(set) var requestSizes = SizeTally()
    package private(set) var responseSizes = SizeTally()
    /// Most requests that started within one second of the simulated clock.
    package var peakPerSecond = 0
    package var failures = 0
    /// Requests that ended well; with `failures` and `unfinished` all `requests`.
    package var succeeded = 0
    /// Requests that the device still waited for when the drain ended.
    package var unfinished = 0
    private var second: Int64 = -1
    private var inSecond = 0

    mutating func countRequest(bytes: Int, at time: SimulatedTime) {
        requests += 1
        requestBytes += bytes
        largestRequest = max(largestRequest, bytes)
        requestSizes.count(bytes)
        let now = time.nanoseconds / .seconds(1)
        if now != second {
            second = now
            inSecond = 0
        }
        inSecond += 1
        peakPerSecond = max(peakPerSecond, inSecond)
    }

    mutating func countResponse(bytes: Int) {
        responses += 1
        responseBytes += bytes
        largestResponse = max(largestResponse, bytes)
        responseSizes.count(bytes)
    }
}

/// Counts per interval of the simulated clock, warm-up included.
package struct FleetSeries: Codable, Hashable, Sendable {
    package let interval: SimulatedDuration
    package private(set) var points: [Point] = []

    package struct Point: Codable, Hashable, Sendable {
        package var urls = 0
        package var lookups = 0
        package var failures = 0
        package var leaked = 0
        package var falselyBlocked = 0
        package var brokenPages = 0
        /// Sum of the verdict latencies of lookups decided in this interval, seconds, and their number.
        package var latencySum = 0.0
        package var decided = 0
        /// Requests through the relay that devices began, and of those for tokens.
        package var requests = 0
        package var tokens = 0
    }

    init(interval: SimulatedDuration) {
        precondition(interval.nanoseconds > 0, "the series interval must be positive, got \(interval)")
        self.interval = interval
    }

    /// Adds URL checks that were counted without events.
    mutating func add(_ counts: [Int]) {
        guard !counts.isEmpty else { return }
        let end = SimulatedTime(nanoseconds: Int64(counts.count - 1) * interval.nanoseconds)
        update(at: end) { _ in }
        for (index, count) in counts.enumerated() { points[index].urls += count }
    }

    mutating func update(at time: SimulatedTime, _ change: (inout Point) -> Void) {
        let index = Int(time.nanoseconds / interval.nanoseconds)
        if index >= points.count {
            points.append(contentsOf: repeatElement(Point(), count: index - points.count + 1))
        }
        change(&points[index])
    }
}
