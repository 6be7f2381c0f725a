package import RandomStreams

/// Number of visits that a device plans for the first day it is watched.
///
/// The number is drawn before anything else and its expectation is known, so a
/// simulation can use it as a control variate: a fleet that plans more visits
/// than expected sends more lookups.
extension BrowsingHabits {
    /// The visits that ``Browser`` plans for the day of a time, if its browsing
    /// starts then.
    ///
    /// - Parameters:
    ///   - time: Local time at which the browsing starts, nanoseconds.
    ///   - stream: The device's stream from its beginning, as ``Browser`` gets it.
    package func plannedVisits(onDayOf time: Int64, using stream: inout RandomStream) -> Int {
        let browser = Browser(using: &stream)
        return drawVisits(ofDay: Self.day(of: time), person: browser.rest.person, using: &stream)
    }

    /// Decides how active a day is; 0 for one without browsing.
    func drawVisits(ofDay day: Int64, person: UInt64, using stream: inout RandomStream) -> Int {
        let factor = factor(ofDay: day)
        guard factor > 0, stream.uniform() < profile.activeDayShare else { return 0 }
        return Self.visits(profile, factor: factor, person: person, using: &stream)
    }

    /// The expectation of ``plannedVisits(onDayOf:using:)``: the sum over all n of
    /// the probability of at least n visits.
    ///
    /// - Complexity: O(`maximumVisitsPerDay`).
    package func expectedVisits(onDayOf time: Int64) -> Double {
        let factor = factor(ofDay: Self.day(of: time))
        guard factor > 0 else { return 0 }
        let mean = (1...profile.maximumVisitsPerDay).reduce(0.0) { sum, count in
            // The smallest draw that is rounded to this count or more.
            let least = (Double(count) - 0.5) / factor
            return sum + 1 - profile.visitsPerActiveDay.cumulative(least.nextDown)
        }
        return profile.activeDayShare * mean
    }
}
