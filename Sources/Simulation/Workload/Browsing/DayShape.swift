import Foundation
import RandomStreams

/// The times at which the sessions of a day start.
struct DayShape: Sendable {
    /// Cumulative shares at the full hours 0...24.
    private let shares: [Double]

    private init(weights: [Double]) {
        let total = weights.reduce(0, +)
        var sum = 0.0
        shares =
            [0]
            + weights.map { weight in
                sum += weight / total
                return sum
            }
    }

    /// Share of the starts before this time since midnight, in nanoseconds.
    func share(before time: Int64) -> Double {
        guard time > 0 else { return 0 }
        guard time < BrowsingHabits.nanosecondsPerDay else { return 1 }
        let hour = Int(time / BrowsingHabits.nanosecondsPerHour)
        let part =
            Double(time % BrowsingHabits.nanosecondsPerHour) / Double(BrowsingHabits.nanosecondsPerHour)
        return shares[hour] + (shares[hour + 1] - shares[hour]) * part
    }

    /// Time since midnight, in nanoseconds, before which this share of the sessions start.
    func time(atShare share: Double) -> Int64 {
        var hour = 0
        while hour < 23, shares[hour + 1] <= share { hour += 1 }
        // Past the last start there is only rounding; stay inside an open hour.
        while hour > 0, shares[hour + 1] <= shares[hour] { hour -= 1 }
        let part = min(max((share - shares[hour]) / (shares[hour + 1] - shares[hour]), 0), 1 - 1e-9)
        return Int64((Double(hour) + part) * Double(BrowsingHabits.nanosecondsPerHour))
    }

    /// Start of the next of some sessions that all start at `earliest` or
    /// later; `nil` when the day has no room for them.
    func nextStart(after earliest: Int64, remaining: Int, using stream: inout RandomStream) -> Int64? {
        let past = share(before: earliest)
        guard past < 1 - 1e-9 else { return nil }
        let early = 1 - pow(stream.uniform(), 1 / Double(remaining))
        return max(time(atShare: past + (1 - past) * early), earliest)
    }
}

extension DayShape {
    /// Starts by which the *visits* get the wanted shares of hours, although
    /// sessions go on for hours and push later ones back.
    ///
    /// Simulates days and corrects the starts with each hour's error, spread
    /// back over the hours in which a session may have started
    /// (Richardson-Lucy). Hours of weight 0 keep it.
    init(for profile: BrowsingProfile, meanGap: Double, pace: (Int) -> Double) {
        let target = Self.normalized(profile.hourWeights)
        var weights = target
        for _ in 0..<16 {
            let days = SimulatedDays(
                profile: profile, shape: DayShape(weights: weights), meanGap: meanGap, pace: pace)
            let ratio = zip(target, Self.normalized(days.visits)).map { $0 > 0 && $1 > 0 ? $0 / $1 : 0 }
            for start in 0..<24 where weights[start] > 0 {
                var (correction, weight) = (0.0, 0.0)
                for offset in 0..<24 where target[(start + offset) % 24] > 0 {
                    correction += days.kernel[offset] * ratio[(start + offset) % 24]
                    weight += days.kernel[offset]
                }
                // An open hour keeps some starts, so that it stays reachable.
                if weight > 0 { weights[start] = max(weights[start] * correction / weight, 1e-6) }
            }
        }
        self.init(weights: weights)
    }

    private static func normalized(_ values: [Double]) -> [Double] {
        let sum = values.reduce(0, +)
        return sum > 0 ? values.map { $0 / sum } : values
    }
}

/// Days of a profile with their sessions as blocks of evenly spread visits.
private struct SimulatedDays {
    /// Visits by hour of the day.
    private(set) var visits = Array(repeating: 0.0, count: 24)
    /// Visits by full hours since the hour in which their session started.
    private(set) var kernel = Array(repeating: 0.0, count: 24)

    init(profile: BrowsingProfile, shape: DayShape, meanGap: Double, pace: (Int) -> Double) {
        var stream = RandomStream(
            seed: 0, replication: 0, entity: 0, purpose: StreamPurpose("browsing day shape"))
        kernel[0] = 1e-9
        var day = DayOutline()
        for _ in 0..<2_000 {
            let visits = BrowsingHabits.visits(profile, factor: 1, using: &stream)
            guard visits > 0 else { continue }
            day.fill(
                visits: visits, profile: profile, shape: shape, gap: meanGap * pace(visits), midnight: 0,
                using: &stream)
            for session in day.sessions {
                add(
                    session.visits, from: Double(session.start) / 3.6e12,
                    hours: Double(session.length) / 3.6e12, profile: profile)
            }
        }
    }

    private mutating func add(_ size: Int, from start: Double, hours: Double, profile: BrowsingProfile) {
        let first = Int(start)
        for hour in first..<(first + 24) {
            guard profile.hourWeights[hour % 24] > 0 else { return }
            let overlap = min(start + hours, Double(hour + 1)) - max(start, Double(hour))
            guard overlap > 0 else { return }
            let share = Double(size) * (hours > 0 ? overlap / hours : 1)
            visits[hour % 24] += share
            kernel[hour - first] += share
        }
    }
}
