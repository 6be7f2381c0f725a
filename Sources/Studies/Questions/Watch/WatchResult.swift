package import FleetModel
package import Statistics

/// Answer of `urlfilter watch`: what happens beside what was planned.
package struct WatchResult: Codable, Equatable, Sendable {
    package static let schema = "urlfilter.watch/1"

    package enum Verdict: String, Codable, Sendable {
        case within, left
        /// Nothing was seen of a time that the plan knows.
        case cannotTell
    }

    /// One quantity beside the plan.
    package struct Stream: Codable, Equatable, Sendable {
        package enum Name: String, Codable, Sendable, CaseIterable {
            /// Lookups, of the whole fleet or of each device.
            case lookups
            /// CPU time of a lookup at the PIR servers.
            case time
            /// Orders of tokens for each lookup: systems differ in when and how many they order.
            case orders
            /// Lookups without an answer.
            case refused
        }

        package var name: Name
        /// Planned: lookups a second, seconds, orders for each lookup, share of lookups; on average over the windows.
        package var planned: Double
        /// The plan's interval, over what was planned.
        package var low: Double
        package var high: Double
        /// Seen, over what was planned: since the plan was left, or of all windows. Absent without a window.
        package var level: PlannedStream.Level?
        /// Side on which the plan was left; absent within it.
        package var side: PlannedStream.Side?
        /// Time at which it was left, most likely, and at which that was sure, Unix seconds; absent within it.
        package var since: Double?
        package var noticed: Double?
    }

    /// The hour of the last window.
    package struct Hour: Codable, Equatable, Sendable {
        /// Unix seconds.
        package var start: Double
        /// Seconds of it that were seen.
        package var seconds: Double
        /// Lookups a second: planned with the plan's interval, by the level learned before it, and seen. Absent where
        /// nothing was learned.
        package var planned: Double
        package var low: Double
        package var high: Double
        package var forecast: Double?
        package var forecastLow: Double?
        package var forecastHigh: Double?
        package var seen: Double
    }

    /// Consequence for servers.
    package struct Purchase: Codable, Equatable, Sendable {
        package var region: String?
        package var service: Part
        /// Busy share of the cores over what the plan's rule allows, at the peak of the day: as planned, at the level
        /// seen, and at its upper end. 1 is full.
        package var planned: Double
        package var now: Double
        package var most: Double
        /// Months until it is full, at the plan's growth; 0 is now, absent without growth.
        package var months: Double?
        /// Cores and money a month: of the plan's servers, and of the cheapest ones for the level seen. Absent where
        /// they cannot be planned anew.
        package var cores: Int?
        package var total: Double?
        package var neededCores: Int?
        package var neededTotal: Double?
        package var currency: String?
    }

    package var schema = Self.schema
    package var plan: String
    package var source: WatchedPlan.Source
    package var scenario: String
    /// Devices of the plan, and those that there are now; absent where nobody said.
    package var plannedDevices: Int
    package var devices: Int?
    /// Sources that were read.
    package var observed: String
    package var times: String
    /// Unix seconds.
    package var from: Double
    package var to: Double
    package var windows: Int
    package var windowSeconds: Double
    /// Windows of hours that the plan knows nothing of.
    package var skipped: Int
    /// Days between false alarms of all streams together, at least.
    package var falseAlarmDays: Double
    package var verdict: Verdict
    package var streams: [Stream]
    /// The last day at most, hour by hour.
    package var hours: [Hour]
    package var purchase: Purchase?

    /// The verdict and what has left the plan on which side, to tell a change.
    package var findings: [String] {
        [verdict.rawValue] + streams.compactMap { stream in stream.side.map { "\(stream.name) \($0)" } }
    }

    package subscript(name: Stream.Name) -> Stream? { streams.first { $0.name == name } }
}
