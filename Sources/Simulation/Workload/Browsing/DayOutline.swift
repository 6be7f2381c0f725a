import Decoding
import Foundation
package import RandomStreams

/// A day of browsing without its pages: when the sessions begin, how many visits they have and how long they go on.
///
/// A hundredth of the work of ``Browser``: for what depends on days and weeks of use, not on single visits. Visits of a
/// session are taken as evenly spread.
package struct DayOutline: Sendable {
    package struct Session: Hashable, Sendable {
        /// Local time, nanoseconds since midnight of day 0.
        package var start: Int64
        package var visits: Int
        /// Nanoseconds.
        package var length: Int64
    }

    package var sessions: [Session] = []

    package init() {}

    /// Divides the visits of a day among sessions by the hours of `shape`.
    ///
    /// - Parameter gap: Mean time between two visits of a session, seconds.
    mutating func fill(
        visits: Int, profile: BrowsingProfile, shape: DayShape, gap: Double, midnight: Int64,
        using stream: inout RandomStream
    ) {
        sessions.removeAll(keepingCapacity: true)
        guard visits > 0 else { return }
        var left = visits
        let count = BrowsingHabits.sessions(profile, visits: left, using: &stream)
        var earliest: Int64 = 0
        for remaining in stride(from: count, to: 0, by: -1) {
            guard let start = shape.nextStart(after: earliest, remaining: remaining, using: &stream)
            else { break }
            let size = BrowsingHabits.split(visits: left, sessions: remaining, using: &stream)
            left -= size
            let seconds = Double(size) * gap
            sessions.append(
                Session(start: midnight + start, visits: size, length: .seconds(seconds)))
            earliest = start + .seconds(seconds + profile.thinkCutSeconds)
        }
    }
}

extension BrowsingHabits {
    /// The visits of a person on each of some days, by the law of ``Browser``.
    ///
    /// - Parameter time: Local time on the last of the days.
    package func visits(
        onDays count: Int, upTo time: Int64, of browser: Browser, using stream: inout RandomStream
    ) -> [Int] {
        let last = Self.day(of: time)
        return (0..<count).map {
            drawVisits(ofDay: last - Int64(count - 1 - $0), person: browser.rest.person, using: &stream)
        }
    }

    /// - Parameters:
    ///   - visits: Of the day of `time`.
    ///   - time: Local time.
    package func outline(
        visits: Int, onDayOf time: Int64, to outline: inout DayOutline, using stream: inout RandomStream
    ) {
        outline.fill(
            visits: visits, profile: profile, shape: dayShape, gap: meanGap * pace(visits: max(visits, 1)),
            midnight: Self.day(of: time) * Self.nanosecondsPerDay, using: &stream)
    }
}
