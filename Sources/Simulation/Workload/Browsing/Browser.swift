import Decoding
package import RandomStreams

/// One page that a person opens.
package struct Visit: Hashable, Sendable {
    /// Why the person opens this page.
    package enum Reason: Sendable {
        /// A page seen in the last hour, once more.
        case samePage
        /// Another page of a site seen in the last hour.
        case sameSite
        /// A site not seen in the last hour.
        case otherSite
        /// A page that an entry of the block list names.
        case listed
    }

    /// Local time in nanoseconds since midnight of day 0.
    package let time: Int64
    package let site: SiteNumber
    /// Number of the page, in `0..<web.pageCount(of: site)`.
    package let page: Int
    package let reason: Reason

    package var isListed: Bool { site.isListed }
}

/// The browsing of one device: which page it opens next, and when.
///
/// All times are local, in nanoseconds since local midnight of day 0:
/// ``BrowsingHabits/localTime(universal:)`` and
/// ``BrowsingHabits/universalTime(local:)`` convert. The state takes 96 bytes;
/// profile and web are shared by all devices.
///
///     var browser = Browser(using: &stream)
///     var now = habits.localTime(universal: 0)
///     while let visit = browser.nextVisit(after: now, habits: habits, web: web, stream: &stream) {
///         now = visit.time
///     }
///
/// A day starts with a draw of how active it is. Its sessions start by the
/// hours of the profile, one after the other; visits within a session follow
/// the think times. A visit to a listed page takes the place of an ordinary one
/// and is not gone on from: a blocked page offers nothing (assumption).
package struct Browser: Sendable {
    /// The sites of the last hour, latest first: number, last page and minute.
    package typealias History = InlineArray<8, UInt64>

    /// State of a browser that is kept between two visits, besides the sites of the last hour. 32 bytes.
    package struct Rest: Sendable {
        fileprivate let favouriteSeed: UInt64
        fileprivate var lastVisit = Int64.min
        fileprivate var pace: Float = 1
        fileprivate var day = Int32.min
        /// Visits of the day beyond the current session.
        fileprivate var visitsLeft: UInt16 = 0
        fileprivate var sessionVisitsLeft: UInt16 = 0
        fileprivate var sessionsLeft: UInt8 = 0
        fileprivate var historyCount: UInt8 = 0

        /// Tells this person from others.
        var person: UInt64 { favouriteSeed }

        /// Whether a visit at this time would still know the sites before it.
        package func remembersSites(at time: Int64) -> Bool {
            historyCount > 0 && time - lastVisit <= BrowsingHabits.nanosecondsPerHour
        }
    }

    package private(set) var rest: Rest
    package private(set) var history: History

    /// Cumulative shares of the place that a revisited site has among the
    /// latest sites: 80 % of the revisits stay on the current one. Measured on
    /// the panel behind article "Workload", section "One person".
    private static let recency: InlineArray<8, Double> = [
        0.816, 0.900, 0.930, 0.948, 0.961, 0.971, 0.981, 1,
    ]
    private static let favouritePurpose = StreamPurpose("browsing favourite site")
    private static let listedPurpose = StreamPurpose("browsing listed site")
    private static let maximumIdleDays = 20_000
    private static let minutesOfHistory: UInt16 = 60

    /// Draws what tells this person from others: the favourite sites.
    package init(using stream: inout RandomStream) {
        rest = Rest(favouriteSeed: stream.next())
        history = History(repeating: 0)
    }

    /// A browser that was put away.
    ///
    /// - Parameter history: `nil` if ``Rest/remembersSites(at:)`` said no for the next visit.
    package init(_ rest: Rest, history: History?) {
        self.rest = rest
        self.history = history ?? History(repeating: 0)
        if history == nil { self.rest.historyCount = 0 }
    }

    /// The next page this device opens, later than `now`.
    ///
    /// - Parameters:
    ///   - now: Local time; 0 or the time of the visit before. Passing a later
    ///     time means that the device was not used until then.
    ///   - stream: Belongs to this device alone.
    /// - Returns: `nil` if the device is not used for 20,000 days in a row.
    package mutating func nextVisit(
        after now: Int64, habits: BrowsingHabits, web: SyntheticWeb, stream: inout RandomStream
    ) -> Visit? {
        guard let time = nextVisitTime(after: now, habits: habits, stream: &stream) else { return nil }
        return open(at: time, habits: habits, web: web, stream: &stream)
    }

    /// The first half of ``nextVisit(after:habits:web:stream:)``: only when. ``open(at:habits:web:stream:)`` must
    /// follow before the next call.
    package mutating func nextVisitTime(
        after now: Int64, habits: BrowsingHabits, stream: inout RandomStream
    ) -> Int64? {
        var last = now
        if rest.day == .min {
            // The day so far is gone through without its pages, so that a person
            // met in the middle of a session goes on with it.
            let today = BrowsingHabits.day(of: now)
            last = today * BrowsingHabits.nanosecondsPerDay - 1
            planDay(today, habits: habits, stream: &stream)
        }
        while let time = nextTime(after: last, habits: habits, stream: &stream) {
            if time > now { return time }
            last = time
        }
        return nil
    }

    /// The second half: which page.
    package mutating func open(
        at time: Int64, habits: BrowsingHabits, web: SyntheticWeb, stream: inout RandomStream
    ) -> Visit {
        let visit = visit(at: time, habits: habits, web: web, stream: &stream)
        return listedVisit(insteadOf: visit, web: web, chance: stream.uniform()) ?? visit
    }

    private mutating func nextTime(
        after last: Int64, habits: BrowsingHabits, stream: inout RandomStream
    ) -> Int64? {
        if rest.sessionVisitsLeft > 0 {
            let seconds = BrowsingHabits.gap(habits.profile, using: &stream) * Double(rest.pace)
            let time = last + max(1, .seconds(seconds))
            if habits.isOpen(time) {
                rest.sessionVisitsLeft -= 1
                return time
            }
            rest.sessionVisitsLeft = 0
        }
        return startSession(after: last, habits: habits, stream: &stream)
    }

    private mutating func startSession(
        after last: Int64, habits: BrowsingHabits, stream: inout RandomStream
    ) -> Int64? {
        let isBeforeToday = last < Int64(rest.day) * BrowsingHabits.nanosecondsPerDay
        let earliest = isBeforeToday ? last + 1 : last + .seconds(habits.profile.thinkCutSeconds)
        for _ in 0..<Self.maximumIdleDays {
            if rest.sessionsLeft > 0 {
                let midnight = Int64(rest.day) * BrowsingHabits.nanosecondsPerDay
                let start = habits.dayShape.nextStart(
                    after: earliest - midnight, remaining: Int(rest.sessionsLeft), using: &stream)
                if let start {
                    let size = BrowsingHabits.split(
                        visits: Int(rest.visitsLeft), sessions: Int(rest.sessionsLeft), using: &stream)
                    rest.visitsLeft -= UInt16(size)
                    rest.sessionVisitsLeft = UInt16(size - 1)
                    rest.sessionsLeft -= 1
                    return midnight + start
                }
            }
            let next = max(Int64(rest.day) + 1, BrowsingHabits.day(of: earliest))
            guard next < Int64(Int32.max) else { return nil }
            planDay(next, habits: habits, stream: &stream)
        }
        return nil
    }

    /// Decides how active a day is.
    private mutating func planDay(_ day: Int64, habits: BrowsingHabits, stream: inout RandomStream) {
        rest.day = Int32(truncatingIfNeeded: day)
        rest.sessionsLeft = 0
        rest.visitsLeft = 0
        let visits = habits.drawVisits(ofDay: day, person: rest.person, using: &stream)
        guard visits > 0 else { return }
        rest.visitsLeft = UInt16(visits)
        rest.sessionsLeft = UInt8(BrowsingHabits.sessions(habits.profile, visits: visits, using: &stream))
        rest.pace = Float(habits.pace(visits: visits))
    }

    private mutating func visit(
        at time: Int64, habits: BrowsingHabits, web: SyntheticWeb, stream: inout RandomStream
    ) -> Visit {
        let minute = UInt16(truncatingIfNeeded: time / .minutes(1))
        forget(at: time, minute: minute)
        rest.lastVisit = time
        let profile = habits.profile
        let choice = stream.uniform()
        guard rest.historyCount > 0, choice < profile.siteRevisitShare else {
            let site = otherSite(profile, web: web, stream: &stream)
            let page = web.choosePage(of: site, using: &stream)
            remember(site, page: page, minute: minute, slot: Int(rest.historyCount))
            return Visit(time: time, site: site, page: page, reason: .otherSite)
        }
        let slot = recentSlot(stream.uniform())
        let site = SiteNumber(rawValue: UInt32(truncatingIfNeeded: history[slot] >> 32))
        var page = Int(history[slot] >> 16 & 0xFFFF)
        var reason = Visit.Reason.samePage
        if choice >= profile.pageRevisitShare {
            let last = page
            var tries = 0
            repeat {
                page = web.choosePage(of: site, using: &stream)
                tries += 1
            } while page == last && tries < 3
            reason = .sameSite
        }
        remember(site, page: page, minute: minute, slot: slot)
        return Visit(time: time, site: site, page: page, reason: reason)
    }

    /// A visit to an entry in the place of an ordinary one, which stays in the
    /// history. Its draws come from a stream of their own, so that runs with
    /// other lists and shares have the same visits otherwise.
    private func listedVisit(insteadOf visit: Visit, web: SyntheticWeb, chance: Double) -> Visit? {
        guard chance < web.listedVisitShare else { return nil }
        var stream = RandomStream(
            seed: rest.favouriteSeed, replication: 0, entity: 0, purpose: Self.listedPurpose,
            position: UInt64(bitPattern: visit.time))
        guard let site = web.chooseListedSite(using: &stream) else { return nil }
        return Visit(
            time: visit.time, site: site, page: web.choosePage(of: site, using: &stream), reason: .listed)
    }

    private func recentSlot(_ u: Double) -> Int {
        var slot = 0
        while slot < Int(rest.historyCount) - 1, u >= Self.recency[slot] { slot += 1 }
        return slot
    }

    /// A site that is not in the history, if a few draws find one.
    private func otherSite(
        _ profile: BrowsingProfile, web: SyntheticWeb, stream: inout RandomStream
    ) -> SiteNumber {
        var site = SiteNumber.ranked(0)
        for _ in 0..<8 {
            site =
                stream.uniform() < profile.favouriteShare
                ? favourite(stream.index(below: profile.favouriteCount), web: web)
                : web.chooseSite(using: &stream)
            if !(0..<Int(rest.historyCount)).contains(where: { history[$0] >> 32 == UInt64(site.rawValue) }) {
                return site
            }
        }
        return site
    }

    private func favourite(_ number: Int, web: SyntheticWeb) -> SiteNumber {
        var stream = RandomStream(
            seed: rest.favouriteSeed, replication: 0, entity: UInt32(number), purpose: Self.favouritePurpose)
        return web.chooseSite(using: &stream)
    }

    private mutating func forget(at time: Int64, minute: UInt16) {
        // Minutes wrap after 45 days; by then the last visit is long past.
        if rest.lastVisit == .min || time - rest.lastVisit > BrowsingHabits.nanosecondsPerHour {
            rest.historyCount = 0
        }
        while rest.historyCount > 0,
            minute &- UInt16(truncatingIfNeeded: history[Int(rest.historyCount) - 1]) >= Self.minutesOfHistory
        {
            rest.historyCount -= 1
        }
    }

    /// Moves a site to the front; the slot after the last one is a new site.
    private mutating func remember(_ site: SiteNumber, page: Int, minute: UInt16, slot: Int) {
        var place = min(slot, 7)
        while place > 0 {
            history[place] = history[place - 1]
            place -= 1
        }
        history[0] = UInt64(site.rawValue) << 32 | UInt64(page) << 16 | UInt64(minute)
        if slot == Int(rest.historyCount), rest.historyCount < 8 { rest.historyCount += 1 }
    }
}
