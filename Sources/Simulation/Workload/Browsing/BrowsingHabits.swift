import Decoding
import Foundation
import RandomStreams

/// A checked ``BrowsingProfile`` with the tables that visits are drawn from.
///
/// Made once per profile and shared by all devices that have it.
package struct BrowsingHabits: Sendable {
    package let profile: BrowsingProfile
    /// The times at which sessions start.
    let dayShape: DayShape
    /// Visits of each weekday from Monday as a multiple of the mean day that has visits.
    private let weekdayFactors: [Double]
    /// Bit h: visits may fall into hour h.
    private let openHours: UInt32
    /// Visits that fill a day; see ``pace(visits:)``.
    private let fullDayVisits: Double
    /// Between two visits of a session at the usual pace, seconds.
    let meanGap: Double

    static let nanosecondsPerDay: Int64 = .days(1)
    static let nanosecondsPerHour: Int64 = .hours(1)
    /// Share of the day that a very active person fills at the usual pace.
    /// Without a limit the visits of the most active days would not fit into
    /// their day. Assumption.
    private static let fullDay = 0.6

    package init(_ profile: BrowsingProfile) throws(BrowsingError) {
        try profile.validate()
        self.profile = profile
        openHours = profile.hourWeights.enumerated().reduce(0) {
            $1.element > 0 ? $0 | 1 << UInt32($1.offset) : $0
        }
        let usedDays = profile.weekdayWeights.count { $0 > 0 }
        let meanWeight = profile.weekdayWeights.reduce(0, +) / Double(usedDays)
        weekdayFactors = profile.weekdayWeights.map { $0 / meanWeight }
        var stream = RandomStream(
            seed: 0, replication: 0, entity: 0, purpose: StreamPurpose("browsing mean gap"))
        let gaps = (0..<4_096).map { _ in Self.gap(profile, using: &stream) }
        let meanGap = gaps.reduce(0, +) / Double(gaps.count)
        let fullDayVisits = Self.fullDay * Self.openHours(profile.hourWeights) * 3_600 / meanGap
        self.fullDayVisits = fullDayVisits
        self.meanGap = meanGap
        dayShape = DayShape(for: profile, meanGap: meanGap) { min(1, fullDayVisits / Double($0)) }
    }

    /// Hours of a day as wide as the given one and evenly used: the exponential
    /// of the entropy of its shape.
    private static func openHours(_ weights: [Double]) -> Double {
        let total = weights.reduce(0, +)
        return exp(weights.filter { $0 > 0 }.reduce(0) { $0 - $1 / total * log($1 / total) })
    }

    /// Local time of an instant of universal time, both in nanoseconds since
    /// midnight of day 0 of their own clock. ``Browser`` uses local times.
    package func localTime(universal time: Int64) -> Int64 {
        time + .seconds(profile.timeZoneOffsetSeconds)
    }

    package func universalTime(local time: Int64) -> Int64 {
        time - .seconds(profile.timeZoneOffsetSeconds)
    }

    /// Day of a local time; negative before day 0.
    package static func day(of time: Int64) -> Int64 {
        time >= 0 ? time / nanosecondsPerDay : (time + 1) / nanosecondsPerDay - 1
    }

    /// Weekday of a day that is counted from 1 January 1970, a Thursday; Monday is 0.
    package static func weekday(since1970 day: Int64) -> Int { Int(((day + 3) % 7 + 7) % 7) }

    /// Visits of this day as a multiple of the mean day; 0 when there are none.
    func factor(ofDay day: Int64) -> Double {
        let weekday = (day + Int64(profile.weekdayOfDayZero)) % 7
        return weekdayFactors[Int(weekday < 0 ? weekday + 7 : weekday)]
    }

    /// Whether the profile allows a visit at this local time.
    func isOpen(_ time: Int64) -> Bool {
        let day = Self.day(of: time)
        let hour = (time - day * Self.nanosecondsPerDay) / Self.nanosecondsPerHour
        return openHours >> UInt32(hour) & 1 == 1 && factor(ofDay: day) > 0
    }

    /// Factor on the think times of a day with this many visits, at most 1.
    func pace(visits: Int) -> Double {
        min(1, fullDayVisits / Double(visits))
    }

    /// Visits of an active day.
    ///
    /// - Parameter person: Tells the person from others, who is heavy or light on every day by
    ///   ``BrowsingProfile/visitPersistence``; `nil` for anybody.
    static func visits(
        _ profile: BrowsingProfile, factor: Double, person: UInt64? = nil, using stream: inout RandomStream
    ) -> Int {
        let drawn = draw(profile, person: person, using: &stream) * factor
        return Int(min(max(drawn.rounded(), 0), Double(profile.maximumVisitsPerDay)))
    }

    private static let personPurpose = StreamPurpose("browsing visits of a person")

    /// A draw of ``BrowsingProfile/visitsPerActiveDay``: by itself, or by the sum of a normal number of the person and
    /// one of the day, which has the same distribution on every day.
    private static func draw(
        _ profile: BrowsingProfile, person: UInt64?, using stream: inout RandomStream
    ) -> Double {
        let share = profile.visitPersistence
        guard share > 0, let person else { return profile.visitsPerActiveDay.sample(using: &stream) }
        var own = RandomStream(seed: person, replication: 0, entity: 0, purpose: personPurpose)
        let score =
            share.squareRoot() * own.standardNormal() + (1 - share).squareRoot() * stream.standardNormal()
        switch profile.visitsPerActiveDay {
        case .lognormal(let mu, let sigma): return exp(mu + sigma * score)
        case .empirical(let values):
            let place = Int(StandardNormal.cumulative(score) * Double(values.count))
            return values[min(place, values.count - 1)]
        default: return profile.visitsPerActiveDay.sample(using: &stream)
        }
    }

    /// One session and a Poisson number more, never more than there are visits.
    static func sessions(_ profile: BrowsingProfile, visits: Int, using stream: inout RandomStream) -> Int {
        var count = 1
        var waited = stream.exponential(mean: 1)
        while waited < profile.sessionsPerActiveDay - 1, count < min(visits, 255) {
            count += 1
            waited += stream.exponential(mean: 1)
        }
        return min(count, visits)
    }

    /// Visits of the next session when the rest is divided at random.
    static func split(visits: Int, sessions: Int, using stream: inout RandomStream) -> Int {
        guard sessions > 1 else { return visits }
        let share = 1 - pow(stream.uniform(), 1 / Double(sessions - 1))
        return 1 + Int((share * Double(visits - sessions)).rounded())
    }

    /// Time to the next visit of a session, in seconds, at the usual pace.
    static func gap(_ profile: BrowsingProfile, using stream: inout RandomStream) -> Double {
        var seconds = profile.thinkSeconds.sample(using: &stream)
        var tries = 0
        while !(seconds >= 0 && seconds <= profile.thinkCutSeconds), tries < 64 {
            seconds = profile.thinkSeconds.sample(using: &stream)
            tries += 1
        }
        return min(max(seconds, 0.001), profile.thinkCutSeconds)
    }
}
