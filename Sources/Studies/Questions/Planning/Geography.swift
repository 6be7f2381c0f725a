import FleetModel
import RandomStreams
import Scenarios

/// Which region devices ask where servers stand in some regions only, or one of them is lost: the nearest that is
/// there.
///
/// A device's *home* is the region that is nearest of all.
package struct Geography: Codable, Equatable, Sendable {
    /// Mean one-way delay from the relay to each region, seconds: by group of devices, then by region.
    package var delays: [[Double]]
    /// Number of devices in each group.
    package var devices: [Int]

    package init(delays: [[Double]], devices: [Int]) {
        precondition(delays.count == devices.count && !delays.isEmpty, "a row of delays for each group")
        self.delays = delays
        self.devices = devices
    }

    /// Takes delays and devices of a scenario with named regions; without them there is one region.
    init(_ scenario: Scenario) {
        let regions = scenario.services.regions
        let systems = scenario.devices
        self.init(
            delays: systems.indices.map { group in
                regions.isEmpty ? [0] : regions.map { $0.relayDelays[group].mean }
            },
            devices: systems.map(\.count))
    }

    package var regionCount: Int { delays[0].count }

    /// The nearest of some regions, the first among equals.
    func nearest(_ group: Int, among there: [Int]) -> Int? {
        there.min { (delays[group][$0], $0) < (delays[group][$1], $1) }
    }

    func home(_ group: Int) -> Int { nearest(group, among: Array(delays[group].indices)) ?? 0 }

    /// - Parameter there: Regions with servers.
    /// - Returns: By home, then by region: the share of the home's devices that ask it. A home of nobody has 0.
    package func shares(among there: [Int]) -> [[Double]] {
        var counts = Array(repeating: Array(repeating: 0.0, count: regionCount), count: regionCount)
        for group in delays.indices {
            guard let place = nearest(group, among: there) else { continue }
            counts[home(group)][place] += Double(devices[group])
        }
        return counts.map { row in
            let total = row.reduce(0, +)
            return row.map { total > 0 ? $0 / total : 0 }
        }
    }

    /// Seconds that an answer takes longer than from home, for the devices that come from farthest.
    package func detour(to place: Int, among there: [Int]) -> Double {
        delays.indices.filter { devices[$0] > 0 && nearest($0, among: there) == place }
            .map { 2 * max(0, delays[$0][place] - delays[$0][home($0)]) }.max() ?? 0
    }
}
