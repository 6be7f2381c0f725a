import Experiment
import Statistics
import Workload

/// The figures by which a trace and its synthetic twin are compared.
package struct TraceFigures: Sendable {
    /// A single number of a trace.
    package enum Name: String, CaseIterable, Codable, Sendable {
        case requestsPerPageMean, requestsPerPageP50, requestsPerPageP90
        case hostsPerPageMean, hostsPerPageP50, hostsPerPageP90
        case thirdPartyShare, distinctShareInPage
        case siteExponent, siteTop10Share, pageExponent, hostExponent
        case sites, pages, hosts, urls
        case siteRevisitsHour, siteRevisitsEver, pageRevisitsHour, pageRevisitsEver
        case urlLengthMean, urlLengthP50, urlLengthP90, queryShare, frontPageShare, lookupStringsMean
        case hours, weekdays
        case thinkP50, thinkP90, visitsPerSession, sessionsPerDay, visitsPerDayMean, visitsPerDayP50
        case activeDayShare
    }

    /// Quantities whose whole distribution is fitted.
    enum Curve: CaseIterable {
        case requestsPerPage, hostsPerPage, thirdPartyShare, loadSeconds, addressLength, queryLength
    }

    /// Probabilities of the knots of a curve.
    static let probabilities = [0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.85, 0.9, 0.95, 0.98, 0.99]

    /// A figure that the trace does not tell is absent.
    package private(set) var values: [Name: Double] = [:]
    private(set) var curves: [Curve: [Double]] = [:]
    /// Shares of the page views; they sum to 1.
    private(set) var hours: [Double] = []
    private(set) var weekdays: [Double] = []

    package subscript(_ name: Name) -> Double? { values[name] }

    /// Share of the page views whose page was seen before: by the same client, or
    /// in a collection of page loads by anybody.
    private(set) var pageReturns: Double?

    /// - Parameters:
    ///   - dayCount: Days from the first to the last one.
    ///   - clientCount: Clients of the population.
    ///   - reference: The figures of the trace that these are compared with; ranks are cut as there.
    init(
        _ statistics: TraceStatistics, dayCount: Int, clientCount: Int, cuts: PopularityCuts, isPeople: Bool
    ) {
        let views = statistics.views
        let requests = Double(max(statistics.summary.recordCount, 1))
        set(.requestsPerPageMean, views.requests.mean)
        set(.requestsPerPageP50, views.requests.quantile(0.5))
        set(.requestsPerPageP90, views.requests.quantile(0.9))
        set(.hostsPerPageMean, views.hosts.mean)
        set(.hostsPerPageP50, views.hosts.quantile(0.5))
        set(.hostsPerPageP90, views.hosts.quantile(0.9))
        set(.thirdPartyShare, Double(statistics.visits.thirdPartyHosts.total) / requests)
        set(.distinctShareInPage, views.distinctShare.mean)
        set(.siteExponent, cuts.sites.flatMap { Self.exponent(statistics.visits.sites, leastCount: $0) })
        set(.siteTop10Share, statistics.visits.sites.shareOfLargest(10))
        set(.pageExponent, cuts.pages.flatMap { Self.exponent(statistics.visits.pages, leastCount: $0) })
        set(.hostExponent, cuts.hosts.flatMap { Self.exponent(statistics.hosts, leastCount: $0) })
        if cuts.hasCounts {
            set(.sites, Double(statistics.visits.sites.distinctCount))
            set(.pages, Double(statistics.visits.pages.distinctCount))
            set(.hosts, Double(statistics.hosts.distinctCount))
            set(.urls, Double(statistics.urls.distinctCount))
        }
        setURLs(statistics, requests: requests)
        curves = [
            .requestsPerPage: views.requests.quantiles(Self.probabilities),
            .hostsPerPage: views.hosts.quantiles(Self.probabilities),
            .thirdPartyShare: views.thirdPartyShare.quantiles(Self.probabilities),
            .loadSeconds: views.seconds.quantiles(Self.probabilities),
            .addressLength: statistics.addressLength.quantiles(Self.probabilities),
            .queryLength: statistics.queryLength.quantiles(Self.probabilities),
        ]
        guard isPeople else {
            pageReturns = 1 - Double(statistics.visits.pages.distinctCount) / Double(max(views.count, 1))
            return
        }
        pageReturns = statistics.people.pageRevisitShare(2)
        let people = statistics.people
        setPeople(people, days: clientCount * dayCount)
        hours = Self.shares(people.hours)
        weekdays = Self.shares(people.weekdays)
    }

    private mutating func set(_ name: Name, _ value: Double?) {
        if let value, value.isFinite { values[name] = value }
    }

    private mutating func setURLs(_ statistics: TraceStatistics, requests: Double) {
        set(.urlLengthMean, statistics.length.mean)
        set(.urlLengthP50, statistics.length.quantile(0.5))
        set(.urlLengthP90, statistics.length.quantile(0.9))
        set(.queryShare, Double(statistics.queryLength.count) / requests)
        set(
            .frontPageShare,
            Double(statistics.visits.frontViews) / Double(max(statistics.visits.sites.total, 1)))
        set(.lookupStringsMean, statistics.lookupStrings.mean)
    }

    /// - Parameter days: Days of all clients together.
    private mutating func setPeople(_ people: PeopleStatistics, days: Int) {
        set(.siteRevisitsHour, people.siteRevisitShare(0))
        set(.siteRevisitsEver, people.siteRevisitShare(2))
        set(.pageRevisitsHour, people.pageRevisitShare(0))
        set(.pageRevisitsEver, people.pageRevisitShare(2))
        set(.thinkP50, people.thinkSeconds.quantile(0.5))
        set(.thinkP90, people.thinkSeconds.quantile(0.9))
        set(.visitsPerSession, people.sessionVisits.mean)
        set(.sessionsPerDay, people.daySessions.mean)
        set(.visitsPerDayMean, people.dayVisits.mean)
        set(.visitsPerDayP50, people.dayVisits.quantile(0.5))
        set(.activeDayShare, Double(people.dayVisits.count) / Double(max(days, 1)))
    }

    /// The mean of the figures of several traces; what one of them lacks is left out of its mean.
    init(meanOf figures: [TraceFigures]) {
        for name in Name.allCases {
            if let mean = figures.compactMap({ $0[name] }).mean { values[name] = mean }
        }
        func mean(_ lists: [[Double]]) -> [Double] {
            guard let count = lists.first?.count else { return [] }
            return (0..<count).map { place in
                lists.map { $0[place] }.filter(\.isFinite).mean ?? .nan
            }
        }
        for curve in Curve.allCases { curves[curve] = mean(figures.compactMap { $0.curves[curve] }) }
        pageReturns = figures.compactMap(\.pageReturns).mean
        hours = mean(figures.map(\.hours))
        weekdays = mean(figures.map(\.weekdays))
    }

    /// Share of the page views that would have to move to make two shapes equal.
    static func distance(_ first: [Double], _ second: [Double]) -> Double {
        zip(first, second).reduce(0) { $0 + abs($1.0 - $1.1) } / 2
    }

    private static func shares(_ counts: [Int]) -> [Double] {
        let total = Double(max(counts.reduce(0, +), 1))
        return counts.map { Double($0) / total }
    }

    private static func exponent(_ counts: KeyCounts, leastCount: Int) -> Double? {
        ZipfFit(sortingCounts: Array(counts.counts.values), leastCount: leastCount)?.exponent
    }
}

/// Numbers of occurrences from which on a thing has a rank that can be trusted: the same for a trace and its twins.
struct PopularityCuts: Sendable {
    let sites: Int?
    let pages: Int?
    let hosts: Int?
    /// Whether numbers of different things can be compared: not between populations of different size.
    var hasCounts = true

    /// At least this many ranks are fitted.
    private static let minimumRanks = 5

    init(_ statistics: TraceStatistics) {
        sites = Self.cut(statistics.visits.sites)
        pages = Self.cut(statistics.visits.pages)
        hosts = Self.cut(statistics.hosts)
    }

    /// The largest cut that leaves enough ranks; `nil` if none does.
    static func cut(_ counts: KeyCounts) -> Int? {
        let sorted = counts.sortedCounts
        return [50, 20, 10, 5, 3].first { cut in
            sorted.count >= minimumRanks && sorted[minimumRanks - 1] >= cut
                && sorted[0] > sorted[minimumRanks - 1]
        }
    }
}
