import Decoding
import EventSimulation
package import Experiment
package import FleetModel
import Foundation
import RunMetrics
package import Scenarios
import URLFilter
import Workload

/// Simulations that the closed form of one region is held against. One has some cores of a PIR instance at the
/// peak, with their share of the region's devices while the spare instances are gone. The other has the same
/// devices where nobody waits.
package struct PlanCell: Sendable {
    package let region: String?
    /// Devices of the region that are simulated.
    package let devices: Int
    package let cores: Int
    /// Threads that compute, of those of an instance as large a share as of its cores; `nil`: as many as cores.
    package let threads: Int?
    /// Share of the region's cores that the plan expects to be busy at the peak while the spare instances are gone.
    package let plannedUtilization: Double
    /// Pauses of the instance; `nil`: none.
    package let pauses: ServerPauses?
    package let percentile: Double
    /// Settings of the scenario that make it.
    package let assignments: [String]
    /// Further ones, with which nobody waits.
    package let withoutWaits: [String]

    /// How much is simulated.
    package struct Effort: Sendable {
        /// A larger instance is simulated with fewer cores and as many fewer devices.
        package let mostDevices: Int
        /// More of them are observed for so many times less.
        let wholeDevices: Int
        /// Many devices are observed as long as few: minutes count, not lookups.
        let isLong: Bool

        private init(mostDevices: Int, wholeDevices: Int, isLong: Bool) {
            self.mostDevices = mostDevices
            self.wholeDevices = wholeDevices
            self.isLong = isLong
        }

        /// Effort for a plan that longer waits might change.
        package static let full = Effort(mostDevices: 30_000, wholeDevices: 30_000, isLong: false)
        /// Effort for servers that have ample room: what comes at once still waits, and shows in few minutes.
        package static let short = Effort(mostDevices: 30_000, wholeDevices: 1_500, isLong: false)
        /// Effort for the minutes of a load test.
        package static let long = Effort(mostDevices: 30_000, wholeDevices: 30_000, isLong: true)
    }

    /// Seconds that are observed around the peak, before that, and in which caches are filled: in six hours they get so
    /// full that a lookup more in a hundred is made than after three days. More devices than asked for, which one core
    /// serves, have so many times less of each, unless all minutes are wanted.
    private static let observed = 1_800.0
    private static let warmUp = 900.0
    private static let history = 6 * 3_600.0
    private static let leastObserved = 120.0

    /// - Parameters:
    ///   - place: Index of a region with servers.
    /// - Returns: `nil` if nothing asks the region.
    package init?(
        _ planner: ServerPlanner, _ plan: ServerPlan, at place: Int, of scenario: Scenario, _ effort: Effort
    ) {
        let placement = planner.placement(of: plan)
        guard let index = placement.there.firstIndex(of: place), let pir = plan.regions[index][.pir],
            placement.load(place, .pir).peakCores > 0
        else { return nil }
        let left = Double(max(1, pir.instances - planner.rule.spareInstances) * pir.coresPerInstance)
        let perCore = placement.devices(place) / left
        let cores = max(
            1,
            min(pir.coresPerInstance, Int(saturating: (Double(effort.mostDevices) / perCore).rounded(.down))))
        self.cores = cores
        threads = pir.threads(ofCores: cores)
        pauses = placement.pauses(place, .pir)
        plannedUtilization = placement.load(place, .pir).peakCores / left
        let share = Double(cores) / left
        region = planner.demand.regions[place].name
        percentile = planner.rule.shownPercentile
        // Systems of one group of the file are one after the other.
        var groups: [(name: String, count: Double)] = []
        for (index, system) in scenario.devices.enumerated() {
            let asks = planner.geography.nearest(index, among: placement.there) == place
            let count = asks ? Double(system.count) * share : 0
            if groups.last?.name == system.name {
                groups[groups.count - 1].count += count
            } else {
                groups.append((system.name, count))
            }
        }
        devices = groups.reduce(0) { $0 + ($1.count > 0 ? max(1, Int(saturating: $1.count.rounded())) : 0) }
        func settings(_ machines: Machines, cores: Int, threads: Int?) -> [String] {
            Self.settings(planner, scenario, at: place, machines.service, cores: cores, threads: threads)
        }
        let keyStore = scenario.services.byRegion(.pir).first?.keyStore ?? .shared
        assignments  // The region is all there is; whoever asks another one is a device or none.
        =
            groups.map {
                Schema.devices.set(
                    \.count, max(1, Int(saturating: $0.count.rounded())),
                    in: Schema.devices.place(of: $0.name))
            }
            + Self.withoutRegions(scenario)
            + plan.regions[index].machines.flatMap { machines in
                // Shares of the others are rounded up to whole cores.
                let others = max(1, machines.instances - planner.rule.spareInstances)
                let whole = (Double(others * machines.coresPerInstance) * share).rounded(.up)
                let own = machines.service == .pir ? cores : max(1, Int(saturating: whole))
                return settings(machines, cores: own, threads: machines.threads(ofCores: own))
                    + Self.pauses(planner, placement.pauses(place, machines.service), of: machines.service)
            } + [Schema.pirStation.set(\.keyStore, keyStore.rawValue), "faults=[]"]
            + Self.window(
                scenario, around: planner.demand.peakTime(placement.load(place, .pir)),
                share: min(1, Double(effort.wholeDevices) / Double(max(1, devices))), isLong: effort.isLong)
        withoutWaits = plan.regions[index].machines.flatMap {
            settings($0, cores: FleetDemand.ampleCores, threads: nil)
                + Self.pauses(planner, nil, of: $0.service)
        }
    }

    /// A service in one instance, as fast as in its region, and with a limit of CPU time below its threads if there are
    /// more of them than cores.
    private static func settings(
        _ planner: ServerPlanner, _ scenario: Scenario, at place: Int, _ service: Part, cores: Int,
        threads: Int?
    ) -> [String] {
        let (regions, station) = (scenario.services.regions, SettingPlace.service(service))
        var settings = Schema.station(service, instances: 1, cores: cores)
        if regions.indices.contains(place) {
            settings.append(Schema.station.set(\.cpuFactor, regions[place][service].cpuFactor, in: station))
        }
        if planner.threads.contains(where: { !$0.isEmpty }) {
            settings.append(Schema.station.set(\.threads, threads ?? cores, in: station))
        }
        return settings
    }

    /// Pauses of a service, if those of any region are planned with.
    private static func pauses(
        _ planner: ServerPlanner, _ pauses: ServerPauses?, of service: Part
    ) -> [String] {
        guard planner.pauses.contains(where: { !$0.isEmpty }) else { return [] }
        let station = SettingPlace.service(service)
        return [pauses.map { Schema.station.set(\.pauses, $0, in: station) } ?? Schema.withoutPauses(station)]
    }

    /// Takes regions away, and what names them.
    private static func withoutRegions(_ scenario: Scenario) -> [String] {
        let isFree = scenario.devices.allSatisfy(\.servedIn.isEmpty)
        return ["services.regions=null"]
            + (isFree ? [] : [Schema.devices.set(\.servedIn, "[]", in: SettingPlace.everyDevice)])
    }

    /// Observes the busiest time only, where devices browse by a clock that can be set; else everything.
    private static func window(
        _ scenario: Scenario, around peak: Double, share: Double, isLong: Bool
    ) -> [String] {
        let observed = isLong ? observed : max(leastObserved, (observed * share).rounded())
        let warmUp = isLong ? warmUp : max(leastObserved / 2, (warmUp * share).rounded())
        let history = (history * share).rounded()
        let begin = max(0, peak - observed / 2 - warmUp)
        let day = 86_400.0
        var hours: [String: Double] = [:]
        for group in scenario.devices {
            guard case .profile(let profile) = group.browsing else { return [] }
            let shifted = Double(profile.timeZoneOffsetSeconds) + begin
            let wrapped = shifted - day * ((shifted + day / 2) / day).rounded(.down)
            hours[group.name] = wrapped / 3_600
        }
        return hours.sorted { $0.key < $1.key }.map {
            Schema.browsing.set(\.timeZoneHours, $0.value, in: Schema.browsing.place(of: $0.key))
        } + [
            Schema.run.set(\.duration, "\(Int(saturating: warmUp + observed))s"),
            Schema.run.set(\.warmUp, "\(Int(saturating: warmUp))s"),
        ]
            + (scenario.history > .seconds(history)
                ? [Schema.run.set(\.history, "\(Int(saturating: history))s")] : [])
    }
}

