import FleetModel
import RandomStreams
package import Scenarios
import Workload

/// The place of people whose filter breaks, which says at what hour that hurts.
package enum FaultPlace: String, CaseIterable, Codable, Sendable {
    case school, home, office, vendor

    /// Local hour at which faults begin; `nil`: the one in which the scenario's devices make most visits.
    private var hour: Double? {
        switch self {
        case .school: 10
        case .home: 20
        case .office: 14
        case .vendor: nil
        }
    }

    /// The source of the hour.
    package var source: String {
        switch self {
        case .school: "assumption: in the middle of the morning's lessons"
        case .home: "assumption: people at home are online most between 20 and 22 h"
        case .office:
            #"article "Workload", section "Population over time": the busiest hour of a working day"#
        case .vendor: "the hour in which the scenario's devices make most visits, by their profiles"
        }
    }

    /// The time at which faults begin in a scenario.
    ///
    /// - Returns: `nil` if none of its devices browses by a clock.
    package func beginning(in scenario: Scenario) -> FaultTime? {
        let groups = scenario.devices.compactMap { group -> (count: Int, profile: BrowsingProfile)? in
            guard case .profile(let profile) = group.browsing else { return nil }
            return (group.count, profile)
        }
        guard let largest = groups.max(by: { $0.count < $1.count }) else { return nil }
        let zone = Double(largest.profile.timeZoneOffsetSeconds) / 3_600
        let local = hour ?? Self.wrapped(Self.busiestHour(groups) + zone)
        return FaultTime(localHour: local, begin: Self.wrapped(local - zone) * 3_600)
    }

    /// The hour of the simulated clock, by the profiles of the groups.
    private static func busiestHour(_ groups: [(count: Int, profile: BrowsingProfile)]) -> Double {
        func visits(_ hour: Int) -> Double {
            groups.reduce(0) { sum, group in
                let profile = group.profile
                let weights = profile.hourWeights
                let all = weights.reduce(0, +)
                let local = wrapped(Double(hour) + Double(profile.timeZoneOffsetSeconds) / 3_600)
                guard all > 0, weights.indices.contains(Int(local)) else { return sum }
                let mean = profile.visitsPerActiveDay.mean * profile.activeDayShare
                return sum + Double(group.count) * mean * weights[Int(local)] / all
            }
        }
        return Double((0..<24).max { visits($0) < visits($1) } ?? 0)
    }

    /// Hours of a day.
    private static func wrapped(_ hours: Double) -> Double { hours - 24 * (hours / 24).rounded(.down) }
}

/// The time at which a fault begins.
package struct FaultTime: Codable, Equatable, Sendable {
    /// `nil` where devices browse by no clock.
    package var localHour: Double?
    /// Seconds of the simulated clock.
    package var begin: Double

    package init(localHour: Double?, begin: Double) {
        self.localHour = localHour
        self.begin = begin
    }
}
