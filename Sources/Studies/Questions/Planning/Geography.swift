import FleetModel
import RandomStreams
import RunMetrics
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
    /// Whether each region may serve a group: by group, then by region; `nil`: all may.
    package var allowed: [[Bool]]?
    /// Names of the groups; absent where no objective is about one of them.
    package var names: [String]?
    /// Names of those whose groups they are, as objectives have them that are about all devices of one of several
    /// tenants; absent for a fleet of one.
    package var owners: [String]?

    package init(
        delays: [[Double]], devices: [Int], allowed: [[Bool]]? = nil, names: [String]? = nil
    ) {
        self.names = names
        precondition(delays.count == devices.count && !delays.isEmpty, "a row of delays for each group")
        self.allowed = allowed
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
            devices: systems.map(\.count),
            allowed: regions.contains { $0.serves != nil }
                ? systems.indices.map { group in regions.map { $0.serves?[group] ?? true } } : nil,
            names: scenario.objectives.contains { $0.metric.group != nil } ? systems.map(\.name) : nil)
    }

    package var regionCount: Int { delays[0].count }

    /// Whether all devices have a region that may serve them.
    func servesEveryone(_ there: [Int]) -> Bool {
        delays.indices.allSatisfy { devices[$0] == 0 || nearest($0, among: there) != nil }
    }

    /// The nearest of some regions that may serve a group, the first among equals.
    func nearest(_ group: Int, among there: [Int]) -> Int? {
        there.filter { allowed?[group][$0] ?? true }.min { (delays[group][$0], $0) < (delays[group][$1], $1) }
    }

    func home(_ group: Int) -> Int { nearest(group, among: Array(delays[group].indices)) ?? 0 }

    /// - Parameter there: Regions with servers.
    /// - Returns: By home, then by region: the share of the home's devices that ask it. A home of nobody has 0, and
    ///   devices that no region may serve are in none.
    package func shares(among there: [Int]) -> [[Double]] {
        var counts = Array(repeating: Array(repeating: 0.0, count: regionCount), count: regionCount)
        var totals = Array(repeating: 0.0, count: regionCount)
        for group in delays.indices {
            totals[home(group)] += Double(devices[group])
            guard let place = nearest(group, among: there) else { continue }
            counts[home(group)][place] += Double(devices[group])
        }
        return zip(counts, totals).map { row, total in row.map { total > 0 ? $0 / total : 0 } }
    }

    /// Share of a region's devices that no other one may serve.
    func strandedShare(without lost: Int, among there: [Int]) -> Double {
        let left = there.filter { $0 != lost }
        let groups = delays.indices.filter { nearest($0, among: there) == lost }
        let stranded = groups.filter { nearest($0, among: left) == nil }
        let all = groups.reduce(0) { $0 + devices[$1] }
        return all > 0 ? Double(stranded.reduce(0) { $0 + devices[$1] }) / Double(all) : 0
    }

    /// Seconds that an answer takes longer than from home, for the devices that come from farthest.
    package func detour(to place: Int, among there: [Int]) -> Double {
        detour(to: place, among: there) { _ in true } ?? 0
    }

    /// The same for the devices of a group.
    ///
    /// - Returns: `nil` if none of them asks the region.
    func detour(ofGroup name: String, to place: Int, among there: [Int]) -> Double? {
        detour(to: place, among: there) { names?[$0] == name || owners?[$0] == name }
    }

    private func detour(to place: Int, among there: [Int], _ isMeant: (Int) -> Bool) -> Double? {
        delays.indices.filter { devices[$0] > 0 && isMeant($0) && nearest($0, among: there) == place }
            .map { 2 * max(0, delays[$0][place] - delays[$0][home($0)]) }.max()
    }
}
