import Decoding

/// The times at which the clients of a trace open pages, and how often they come back.
package struct PeopleStatistics: Sendable {
    /// Time between two page views of one session, in seconds.
    package internal(set) var thinkSeconds = ValueSample()
    package internal(set) var sessionVisits = ValueSample()
    /// Seconds from the first page view of a session to the last.
    package internal(set) var sessionSeconds = ValueSample()
    /// Page views, sessions and different sites of one client on a day with page views.
    package internal(set) var dayVisits = ValueSample()
    package internal(set) var daySessions = ValueSample()
    package internal(set) var daySites = ValueSample()
    /// Different sites of one client.
    package internal(set) var clientSites = ValueSample()
    /// Page views by local hour, and by weekday from Monday.
    package internal(set) var hours = Array(repeating: 0, count: 24)
    package internal(set) var weekdays = Array(repeating: 0, count: 7)
    /// Page views of sites and pages that the same client saw within an hour,
    /// within a day, ever before.
    package internal(set) var siteRevisits = [0, 0, 0]
    package internal(set) var pageRevisits = [0, 0, 0]
    /// Page views that the revisits are counted among.
    package internal(set) var followedVisits = 0
    /// Clients that were followed to the end.
    package internal(set) var followedClients = 0

    package init() {}

    package func siteRevisitShare(_ horizon: Int) -> Double { share(siteRevisits[horizon]) }
    package func pageRevisitShare(_ horizon: Int) -> Double { share(pageRevisits[horizon]) }

    private func share(_ count: Int) -> Double {
        followedVisits > 0 ? Double(count) / Double(followedVisits) : .nan
    }
}

/// Follows clients through a trace: page views, sessions, days and revisits.
struct ClientTracker {
    private let options: DescriptionOptions
    private var clients: [UInt64: Client] = [:]
    /// Places in the memories of all clients.
    private var entryCount = 0
    /// Clients whose hash ends in this many zero bits are followed.
    private var depth: UInt64 = 0
    private var recordsSinceSweep = 0

    private static let maximumEntryCount = 1 << 21
    private static let sweepInterval = 1 << 16
    /// Longest pause inside a page view whose page has a name of its own, or is named by its URL.
    private static let namedPause: Int64 = 1_800_000_000_000
    private static let addressPause: Int64 = 30_000_000_000

    var followedShare: Double { 1 / Double(UInt64(1) << depth) }

    init(_ options: DescriptionOptions) {
        self.options = options
    }

    mutating func add(
        _ record: TraceRecord, _ parts: AddressParts, _ listing: RecordListing?,
        into statistics: inout VisitStatistics
    ) {
        let key = TextHash.of(record.client)
        let isFollowed = key & ((1 << depth) - 1) == 0
        guard isFollowed else { return }
        var client = clients.removeValue(forKey: key) ?? Client()
        let before = client.entryCount
        let page = record.page
        let isAddress = record.pageAddress != nil
        let name = page.map { TextHash.of($0) }
        let pause =
            name == nil
            ? .seconds(options.pageGapSeconds)
            : isAddress ? Self.addressPause : Self.namedPause
        client.closePages(
            before: record.time, pageGap: .seconds(options.pageGapSeconds), &statistics)
        let place = client.pages.lastIndex { open in
            // A request without a page joins the latest view, if it comes at once.
            (name == nil || open.name == name) && record.time - open.last <= pause
                && (name != nil || options.pageGapSeconds > 0)
        }
        if let place {
            if client.pages[place].add(parts, at: record.time) { statistics.thirdPartyHosts.add(parts.host) }
        } else {
            let document = isAddress ? page.map { AddressParts($0) } ?? parts : parts
            var open = OpenPage(name: name, document: document, at: record.time)
            if open.add(parts, at: record.time) { statistics.thirdPartyHosts.add(parts.host) }
            client.pages.append(open)
            statistics.open(document)
            if listing?.document == true { statistics.listedViews += 1 }
            client.visit(document, at: record.time, options, &statistics.people)
        }
        entryCount += client.entryCount - before
        clients[key] = client
        recordsSinceSweep += 1
        if recordsSinceSweep >= Self.sweepInterval { sweep(at: record.time, &statistics) }
        while entryCount > Self.maximumEntryCount, depth < 40 { halve() }
    }

