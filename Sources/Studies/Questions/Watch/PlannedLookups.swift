import Decoding
import Experiment
import FleetModel
import Foundation
import Scenarios
import Workload

/// How many lookups a second were planned for a time of day and a day of the week (UTC).
package struct PlannedLookups: Equatable, Sendable {
    /// Width of a slot of the day, seconds.
    static let width = 300
    /// Lookups a second by slot of the simulated day; `nil` where that was not simulated.
    private var slots: [Double?]
    /// Lookups of each weekday from Monday over those of the simulated day.
    private var weekdays: [Double]

    /// A piece of the simulated clock, in seconds, with its mean rate.
    package struct Piece: Sendable {
        package var from: Double
        package var seconds: Double
        package var rate: Double

        package init(from: Double, seconds: Double, rate: Double) {
            self.from = from
            self.seconds = seconds
            self.rate = rate
        }
    }

    /// - Parameters:
    ///   - pieces: In any order; days are averaged.
    ///   - hour: Of the day at which the simulated clock begins.
    ///   - isFlat: All hours are alike, whether they were simulated or not.
    package init(_ pieces: [Piece], startHour hour: Double = 0, isFlat: Bool = false, weekdays: [Double] = [])
    {
        let count = 86_400 / Self.width
        var (amounts, seconds) = (Array(repeating: 0.0, count: count), Array(repeating: 0.0, count: count))
        for piece in pieces {
            var from = piece.from + hour * 3_600
            let end = from + piece.seconds
            while from < end {
                let slot = (from / Double(Self.width)).rounded(.down)
                let to = min(end, (slot + 1) * Double(Self.width))
                let place = Int(saturating: slot) % count
                amounts[place] += piece.rate * (to - from)
                seconds[place] += to - from
                from = to
            }
        }
        let all = seconds.reduce(0, +)
        let mean = all > 0 ? amounts.reduce(0, +) / all : 0
        slots = zip(amounts, seconds).map { isFlat ? mean : $1 > 0 ? $0 / $1 : nil }
        self.weekdays = weekdays.count == 7 ? weekdays : Array(repeating: 1, count: 7)
    }

    /// Lookups that were planned for a stretch of time.
    ///
    /// - Parameter times: Nanoseconds since 1970.
    /// - Returns: `nil` where part of it was not simulated.
    package func expected(_ times: Range<Int64>) -> Double? {
        let slot = Int64.seconds(Self.width)
        let day = Int64.days(1)
        var (from, sum) = (times.lowerBound, 0.0)
        while from < times.upperBound {
            let to = min(times.upperBound, (from / slot + 1) * slot)
            guard let rate = slots[Int(from % day / slot)] else { return nil }
            let weekday = BrowsingHabits.weekday(since1970: BrowsingHabits.day(of: from))
            sum += Double(nanoseconds: rate * weekdays[weekday] * Double(to - from))
            from = to
        }
        return sum
    }
}

extension PlannedLookups {
    /// Lookups of each weekday over those of the simulated days; empty where not all devices browse by weekdays that
    /// are known.
    ///
    /// - Parameters:
    ///   - observed: Seconds of the simulated clock.
    ///   - uncached: Share of hits that no cache answers.
    static func weekdays(of scenario: Scenario, observed: Range<Double>, uncached: Double) throws -> [Double]
    {
        var visits = Array(repeating: 0.0, count: 7)
        for group in scenario.devices {
            guard case .profile(let profile) = group.browsing else { return [] }
            let habits = try BrowsingHabits(profile)
            for day in 0..<7 {
                let time = habits.localTime(universal: .days(day))
                let weekday = (day + profile.weekdayOfDayZero) % 7
                visits[weekday] += Double(group.count) * habits.expectedVisits(onDayOf: time)
            }
        }
        let first = scenario.devices.first.map { group -> Int in
            if case .profile(let profile) = group.browsing { profile.weekdayOfDayZero } else { 0 }
        }
        var (sum, seconds) = (0.0, 0.0)
        for day in 0..<max(1, Int(saturating: (observed.upperBound / 86_400).rounded(.up))) {
            let overlap =
                min(observed.upperBound, Double(day + 1) * 86_400)
                - max(observed.lowerBound, Double(day) * 86_400)
            guard overlap > 0 else { continue }
            sum += visits[(day + (first ?? 0)) % 7] * overlap
            seconds += overlap
        }
        guard seconds > 0, sum > 0 else { return [] }
        return visits.map { MeanDay(visits: $0 / (sum / seconds), uncachedShare: uncached).lookups }
    }

    /// Hour at which the clock of a run begins, and whether all hours are alike.
    static func clock(of scenario: Scenario) -> (startHour: Double, isFlat: Bool) {
        var (hour, isFlat) = (0.0, true)
        for group in scenario.devices {
            guard case .lookups(let traffic) = group.browsing else {
                isFlat = false
                continue
            }
            hour = traffic.startHour
            if Set(traffic.hourWeights).count > 1 { isFlat = false }
        }
        return (hour, isFlat)
    }
}
