import Decoding
import EventSimulation
import FleetModel
import RunMetrics
import Scenarios
import URLFilter
import Workload

/// Assembly of a scenario's world, a pure function of its inputs and costs: first the parts that no cost is needed for,
/// which shows whether there can be such a world, then the configuration as a whole.
struct FleetAssembly {
    private let scenario: Scenario
    private let groups: [DeviceGroup]
    private let duration: SimulatedDuration
    private let warmUp: SimulatedDuration
    private let prefilter: PrefilterConfiguration
    private let faults: [Fault]

    /// - Throws: ``PreparationError`` for parts that do not fit each other.
    init(_ inputs: ScenarioInputs) throws {
        let scenario = inputs.scenario
        self.scenario = scenario
        groups = try Self.groups(inputs)
        guard let duration = scenario.duration ?? inputs.traces.longest else {
            throw PreparationError.noDuration
        }
        self.duration = duration
        if case .fixed(let length) = scenario.warmUp { warmUp = length } else { warmUp = .zero }
        guard warmUp < duration else {
            throw PreparationError.warmUpTooLong(warmUp, duration: duration)
        }
        if let late = scenario.faults.first(where: { $0.begin >= duration }) {
            throw PreparationError.faultTooLate(late.begin, duration: duration)
        }
        let points = (duration + scenario.drain) / scenario.seriesInterval
        guard points <= Self.maximumSeriesCount else { throw PreparationError.seriesTooLong(points: points) }
        prefilter = try Self.prefilter(inputs, duration: duration)
        faults = try Preparation.faults(of: scenario)
    }

    /// Points of the time series of one replication.
    private static let maximumSeriesCount = 1e6

    /// - Parameter keepsArrivals: See ``Preparation/Options/keepsArrivals``.
    func configuration(_ costs: ScenarioCosts, keepsArrivals: Bool) -> FleetConfiguration {
        var configuration = FleetConfiguration(
            seed: scenario.seed, duration: duration, warmUp: warmUp, drain: scenario.drain,
            seriesInterval: scenario.seriesInterval, start: scenario.start, groups: groups,
            behaviour: scenario.behaviour, services: services(costs),
            urlFilter: URLFilterConfiguration(
                device: scenario.device, policy: scenario.filter.policy, prefilter: prefilter),
            faults: faults, freshURLs: scenario.fidelity == .real ? .tested : .bulk, health: scenario.health,
            connections: scenario.connections.rules, sharesLines: scenario.connections.sharesLines)
        configuration.crowds = scenario.crowds
        configuration.history = scenario.history
        configuration.keepsArrivals = keepsArrivals
        configuration.watchedGroups = Set(scenario.objectives.compactMap(\.metric.group))
        return configuration
    }

    /// The scenario's services, with what its costs say where it says nothing.
    private func services(_ costs: ScenarioCosts) -> FleetModel.ServiceConfiguration {
        var services = scenario.services
        // A group with several systems has become several.
        for region in services.regions.indices {
            services.regions[region].relayDelays =
                zip(scenario.devices, services.regions[region].relayDelays).flatMap {
                    Array(repeating: $1, count: $0.parts.count)
                }
            services.regions[region].serves = services.regions[region].serves.map { serves in
                zip(scenario.devices, serves).flatMap { Array(repeating: $1, count: $0.parts.count) }
            }
        }
        services.change(.pir) {
            $0.scaling?.databaseBytes = costs.databaseBytes
            $0.grouping = scenario.pir.grouping(measured: costs.profile?.followerShare)
        }
        for part in URLFilterModel.stations {
            services.change(part) { $0.speed = $0.speed ?? costs.profile?.wandering }
        }
        return services
    }

    /// One per system of the devices of each group.
    private static func groups(_ inputs: ScenarioInputs) throws -> [DeviceGroup] {
        let scenario = inputs.scenario
        var web: SyntheticWeb?
        return try scenario.devices.flatMap { settings in
            let workload: GroupWorkload
            switch settings.browsing {
            case .trace: workload = .trace(inputs.traces.replay(of: settings))
            case .lookups(let traffic): workload = .lookups(traffic)
            case .profile(let profile):
                let known = try web ?? inputs.web(0, seed: scenario.seed)
                web = known
                workload = .synthetic(known, try BrowsingHabits(profile))
            }
            return settings.parts.map { Self.group(settings, $0, workload, scenario.mechanism) }
        }
    }

    private static func group(
        _ settings: DeviceSettings, _ part: DeviceSettings.Part, _ workload: GroupWorkload,
        _ mechanism: MechanismSettings?
    ) -> DeviceGroup {
        var workload = workload
        if case .trace(var replay) = workload {
            replay.part = (part.devices, of: settings.count)
            workload = .trace(replay)
        }
        var group = DeviceGroup(
            name: settings.name, count: part.devices.count, workload: workload, access: settings.access,
            rules: part.system.matching, continent: settings.continent, site: settings.site,
            generation: part.system.rules)
        group.usage = settings.usage
        if let mechanism {
            group.usage.coverage = mechanism.coverage
            // Only apps that ask the URL filter get its `unknown`.
            group.usage.unknownShare = 0
            group.usage.coveredHours = mechanism.coveredHours
        }
        group.reports = settings.reports
        return group
    }

    private static func prefilter(
        _ inputs: ScenarioInputs, duration: SimulatedDuration
    ) throws -> PrefilterConfiguration {
        let (scenario, list) = (inputs.scenario, inputs.list.list)
        let updates = scenario.prefilter.updates
        let (new, gone) = updates.shares(ofEntries: list.count)
        if new + gone > 0, scenario.fidelity == .real { throw PreparationError.updatesAreNotReal }
        if new + gone > 0, let interval = updates.interval, duration > updates.first {
            let editions = 1 + (duration - updates.first - .nanoseconds(1)).nanoseconds / interval.nanoseconds
            // Up to what rounding adds.
            guard Double(editions) * (new + gone) <= 1 + 1e-9 else {
                throw PreparationError.updatesTooLarge(
                    changes: Int(saturating: ((new + gone) * Double(list.count)).rounded()),
                    updates: Int(editions),
                    entries: list.count)
            }
        }
        // What a scheme needs beside the prefilter comes from the same place, with each edition.
        let gigabytes = Double(gigabytesOf: Double(list.count) * PIRScheme.bytesPerEntry)
        let hint =
            scenario.pir.server.scheme.map { Int(saturating: $0.hintBytes(gigabytes: gigabytes).rounded()) }
            ?? 0
        let downloads = PrefilterDownloads(
            scenario, shape: inputs.prefilter.shape, entries: list.count)
        let byteCount =
            scenario.mechanism.map { min(list.count, $0.entryLimit ?? .max) * $0.bytesPerEntry }
            ?? downloads.byteCount(behind: 0) + hint
        var prefilter = PrefilterConfiguration(
            byteCount: byteCount, unchangedByteCount: PrefilterConfiguration.usualUnchangedByteCount,
            originBandwidth: scenario.prefilter.originBandwidth, republishInterval: updates.interval,
            firstUpdate: updates.first, newEntryShare: new, removedEntryShare: gone,
            appRestart: updates.restartBeforeUse, reloadDelay: updates.reloadDelay,
            changesConfiguration: updates.changesConfiguration, keptConfigurations: updates.versionCount)
        if scenario.mechanism == nil {
            prefilter.differenceByteCounts = downloads.differences.map { $0 + hint }
        }
        prefilter.threats = updates.threats
        prefilter.isWatched = updates.changesEntries
        return prefilter
    }
}
