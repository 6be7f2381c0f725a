import FleetModel
import RandomStreams
import Scenarios
import URLFilter
import Workload

/// Makes what each replication has of its own, where the scenario's `replicate` says so.
///
/// A pure function of scenario and replication, like the random numbers themselves.
struct ReplicationParts: Sendable {
    let scenario: Scenario
    /// Strings that the prefilter is built of, with its settings.
    let named: NamedStrings
    let list: BlockList
    let index: BlockListIndex
    /// One per operating system, as in `RulesGeneration.systems`.
    let unmatchable: [UnmatchableEntries]
    let traces: TraceFiles
    let shared: SharedParts
    let listKey: SharedParts.ListKey

    /// - Parameters:
    ///   - configuration: That of the scenario.
    ///   - catalogs: One per part of a device group, for the scenario's own hash seed.
    func parts(
        of replication: UInt32, _ configuration: FleetConfiguration, _ catalogs: [URLCatalog]
    ) throws -> (configuration: FleetConfiguration, catalogs: [URLCatalog]) {
        var configuration = configuration
        var web: SyntheticWeb?
        // Parts of a group draw the same clients, for each replays some of its devices.
        let groups = scenario.devices.indices.flatMap { group in
            scenario.devices[group].parts.map { _ in group }
        }
        for (place, group) in configuration.groups.enumerated() {
            switch group.workload {
            case .synthetic(let known, let habits)
            where scenario.replicated.contains(.web) && replication > 0:
                let own = try web ?? self.web(like: known, replication)
                web = own
                configuration.groups[place].workload = .synthetic(own, habits)
            case .trace(let known) where scenario.replicated.contains(.clients):
                // Of its own, so that what it keeps of the trace goes with the replication.
                var replay = traces.replay(of: scenario.devices[groups[place]])
                replay.part = known.part
                replay.places = places(replay.clientCount, group: groups[place], replication)
                configuration.groups[place].workload = .trace(replay)
            case .synthetic, .trace, .lookups: break
            }
        }
        let hasOwnFilter = scenario.replicated.contains(.hashSeed) && replication > 0
        return (configuration, hasOwnFilter ? try self.catalogs(replication) : catalogs)
    }

    private func web(like web: SyntheticWeb, _ replication: UInt32) throws -> SyntheticWeb {
        try shared.web(
            .init(list: listKey, web: scenario.web, seed: scenario.seed, replication: replication)
        ) {
            var seeds = SplitMix64(scenario.seed)
            return try SyntheticWeb(
                scenario.web, seed: seeds.next() &+ UInt64(replication), entries: web.entries)
        }
    }

    private func catalogs(_ replication: UInt32) throws -> [URLCatalog] {
        var settings = named.filter
        settings.murmurSeed &+= replication
        let filter = try PrefilterBuilder.build(
            named.list, itemCount: named.itemCount, settings: settings)
        return try PrefilterBuilder.catalogs(
            of: filter, strayHits: PrefilterBuilder.strayHits(of: filter), index: index, unmatchable,
            scenario.devices.flatMap(\.parts).map(\.system.matching), substrings: named.substrings)
    }

    /// For each client the places at which it was drawn.
    private func places(_ clientCount: Int, group: Int, _ replication: UInt32) -> [[Int]] {
        var stream = RandomStream(
            seed: scenario.seed, replication: replication, entity: UInt32(group), purpose: Self.clients)
        var places = Array(repeating: [Int](), count: clientCount)
        for place in 0..<clientCount { places[stream.index(below: clientCount)].append(place) }
        return places
    }

    /// The cost profile with each sample drawn anew from itself.
    static func resampled(_ profile: CostProfile, seed: UInt64, replication: UInt32) -> CostProfile {
        var stream = RandomStream(seed: seed, replication: replication, entity: 0, purpose: costs)
        func drawn(_ cost: StageCost) -> StageCost {
            StageCost(
                samples: cost.samples.map { _ in cost.samples[stream.index(below: cost.samples.count)] })
        }
        var profile = profile
        for name in profile.endpoints.keys.sorted() {
            guard var cost = profile.endpoints[name] else { continue }
            cost.deviceBegins = drawn(cost.deviceBegins)
            cost.gatewayOpens = drawn(cost.gatewayOpens)
            cost.serviceAnswers = drawn(cost.serviceAnswers)
            cost.gatewaySeals = drawn(cost.gatewaySeals)
            cost.deviceEnds = drawn(cost.deviceEnds)
            cost.gatewayPort = cost.gatewayPort.map(drawn)
            cost.servicePort = cost.servicePort.map(drawn)
            profile.endpoints[name] = cost
        }
        return profile
    }

    private static let clients = StreamPurpose("replicated clients")
    private static let costs = StreamPurpose("replicated costs")
}

extension PrefilterBuilder {
    /// One per part of a device group; those with the same rules share theirs.
    ///
    /// - Parameter unmatchable: One per operating system, as in `RulesGeneration.systems`.
    static func catalogs(
        of filter: BloomFilter, strayHits: StrayHits, index: BlockListIndex,
        _ unmatchable: [UnmatchableEntries], _ rules: [MatchingRules], substrings: SubstringIndex?
    ) throws -> [URLCatalog] {
        var byRules: [MatchingRules: URLCatalog] = [:]
        return try rules.map { rules in
            if let known = byRules[rules] { return known }
            let system = RulesGeneration(rules).flatMap {
                RulesGeneration.systems.firstIndex(of: $0.system)
            }
            let catalog = URLCatalog(
                filter: filter, list: index, rules: rules,
                strayHits: try GeometricSkip(probability: strayHits.rate),
                unmatchable: system.map { unmatchable[$0] }, substrings: substrings)
            byRules[rules] = catalog
            return catalog
        }
    }
}
