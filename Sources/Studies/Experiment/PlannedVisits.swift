import Decoding
import EventSimulation
import FleetModel
import RandomStreams
import Synchronization
import Workload

/// Page visits of other days than those that were observed, over theirs.
///
/// Lookups and bytes grow less, see ``MeanDay``.
package struct WeekTraffic: Codable, Equatable, Sendable {
    /// Ratio of the mean day of a year, and of the busiest weekday of a week of term.
    package var meanDay: Double
    package var busiestDay: Double
    /// Ratio of the mean day of a week of term, where a group has holidays.
    package var termDay: Double?

    package init(meanDay: Double, busiestDay: Double, termDay: Double? = nil) {
        self.meanDay = meanDay
        self.busiestDay = busiestDay
        self.termDay = termDay
    }

    /// All days are alike.
    package var isFlat: Bool { abs(meanDay - 1) < 0.005 && abs(busiestDay - 1) < 0.005 }
}

/// The page visits that the browsing devices of a fleet planned for their first day: a control variate of
/// everything that grows with the traffic.
///
/// Drawn again from the devices' own streams, which cost nothing to reopen; about 0.2 us per device.
final class PlannedVisits: Sendable {
    static let name = "planned visits"

    /// The name under which `FleetModel` gives each device its browsing.
    private static let purpose = StreamPurpose("browsing")

    /// Mean over all replications there could be, by closed form. 0 when all devices replay traces.
    let expectation: Double
    private let configuration: FleetConfiguration
    private let known = Mutex<[UInt32: Double]>([:])

    init(_ configuration: FleetConfiguration) {
        self.configuration = configuration
        expectation = configuration.groups.reduce(0) { sum, group in
            guard case .synthetic(_, let habits) = group.workload else { return sum }
            return sum + Double(group.count) * habits.expectedVisits(onDayOf: habits.localTime(universal: 0))
        }
    }

    /// The observed days in their week; `nil` where not all devices browse by weekdays that are known.
    var week: WeekTraffic? {
        let day = Int64.days(1)
        let (begin, end) = (configuration.warmUp.nanoseconds, configuration.duration.nanoseconds)
        guard end > begin else { return nil }
        var week = Array(repeating: 0.0, count: 7)
        var year = 0.0
        var hasHolidays = false
        for group in configuration.groups {
            guard case .synthetic(_, let habits) = group.workload else { return nil }
            hasHolidays = hasHolidays || habits.profile.yearShare < 1
            for number in week.indices {
                let visits =
                    Double(group.count)
                    * habits.expectedVisits(onDayOf: habits.localTime(universal: Int64(number) * day))
                week[number] += visits
                year += visits * habits.profile.yearShare
            }
        }
        var observed = 0.0
        for number in (begin / day)...((end - 1) / day) {
            let overlap = min(end, (number + 1) * day) - max(begin, number * day)
            observed += week[Int(number % 7)] * Double(overlap)
        }
        observed /= Double(end - begin)
        guard observed > 0, let busiest = week.max() else { return nil }
        let term = week.reduce(0, +)
        return WeekTraffic(
            meanDay: (hasHolidays ? year : term) / 7 / observed, busiestDay: busiest / observed,
            termDay: hasHolidays ? term / 7 / observed : nil)
    }

    /// Nobody browses on any simulated day, though every group has a profile that says on which weekdays.
    var isIdle: Bool {
        let day = Int64.days(1)
        let days = 0...min(6, (max(configuration.duration.nanoseconds, 1) - 1) / day)
        return configuration.groups.allSatisfy { group in
            guard case .synthetic(_, let habits) = group.workload else { return false }
            return days.allSatisfy {
                // Its local days, of which the first and the last may be parts.
                [$0 * day, ($0 + 1) * day - 1].allSatisfy {
                    habits.expectedVisits(onDayOf: habits.localTime(universal: $0)) == 0
                }
            }
        }
    }

    /// - Returns: `nil` when nothing is planned because all devices replay traces.
    func count(replication: UInt32) -> Double? {
        guard expectation > 0 else { return nil }
        if let count = known.withLock({ $0[replication] }) { return count }
        var firstDevice = 0
        var total = 0
        for group in configuration.groups {
            defer { firstDevice += group.count }
            guard case .synthetic(_, let habits) = group.workload else { continue }
            let start = habits.localTime(universal: 0)
            for device in firstDevice..<(firstDevice + group.count) {
                var stream = RandomStream(
                    seed: configuration.seed, replication: replication, entity: UInt32(device),
                    purpose: Self.purpose)
                total += habits.plannedVisits(onDayOf: start, using: &stream)
            }
        }
        let count = Double(total)
        known.withLock { $0[replication] = count }
        return count
    }
}
