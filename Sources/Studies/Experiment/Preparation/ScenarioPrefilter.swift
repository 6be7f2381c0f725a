import FleetModel
import RandomStreams
import Scenarios
import URLFilter
import Workload

/// The prefilter of a scenario's devices, and the catalogs of URLs that are looked up in it.
struct ScenarioPrefilter: Sendable {
    /// Strings that the prefilter is built of, with its settings.
    let named: NamedStrings
    let summary: RunResult.FilterSummary
    let shape: BloomParameters
    /// One per operating system, as in `RulesGeneration.systems`.
    let unmatchable: [UnmatchableEntries]
    /// One per part of a device group, for the scenario's own hash seed.
    let catalogs: [URLCatalog]

    private let index: BlockListIndex
    /// One per part of a device group.
    private let rules: [MatchingRules]

    init(
        _ scenario: Scenario, list: SharedParts.List, _ shared: SharedParts,
        progress: @Sendable (String) -> Void
    ) throws {
        let named = NamedStrings(scenario, list: list.list, itemCount: list.itemCount)
        let key = SharedParts.FilterKey(
            list: list.key, settings: named.filter, entryCount: named.list.count)
        let built = try shared.filters.value(key) {
            progress("building the prefilter of \(named.list.count) entries")
            return try SharedParts.Filter(named, settings: named.filter)
        }
        let unmatchable = try RulesGeneration.systems.map { system in
            try shared.unmatchable.value(.init(list: list.key, system: system)) {
                UnmatchableEntries(list.list, rules: system.rules)
            }
        }
        let rules = scenario.devices.flatMap(\.parts).map(\.system.matching)
        catalogs = try shared.catalogs(
            .init(filter: key, substringCount: named.substrings?.count, rules: rules)
        ) {
            try built.catalogs(list.index, unmatchable, rules, substrings: named.substrings)
        }
        summary = PrefilterBuilder.summary(
            of: built.filter, entryCount: list.list.count, stray: built.stray)
        shape = built.filter.parameters
        index = list.index
        self.named = named
        self.unmatchable = unmatchable
        self.rules = rules
    }

    /// Catalogs of a replication with a hash seed of its own.
    func catalogs(of replication: UInt32) throws -> [URLCatalog] {
        var settings = named.filter
        settings.murmurSeed &+= replication
        return try SharedParts.Filter(named, settings: settings).catalogs(
            index, unmatchable, rules, substrings: named.substrings)
    }
}

extension SharedParts.Filter {
    fileprivate init(_ named: NamedStrings, settings: FilterSettings) throws {
        filter = try PrefilterBuilder.build(named.list, itemCount: named.itemCount, settings: settings)
        stray = try PrefilterBuilder.strayHits(of: filter)
    }

    /// One per part of a device group; those with the same rules share theirs.
    ///
    /// - Parameter unmatchable: One per operating system, as in `RulesGeneration.systems`.
    fileprivate func catalogs(
        _ index: BlockListIndex, _ unmatchable: [UnmatchableEntries], _ rules: [MatchingRules],
        substrings: SubstringIndex?
    ) throws -> [URLCatalog] {
        var byRules: [MatchingRules: URLCatalog] = [:]
        return try rules.map { rules in
            if let known = byRules[rules] { return known }
            let system = RulesGeneration(rules).flatMap {
                RulesGeneration.systems.firstIndex(of: $0.system)
            }
            let catalog = URLCatalog(
                filter: filter, list: index, rules: rules,
                strayHits: try GeometricSkip(probability: stray.rate),
                unmatchable: system.map { unmatchable[$0] }, substrings: substrings)
            byRules[rules] = catalog
            return catalog
        }
    }
}