    mutating func finish(into statistics: inout VisitStatistics) {
        for key in clients.keys.sorted() {
            guard var client = clients[key] else { continue }
            client.closePages(before: .max, pageGap: 0, &statistics)
            client.finish(&statistics.people)
        }
        clients.removeAll()
    }

    /// Page views of clients that have gone do not wait for the end.
    private mutating func sweep(at time: Int64, _ statistics: inout VisitStatistics) {
        recordsSinceSweep = 0
        for key in clients.keys.sorted() {
            clients[key]?.closePages(
                before: time, pageGap: .seconds(options.pageGapSeconds), &statistics)
        }
    }

    /// Follows half of the clients from here on.
    private mutating func halve() {
        depth += 1
        let mask: UInt64 = (1 << depth) - 1
        clients = clients.filter { $0.key & mask == 0 }
        entryCount = clients.values.reduce(0) { $0 + $1.entryCount }
    }

    /// History of one client so far.
    private struct Client {
        var pages: [OpenPage] = []
        private var siteTimes: [UInt64: Int64] = [:]
        private var pageTimes: [UInt64: Int64] = [:]
        private var lastVisit: Int64?
        private var sessionStart: Int64 = 0
        private var sessionVisits = 0
        private var day = Int64.min
        private var dayVisits = 0
        private var daySessions = 0
        private var daySites: Set<UInt64> = []

        var entryCount: Int { siteTimes.count + pageTimes.count }

        mutating func closePages(before time: Int64, pageGap: Int64, _ statistics: inout VisitStatistics) {
            pages.removeAll { page in
                let pause = page.name == nil ? pageGap : ClientTracker.namedPause
                let (age, overflow) = time.subtractingReportingOverflow(page.last)
                guard overflow || age > pause || time == .max else { return false }
                statistics.views.add(page.finished)
                return true
            }
        }

        mutating func visit(
            _ document: AddressParts, at time: Int64, _ options: DescriptionOptions,
            _ people: inout PeopleStatistics
        ) {
            let local = time + .seconds(options.zoneOffsetSeconds)
            let today = BrowsingHabits.day(of: local)
            let hour = (local - today * BrowsingHabits.nanosecondsPerDay) / BrowsingHabits.nanosecondsPerHour
            people.hours[Int(hour)] += 1
            people.weekdays[BrowsingHabits.weekday(since1970: today)] += 1
            if today != day {
                closeDay(&people)
                day = today
            }
            let gap = lastVisit.map { Double(nanoseconds: time - $0) }
            if let gap, gap <= options.sessionCutSeconds {
                people.thinkSeconds.add(gap)
            } else {
                closeSession(&people)
                sessionStart = time
                daySessions += 1
            }
            sessionVisits += 1
            dayVisits += 1
            daySites.insert(document.host)
            lastVisit = time
            people.followedVisits += 1
            Self.count(since: siteTimes.updateValue(time, forKey: document.host), time, &people.siteRevisits)
            Self.count(since: pageTimes.updateValue(time, forKey: document.url), time, &people.pageRevisits)
        }

        mutating func finish(_ people: inout PeopleStatistics) {
            closeSession(&people)
            closeDay(&people)
            people.clientSites.add(Double(siteTimes.count))
            people.followedClients += 1
        }

        private static func count(since last: Int64?, _ time: Int64, _ counts: inout [Int]) {
            guard let last else { return }
            if time - last <= BrowsingHabits.nanosecondsPerHour { counts[0] += 1 }
            if time - last <= BrowsingHabits.nanosecondsPerDay { counts[1] += 1 }
            counts[2] += 1
        }

        private mutating func closeSession(_ people: inout PeopleStatistics) {
            guard sessionVisits > 0, let lastVisit else { return }
            people.sessionVisits.add(Double(sessionVisits))
            people.sessionSeconds.add(Double(nanoseconds: lastVisit - sessionStart))
            sessionVisits = 0
        }

        private mutating func closeDay(_ people: inout PeopleStatistics) {
            guard dayVisits > 0 else { return }
            people.dayVisits.add(Double(dayVisits))
            people.daySessions.add(Double(daySessions))
            people.daySites.add(Double(daySites.count))
            dayVisits = 0
            daySessions = 0
            daySites.removeAll(keepingCapacity: true)
        }
    }
}
