import Decoding
package import EventSimulation
package import FleetModel
import Foundation
import Measurement
import Parties
import PrivateInformationRetrieval
import RandomStreams
package import Scenarios
import Statistics
import URLFilter
package import Workload

/// A scenario with its files read, its prefilter built and its costs known: ready to be replicated.
package final class Preparation: Sendable {
    package let scenario: Scenario
    package let configuration: FleetConfiguration
    /// One per device group.
    package let catalogs: [URLCatalog]
    /// Reports on what became of each line of the block list, then of each trace.
    package let reports: [ReadReport]
    package let blocklistSummary: RunResult.BlockListSummary
    package let traceSummaries: [RunResult.TraceSummary]
    package let filterSummary: RunResult.FilterSummary
    package let profileSummary: RunResult.ProfileSummary?
    /// Profile that costs are drawn from; absent in `real` fidelity.
    package let costProfile: CostProfile?
    /// Parts of the PIR database; `nil` for an architecture without one.
    let shardCount: Int?
    /// The control variate of everything that grows with the traffic.
    let plannedVisits: PlannedVisits
    /// Notes on what the numbers leave out or model without executing it.
    package let modelled: [String]
    /// Files that the result depends on.
    package let inputs: [String]
    let architecture: @Sendable (UInt32) throws -> Architecture
    /// Maker of what each replication has of its own.
    let parts: ReplicationParts

    private init(
        scenario: Scenario, configuration: FleetConfiguration, catalogs: [URLCatalog],
        parts: ReplicationParts, listReport: ReadReport, unmatchable: [UnmatchableSummary],
        filterSummary: RunResult.FilterSummary, parties: WorkFactory
    ) throws {
        let (list, traces) = (parts.list, parts.traces)
        self.parts = parts
        self.scenario = scenario
        self.configuration = configuration
        self.catalogs = catalogs
        self.filterSummary = filterSummary
        reports = [listReport] + traces.reports
        blocklistSummary = RunResult.BlockListSummary(
            file: scenario.blocklist.file, format: listReport.format, keys: scenario.blocklist.policy,
            entries: list.count,
            duplicates: listReport.count(of: .duplicate), dropped: listReport.droppedCount,
            changed: listReport.count(of: .noted), hasTestEntry: Self.hasTestEntry(list),
            unmatchable: unmatchable)
        traceSummaries = traces.summaries
        profileSummary = parties.summary
        costProfile = parties.costProfile
        shardCount =
            try scenario.mechanism == nil
            ? PIRDatabase.sharding(shardCount: scenario.pir.shards).shardCount(rowCount: list.count)
            : nil
        plannedVisits = PlannedVisits(configuration)
        if plannedVisits.isIdle { throw PreparationError.nobodyBrowses }
        modelled = Self.modelled(scenario, parties.costProfile)
        let counted = scenario.listedTrace.map { [$0.file] } ?? []
        inputs =
            [scenario.file, scenario.blocklist.file] + counted + traces.paths + parties.inputs
            + (scenario.prices.file.map { [$0] } ?? [])
        architecture = parties.make
    }

    /// Options of one run that are not part of the question.
    package struct Options: Sendable {
        /// A bad line in a list or trace is an error.
        package var isStrict = false
        /// Cost profile to read, or to write if it does not exist. `nil`: a cache of this user.
        package var profile: String?
        package var threads = 1
        /// Whether the result has ``ArrivalResult``: a plan needs it, and only a plan.
        package var keepsArrivals = false

        package init() {}
    }

    /// - Parameters:
    ///   - shared: Holds what other points of the same sweep have read and built already.
    ///   - progress: Told in words what is being done.
    package static func prepare(
        _ scenario: Scenario, options: Options, sharing shared: SharedParts = SharedParts(),
        progress: @Sendable (String) -> Void
    ) throws -> Preparation {
        let common = try listParts(scenario, options, shared, progress)
        let (list, index) = (common.list, common.index)
        let named = NamedStrings(scenario, list: list, itemCount: common.itemCount)
        let filterKey = SharedParts.FilterKey(
            list: common.key, settings: named.filter, entryCount: named.list.count)
        let built = try shared.filters.value(filterKey) {
            progress("building the prefilter of \(named.list.count) entries")
            let filter = try PrefilterBuilder.build(
                named.list, itemCount: named.itemCount, settings: named.filter)
            return .init(filter: filter, stray: try PrefilterBuilder.strayHits(of: filter))
        }
        let (filter, stray) = (built.filter, built.stray)
        let unmatchable = try RulesGeneration.systems.map { system in
            try shared.unmatchable.value(.init(list: common.key, system: system)) {
                UnmatchableEntries(list, rules: system.rules)
            }
        }
        let rules = scenario.devices.flatMap(\.parts).map(\.system.matching)
        let catalogKey = SharedParts.CatalogKey(
            filter: filterKey, substringCount: named.substrings?.count ?? 0, rules: rules)
        let catalogs = try shared.catalogs(catalogKey) {
            try PrefilterBuilder.catalogs(
                of: filter, strayHits: stray, index: index, unmatchable, rules,
                substrings: named.substrings)
        }
        let traces = try TraceFiles(scenario.devices, isStrict: options.isStrict, progress: progress)
        var scenario = scenario
        if let trace = scenario.listedTrace {
            progress("counting what the list names in \(trace.file)")
            scenario.web.listed = try ListedShares(of: trace, index: index, isStrict: options.isStrict)
                .traffic
        }
        var configuration = try fleet(scenario, list: list, filter: filter, traces: traces) {
            try shared.web(
                .init(list: common.key, web: scenario.web, seed: scenario.seed, replication: 0)
            ) {
                try syntheticWeb(scenario, list: list)
            }
        }
        let parties = try WorkFactory(
            scenario, list: list, mechanism: named.mechanism, catalogs: catalogs,
            configuration: configuration, options: options, progress: progress)
        let grouping = scenario.pir.grouping(measured: parties.costProfile?.followerShare)
        configuration.services.change(.pir) {
            $0.scaling?.databaseBytes = parties.databaseBytes
            $0.grouping = grouping
        }
        configuration.keepsArrivals = options.keepsArrivals
        for part in URLFilterModel.stations {
            configuration.services.change(part) { $0.speed = $0.speed ?? parties.costProfile?.wandering }
        }
        return try Preparation(
            scenario: scenario, configuration: configuration, catalogs: catalogs,
            parts: ReplicationParts(
                scenario: scenario, named: named, list: list, index: index,
                unmatchable: unmatchable, traces: traces, shared: shared, listKey: common.key),
            listReport: common.report,
            unmatchable: zip(RulesGeneration.systems, unmatchable).map {
                UnmatchableSummary($1, rules: $0, entries: list.count)
            },
            filterSummary: PrefilterBuilder.summary(of: filter, entryCount: list.count, stray: stray),
            parties: parties)
    }

    package static func listParts(
        _ scenario: Scenario, _ options: Options, _ shared: SharedParts, _ progress: (String) -> Void
    ) throws -> SharedParts.List {
        let settings = scenario.blocklist
        let key = SharedParts.ListKey(settings: settings, isStrict: options.isStrict)
        return try shared.lists.value(key) {
            var listOptions = settings.options
            listOptions.isStrict = options.isStrict
            progress("reading \(settings.file)")
            let (list, report) = try BlockListReader.read(
                path: settings.file, isReadAgain: true, options: listOptions)
            let duplicates = settings.policy.countsDuplicates ? report.count(of: .duplicate) : 0
            return .init(
                key: key, list: list, report: report, index: BlockListIndex(list),
                itemCount: list.count + duplicates)
        }
    }

    /// - Parameter makeWeb: Called for the first group that browses.
    private static func fleet(
        _ scenario: Scenario, list: BlockList, filter: BloomFilter, traces: TraceFiles,
        makeWeb: () throws -> SyntheticWeb
    ) throws -> FleetConfiguration {
        var web: SyntheticWeb?
        let groups = try scenario.devices.flatMap { settings in
            let workload: GroupWorkload
            switch settings.browsing {
            case .trace: workload = .trace(traces.replay(of: settings))
            case .lookups(let traffic): workload = .lookups(traffic)
            case .profile(let profile):
                let known = try web ?? makeWeb()
                web = known
                workload = .synthetic(known, try BrowsingHabits(profile))
            }
            return settings.parts.map { Self.group(settings, $0, workload, scenario.mechanism) }
        }
        guard let duration = scenario.duration ?? traces.longest else { throw PreparationError.noDuration }
        var warmUp = SimulatedDuration.zero
        if case .fixed(let length) = scenario.warmUp { warmUp = length }
        guard warmUp < duration else {
            throw PreparationError.warmUpTooLong(warmUp, duration: duration)
        }
        if let late = scenario.faults.first(where: { $0.begin >= duration }) {
            throw PreparationError.faultTooLate(late.begin, duration: duration)
        }
        let points = (duration + scenario.drain) / scenario.seriesInterval
        guard points <= Self.maximumSeriesCount else { throw PreparationError.seriesTooLong(points: points) }
        var configuration = FleetConfiguration(
            seed: scenario.seed, duration: duration, warmUp: warmUp, drain: scenario.drain,
            seriesInterval: scenario.seriesInterval, start: scenario.start, groups: groups,
            behaviour: scenario.behaviour, services: scenario.services,
            urlFilter: URLFilterConfiguration(
                device: scenario.device, policy: scenario.filter.policy,
                prefilter: try prefilter(scenario, list: list, filter: filter, duration: duration)),
            faults: try faults(of: scenario),
            freshURLs: scenario.fidelity == .real ? .tested : .bulk, health: scenario.health,
            connections: scenario.connections.rules, sharesLines: scenario.connections.sharesLines)
        // A group with several systems has become several.
        for region in configuration.services.regions.indices {
            let delays = configuration.services.regions[region].relayDelays
            configuration.services.regions[region].relayDelays = zip(scenario.devices, delays).flatMap {
                Array(repeating: $1, count: $0.parts.count)
            }
        }
        configuration.crowds = scenario.crowds
        configuration.history = scenario.history
        return configuration
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
        _ scenario: Scenario, list: BlockList, filter: BloomFilter, duration: SimulatedDuration
    ) throws -> PrefilterConfiguration {
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
        let gigabytes = Double(list.count) * PIRScheme.bytesPerEntry * 1e-9
        let hint =
            scenario.pir.server.scheme.map { Int(saturating: $0.hintBytes(gigabytes: gigabytes).rounded()) }
            ?? 0
        let byteCount =
            scenario.mechanism.map { min(list.count, $0.entryLimit ?? .max) * $0.bytesPerEntry }
            ?? filter.parameters.byteCount + hint
        var prefilter = PrefilterConfiguration(
            byteCount: byteCount, unchangedByteCount: PrefilterConfiguration.usualUnchangedByteCount,
            originBandwidth: scenario.prefilter.originBandwidth, republishInterval: updates.interval,
            firstUpdate: updates.first, newEntryShare: new, removedEntryShare: gone,
            appRestart: updates.changesEntries ? updates.appRestart : nil, reloadDelay: updates.reloadDelay,
            changesConfiguration: updates.changesConfiguration, keptConfigurations: updates.versionCount)
        prefilter.threats = updates.threats
        prefilter.isWatched = updates.changesEntries
        return prefilter
    }

    /// Points of the time series of one replication.
    private static let maximumSeriesCount = 1e6

    private static func syntheticWeb(_ scenario: Scenario, list: BlockList) throws -> SyntheticWeb {
        var entries = TextTable(name: "block list")
        for index in 0..<list.count { try? entries.append(list[index]) }
        return try SyntheticWeb(scenario.web, seed: scenario.seed, entries: entries)
    }

    /// Apple's reviewers look up this entry on the operator's servers (article "Device", section "Onboarding and
    /// relay"); with normalized keys it stands there without `www.`.
    private static func hasTestEntry(_ list: BlockList) -> Bool {
        let forms = TestEntry.forms.map { Array($0.utf8) }
        return (0..<list.count).contains { index in
            let entry = list[index]
            return forms.contains { $0.count == entry.count && entry.elementsEqual($0) }
        }
    }

}

