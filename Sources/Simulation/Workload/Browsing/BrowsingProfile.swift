package import RandomStreams

/// How a person browses. Times of day are local times.
///
/// Not a whole population: give groups of devices their own profiles. The
/// presets are ``adult``, ``light``, ``schoolDay`` and ``office``; ``sources`` lists every
/// value with its origin (sections are those of article "Workload").
package struct BrowsingProfile: Hashable, Sendable {
    /// The word by which a scenario picks the profile.
    package var name: String
    /// Page visits on one active day. Each device draws a number once per day.
    /// Default log-normal with median 168 and 95th percentile 960 (section "Suggested defaults").
    package var visitsPerActiveDay: Distribution
    /// Share of the variance of the logarithm of ``visitsPerActiveDay`` that belongs to the person, the rest to the
    /// day; for a list of values, of their normal scores. In `0...1`. Default 0: a heavy user of one day is anybody on
    /// the next.
    package var visitPersistence = 0.0
    /// Cap on the visits of one day. In `1...60_000`. Assumption: just above
    /// the largest day of the panel, 1,660 (section "One person").
    package var maximumVisitsPerDay = 2_000
    /// Mean number of sessions on an active day: one, and a Poisson number more.
    /// In `1...50`. Default 3 (section "Suggested defaults").
    package var sessionsPerActiveDay = 3.0
    /// Time between two visits of a session, in seconds. Default log-normal
    /// with mu 2.71 and sigma 1.53 (section "Suggested defaults").
    package var thinkSeconds = Distribution.lognormal(mu: 2.71, sigma: 1.53)
    /// Longest time between two visits of a session, and shortest between two
    /// sessions, in seconds. Default 1,800 (section "Suggested defaults").
    package var thinkCutSeconds = 1_800.0
    /// Probability that the device is used at all on a day with visits. Above 0.
    package var activeDayShare: Double
    /// Shares of visits by hour of the local day, 24 weights. No visit falls
    /// into an hour of weight 0.
    package var hourWeights: [Double]
    /// Shares of visits by weekday from Monday, 7 weights. On a day of weight 0
    /// the device is not used.
    package var weekdayWeights: [Double]
    /// Local time minus universal time, in seconds. In -50,400...50,400.
    package var timeZoneOffsetSeconds = 0
    /// Weekday of day 0 of the simulation; 0 is Monday.
    package var weekdayOfDayZero = 0
    /// Weeks of a year that are as ``weekdayWeights`` say; in the others, holidays, the device is used that much of it.
    /// A simulated day is one of these weeks.
    package var termWeeks = Self.weeksOfYear
    package var holidayShare = 0.0
    package static let weeksOfYear = 52.0

    /// Visits of the mean week of a year over those of a week of term.
    package var yearShare: Double {
        (termWeeks + (Self.weeksOfYear - termWeeks) * holidayShare) / Self.weeksOfYear
    }

    /// Share of visits to a site seen in the last hour: 88 % (section "Suggested defaults").
    package var siteRevisitShare = 0.88
    /// Share of visits to a page seen in the last hour: 44 % (section "Suggested defaults").
    /// Part of ``siteRevisitShare``.
    package var pageRevisitShare = 0.44
    /// Share of the other visits that go to one of the person's favourite
    /// sites. Fitted to the revisits after a day and ever (section "One person").
    package var favouriteShare = 0.7
    /// Favourite sites of a person, drawn from the popularity of sites. In `1...1_000`. Assumption.
    package var favouriteCount = 25

    package init(
        name: String, visitsPerActiveDay: Distribution, activeDayShare: Double, hourWeights: [Double],
        weekdayWeights: [Double]
    ) {
        self.name = name
        self.visitsPerActiveDay = visitsPerActiveDay
        self.activeDayShare = activeDayShare
        self.hourWeights = hourWeights
        self.weekdayWeights = weekdayWeights
    }

    /// Checks every value; the message names it by the word of the scenario file.
    package func validate() throws(BrowsingError) {
        try BrowsingCheck.distribution("visitsPerActiveDay", visitsPerActiveDay)
        try BrowsingCheck.share("visitPersistence", visitPersistence)
        try BrowsingCheck.count("maximumVisitsPerDay", maximumVisitsPerDay, 1...60_000)
        try BrowsingCheck.range("sessionsPerActiveDay", sessionsPerActiveDay, 1...50)
        try BrowsingCheck.distribution("thinkSeconds", thinkSeconds)
        try BrowsingCheck.range("thinkCutSeconds", thinkCutSeconds, 1...86_400)
        // Values above the cut are drawn again, which must not go on forever.
        let usable = thinkSeconds.cumulative(thinkCutSeconds) - thinkSeconds.cumulative(0)
        guard usable >= 0.5 else {
            throw .outOfRange(
                setting: "thinkCutSeconds", value: thinkCutSeconds,
                allowed: "above the median of thinkSeconds, which must be positive")
        }
        try BrowsingCheck.range("activeDayShare", activeDayShare, 0.001...1)
        try BrowsingCheck.weights("hourWeights", hourWeights, count: 24)
        try BrowsingCheck.weights("weekdayWeights", weekdayWeights, count: 7)
        try BrowsingCheck.count("timeZoneOffsetSeconds", timeZoneOffsetSeconds, -50_400...50_400)
        try BrowsingCheck.count("weekdayOfDayZero", weekdayOfDayZero, 0...6)
        try BrowsingCheck.range("termWeeks", termWeeks, 0...Self.weeksOfYear)
        try BrowsingCheck.share("holidayShare", holidayShare)
        try BrowsingCheck.share("siteRevisitShare", siteRevisitShare)
        try BrowsingCheck.share("pageRevisitShare", pageRevisitShare)
        guard pageRevisitShare <= siteRevisitShare else {
            throw .outOfRange(
                setting: "pageRevisitShare", value: pageRevisitShare,
                allowed: "at most siteRevisitShare, \(siteRevisitShare)")
        }
        try BrowsingCheck.share("favouriteShare", favouriteShare)
        try BrowsingCheck.count("favouriteCount", favouriteCount, 1...1_000)
    }
}
