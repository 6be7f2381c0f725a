import Dispatch
import EventSimulation
import Synchronization
import Workload

/// The page loads of the days before the start of a run, for what devices remember of them.
///
/// A device browses by the same law and with the same favourites as in the run, day by day. It is drawn from streams of
/// its own, so that the run is the same with and without it. Traces say nothing of the days before them.
final class PastLoads: Sendable {
    private let length: Int64
    private let units: [Unit]
    /// Devices whose loads are in memory at once, for each thread.
    private static let unitSize = 2_048

    private struct Unit: Sendable {
        let firstDevice: Int
        let deviceCount: Int
        let lens: Int
        let group: BrowsingGroup
    }

    /// Loads of some devices.
    struct Part: Sendable {
        let devices: Range<Int>
        /// All of them have this browsing, whose clock begins before the start.
        let group: BrowsingGroup
        /// All loads of one device before those of the next, by time. Times are nanoseconds from the start of the run,
        /// so below 0. Only loads with hits.
        var loads: WindowLoads
        /// Page loads of all these devices, with those without hits.
        var pageLoads: Int
    }

    /// - Parameter lenses: Numbers of the lenses by group; `nil` for groups that do not browse.
    init(_ configuration: FleetConfiguration, groups: [BrowsingGroup?], lenses: [Int]) {
        length = configuration.start == .steady ? configuration.history.nanoseconds : 0
        var units: [Unit] = []
        var firstDevice = 0
        for (number, group) in configuration.groups.enumerated() {
            if length > 0, let known = groups[number], !configuration.startsCold(group) {
                var settings = known.settings
                // Nothing of it is counted with the run.
                (settings.warmUp, settings.duration) = (0, length)
                let past = BrowsingGroup(
                    web: known.web, habits: known.habits, settings: settings, strayHits: known.strayHits,
                    usage: known.usage, past: length)
                for first in stride(from: 0, to: group.count, by: Self.unitSize) {
                    units.append(
                        Unit(
                            firstDevice: firstDevice + first,
                            deviceCount: min(Self.unitSize, group.count - first), lens: lenses[number],
                            group: past))
                }
            }
            firstDevice += group.count
        }
        self.units = units
    }

    /// Hands over the loads of some devices after the other.
    ///
    /// - Parameters:
    ///   - threads: Threads to use. What is handed over, and in which order, does not depend on it.
    ///   - borrow: Lends a thread a set of lenses for as long as it works.
    func take(
        threads: Int, borrow: @Sendable ((inout [PageLens]) -> Void) -> Void, _ use: (Part) -> Void
    ) {
        for first in stride(from: 0, to: units.count, by: threads) {
            let now = Array(units[first..<min(first + threads, units.count)])
            let outputs = Mutex([Part?](repeating: nil, count: now.count))
            DispatchQueue.concurrentPerform(iterations: now.count) { index in
                borrow { lenses in
                    let part = self.generate(now[index], &lenses)
                    outputs.withLock { $0[index] = part }
                }
            }
            for case let output? in outputs.withLock({ $0 }) { use(output) }
        }
    }

    private func generate(_ unit: Unit, _ lenses: inout [PageLens]) -> Part {
        var browsing = BrowsingUnit(
            firstDevice: unit.firstDevice, deviceCount: unit.deviceCount, group: unit.group, startsCold: false
        )
        var counts = LoadCounts()
        var loads = browsing.generate(until: length, lens: &lenses[unit.lens], counts: &counts)
        for index in loads.loads.indices { loads.loads[index].time -= length }
        return Part(
            devices: unit.firstDevice..<(unit.firstDevice + unit.deviceCount), group: unit.group,
            loads: loads,
            pageLoads: counts.pageLoads)
    }
}
