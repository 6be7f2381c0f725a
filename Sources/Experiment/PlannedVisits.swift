import EventSimulation
import FleetModel
import RandomStreams
import Synchronization
import Workload

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
