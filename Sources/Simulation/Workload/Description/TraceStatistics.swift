import Decoding

/// How a trace is divided into page views, sessions and days.
package struct DescriptionOptions: Hashable, Sendable {
    /// Longest pause between two requests of one client that belong to one page
    /// view, in seconds, when the trace names no page. 0: every request is a page view.
    package var pageGapSeconds = 1.0
    /// Longest time between two visits of one session, in seconds; as ``BrowsingProfile/thinkCutSeconds``.
    package var sessionCutSeconds = 1_800.0
    /// Local time minus universal time, in seconds.
    package var zoneOffsetSeconds = 0

    package init() {}
}

/// A trace in numbers: what people open, when, and what their pages load.
///
/// One pass, bounded memory: samples, counters that forget the rare, and the
/// history of clients for as many as fit (of more, a share chosen by hash).
///
///     var statistics = TraceStatistics(DescriptionOptions())
///     while let record = try reader.next() { statistics.add(record, lookupStrings: nil) }
///     statistics.finish()
///
/// Records must come in order of time, as ``TraceReader`` gives them.
package struct TraceStatistics: Sendable {
    package let options: DescriptionOptions
    package internal(set) var summary = TraceSummary()

    // Requests.
    package internal(set) var length = ValueSample()
    /// Without those of front pages, whose length is that of their host.
    package internal(set) var addressLength = ValueSample()
    package internal(set) var pathLength = ValueSample()
    package internal(set) var queryLength = ValueSample()
    package internal(set) var lookupStrings = ValueSample()
    /// Time between two requests of the whole trace, in seconds.
    package internal(set) var interArrival = ValueSample()
    /// Requests with 1, 2, 3, … slashes in their path, front pages left out; the last counts all deeper ones.
    package internal(set) var pathDepths = Array(repeating: 0, count: 12)
    package internal(set) var frontCount = 0
    package internal(set) var hosts = KeyCounts()
    package internal(set) var urls = KeyCounts()
    /// Requests that a block list names; empty unless the caller knows one.
    package internal(set) var listed = ListedCounts()
    /// Requests that name their page.
    package internal(set) var pagedCount = 0
    /// Page views and the people who opened them.
    package internal(set) var visits = VisitStatistics()

    package var views: ViewSample { visits.views }
    package var people: PeopleStatistics { visits.people }

    private var tracker: ClientTracker
    private var lastTime: Int64?

    package init(_ options: DescriptionOptions) {
        self.options = options
        tracker = ClientTracker(options)
    }

    /// - Parameters:
    ///   - strings: Lookup strings of the URL, if they were counted.
    ///   - listing: What a block list names of it; `nil` for no list.
    package mutating func add(
        _ record: TraceRecord, lookupStrings strings: Int?, listing: RecordListing? = nil
    ) {
        summary.add(record)
        if let lastTime { interArrival.add(max(0, Double(nanoseconds: record.time - lastTime))) }
        lastTime = record.time
        let parts = AddressParts(record.url)
        length.add(Double(parts.length))
        if parts.isFront {
            frontCount += 1
        } else {
            addressLength.add(Double(parts.addressLength))
            pathLength.add(Double(parts.pathLength))
            pathDepths[min(parts.pathDepth, pathDepths.count) - 1] += 1
        }
        if parts.queryLength > 0 { queryLength.add(Double(parts.queryLength)) }
        if let strings { lookupStrings.add(Double(strings)) }
        if record.page != nil { pagedCount += 1 }
        hosts.add(parts.host)
        urls.add(parts.url)
        if listing?.request == true { listed.add(parts) }
        tracker.add(record, parts, listing, into: &visits)
    }

    /// Ends the page views and sessions that are open. Has to come last.
    package mutating func finish() { tracker.finish(into: &visits) }

    /// Share of the clients whose history was followed: 1 unless there were too many.
    package var followedShare: Double { tracker.followedShare }

    /// Times that start near 1970 count from an unknown beginning.
    package var hasClockTimes: Bool {
        (summary.times?.lowerBound ?? 0) >= 365 * BrowsingHabits.nanosecondsPerDay
    }

    /// Whether people can be told: most clients come back often enough to have habits.
    package var hasPeople: Bool {
        hasClockTimes && people.thinkSeconds.count >= 50 && views.count >= 2 * summary.clients.count
    }
}

/// Whether a block list names a request, and the document of the page that it is the first of.
package struct RecordListing: Hashable, Sendable {
    package var request: Bool
    package var document: Bool

    /// - Parameter isListed: Of a URL.
    package init(_ record: TraceRecord, isListed: (String) -> Bool) {
        request = isListed(record.url)
        document = record.pageAddress.map(isListed) ?? request
    }
}

extension TraceRecord {
    /// The page, if the trace names it by its URL.
    var pageAddress: String? { page.flatMap { $0.contains("://") ? $0 : nil } }
}

/// Requests of a trace that a block list names, with their hosts and URLs.
package struct ListedCounts: Sendable {
    package private(set) var requests = 0
    package private(set) var hosts = KeyCounts()
    package private(set) var urls = KeyCounts()

    mutating func add(_ parts: AddressParts) {
        requests += 1
        hosts.add(parts.host)
        urls.add(parts.url)
    }
}

/// Statistics that are known once requests are put together to page views.
package struct VisitStatistics: Sendable {
    package internal(set) var views = ViewSample()
    /// Page views by site and by URL of the page.
    package internal(set) var sites = KeyCounts()
    package internal(set) var pages = KeyCounts()
    /// Page views that open the front page of a site.
    package internal(set) var frontViews = 0
    /// Page views whose document a block list names.
    package internal(set) var listedViews = 0
    /// Requests to other registrable domains than that of their page.
    package internal(set) var thirdPartyHosts = KeyCounts()
    package internal(set) var people = PeopleStatistics()

    package init() {}

    mutating func open(_ document: AddressParts) {
        sites.add(document.host)
        pages.add(document.url)
        if document.isFront { frontViews += 1 }
    }
}

/// A uniform sample of page views; see ``ValueSample``.
package struct ViewSample: Sendable {
    package private(set) var sample: [PageView] = []
    package private(set) var count = 0
    package private(set) var requests = ValueSample()
    package private(set) var hosts = ValueSample()
    package private(set) var seconds = ValueSample()
    package private(set) var thirdPartyShare = ValueSample()
    /// Different URLs over requests.
    package private(set) var distinctShare = ValueSample()

    package init() {}

    mutating func add(_ view: PageView) {
        count += 1
        let total = Double(max(view.requests, 1))
        requests.add(Double(view.requests))
        hosts.add(Double(view.hosts))
        thirdPartyShare.add(Double(view.thirdParty) / total)
        distinctShare.add(Double(view.urls) / total)
        if view.requests > 1 { seconds.add(view.seconds) }
        // Correlations need the figures of one page together; the first views are sample enough.
        if sample.count < ValueSample.limit { sample.append(view) }
    }
}