extension Machines {
    /// Threads of a part of one of them with so many of its cores, rounded up; `nil`: as many as cores.
    fileprivate func threads(ofCores cores: Int) -> Int? {
        threads.map { ($0 * cores + coresPerInstance - 1) / coresPerInstance }
    }
}

/// Findings of a simulation of a ``PlanCell``.
package struct PlanCheck: Codable, Equatable, Sendable {
    package var region: String?
    package var devices: Int
    package var cores: Int
    package var replications: Int
    package var percentile: Double
    /// Share of the cell's cores that was busy.
    package var utilization: Double
    /// Seconds that waits add to the percentile of a lookup, by the closed form of what the cell did.
    package var expected: Double
    /// Seconds that they add in the simulation: percentile with the cell's cores less that of the same devices
    /// where nobody waits.
    package var simulated: Double
    /// Interval of the mean over replications.
    package var interval: Interval?

    /// - Parameters:
    ///   - result: Of the cell.
    ///   - withoutWaits: Of the same devices with cores for all.
    /// - Returns: `nil` if too few lookups were made for the percentile.
    package init?(_ cell: PlanCell, _ result: RunResult, withoutWaits: RunResult) {
        let metric = Metric.latency(percentile: cell.percentile * 100)
        guard let point = result.points.first, let found = point[metric],
            let withoutWait = withoutWaits.points.first, let free = withoutWait[metric],
            let busy = point[StationMetrics(.pir).utilization]?.value,
            let freeBusy = withoutWait[StationMetrics(.pir).utilization]?.value,
            // Configurations and keys are in the busy time as well.
            case let requests = Endpoint.allCases.filter({ !$0.isAnsweredByIssuer }).reduce(
                0.0, { $0 + (point[EndpointMetrics($1).requests]?.value ?? 0) }), requests > 0
        else { return nil }
        let waits = zip(found.perReplication, free.perReplication).compactMap { pair in
            pair.0.flatMap { waited in pair.1.map { max(0, waited - $0) } }
        }
        guard !waits.isEmpty else { return nil }
        region = cell.region
        devices = cell.devices
        cores = cell.cores
        replications = waits.count
        percentile = cell.percentile
        utilization = busy
        let seconds = result.scenario.duration - result.scenario.warmUp
        // A pause counts as work where it meets one.
        let load =
            cell.pauses == nil
            ? utilization * Double(cell.cores) : freeBusy * Double(FleetDemand.ampleCores)
        var form = StationForm(load: load, serviceSeconds: load * seconds / requests)
        form.pauses = cell.pauses
        expected =
            form.wait(cell.percentile, instances: 1, cores: cell.cores, threads: cell.threads) ?? .infinity
        simulated = waits.reduce(0, +) / Double(waits.count)
        interval = Interval(waits, in: .amount, confidence: 0.95)
    }

    /// Below it a wait is none, seconds: no ratio is made of two of them.
    private static let least = 1e-3

    /// Factor for the closed form's waits: never less than 1, since a cell of few cores has long waits.
    package var factor: Double { factor(simulated) }
    /// Seconds that the closed form's waits lack.
    package var difference: Double { difference(simulated) }
    /// Upper end of the interval; where no replication has a wait it is none, and one replication says nothing.
    package var high: Double? {
        interval?.high ?? (replications > 1 && simulated <= Self.least ? simulated : nil)
    }
    package var highFactor: Double? { high.map(factor) }
    package var highDifference: Double? { high.map(difference) }

    private func difference(_ wait: Double) -> Double { wait > Self.least ? max(0, wait - expected) : 0 }

    private func factor(_ wait: Double) -> Double {
        wait > Self.least ? max(1, wait / max(expected, Self.least)) : 1
    }
}

extension FleetDemand {
    /// Time when the PIR servers of all regions together are busiest, seconds of the simulated clock.
    package var peakTime: Double {
        peakTime(Load.sum(regions.map { ($0[.pir], 1) }, service: .pir))
    }

    /// Seconds from the start of the simulated clock to the middle of the busiest interval.
    func peakTime(_ load: Load) -> Double {
        let place = load.series.indices.max { load.series[$0] < load.series[$1] } ?? 0
        return seriesStart + (Double(place) + 0.5) * interval
    }
}