package enum PreparationError: InputFault, Equatable, CustomStringConvertible {
    case noDuration
    case warmUpTooLong(SimulatedDuration, duration: SimulatedDuration)
    case faultTooLate(SimulatedDuration, duration: SimulatedDuration)
    case seriesTooLong(points: Double)
    case updatesAreNotReal
    case updatesTooLarge(changes: Int, updates: Int, entries: Int)
    case memoryTooSmall(Int, database: Int, key: Int)
    case faultOfNothing(String, architecture: ArchitectureChoice)
    /// On the weekdays that are simulated, from Monday.
    case nobodyBrowses
    case traceEmpty(String)
    case traceTooLong(String, seconds: Double)

    package var description: String {
        func text(_ duration: SimulatedDuration) -> String { "\((duration.seconds * 1e3).rounded() / 1e3) s" }
        switch self {
        case .faultOfNothing(let fault, let architecture):
            return
                "the fault '\(fault)' has no effect with architecture \(architecture.rawValue), which has no such part;"
                + " an outage of 'decider' means the server that decides, whatever the architecture; or leave it out with --set faults=null"
        case .noDuration:
            return "duration is missing; only a trace implies one, write for example 'duration: 24h'"
        case .warmUpTooLong(let warmUp, let duration):
            return "warmUp is \(text(warmUp)); it must be less than the duration, \(text(duration))"
        case .faultTooLate(let begin, let duration):
            return
                "a fault begins at \(text(begin)); it must begin before the end of the run, \(text(duration))"
        case .seriesTooLong(let points):
            return
                "seriesInterval would make \(Int(saturating: min(points, 1e18))) points; at most 1000000 are kept"
        case .updatesAreNotReal:
            return
                "updates.churn, add and remove need fidelity: calibrated; the real database stays as it is"
        case .updatesTooLarge(let changes, let updates, let entries):
            return
                "updates (churn, or add and remove) change \(changes) entries \(updates) times; the list has \(entries),"
                + " and each of them may come or go once"
        case .memoryTooSmall(let memory, let database, let key):
            return
                "services.pir.memory is \(memory) bytes; the processed database takes \(database) and one evaluation key"
                + " \(key), raise it to \(database + 1000 * key) at least, for 1000 devices"
        case .nobodyBrowses:
            return
                "nobody browses on the simulated days: their weekday has weight 0 in browsing.weekdayWeights; set"
                + " browsing.weekdayOfDayZero to a day that has some (0 is Monday), or a longer duration"
        case .traceEmpty(let file): return "\(file): no usable record"
        case .traceTooLong(let file, let seconds):
            return "\(file): spans \(seconds) s; at most 1e9 s, divided by compression, can be simulated"
        }
    }
}
